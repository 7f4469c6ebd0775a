"""CPU and memory use of processes, from /proc. On systems without /proc nothing is measured."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_TICKS_PER_SECOND: Final = os.sysconf("SC_CLK_TCK")

HARNESS: Final = "this harness"
_PROGRAMS: Final = {"tansu": "broker", "java": "broker", "python": "pitledger up"}
_TICKS_OFF, _TICKS_OFF_SECONDS = 0.02, 0.5
"""The permitted excess, as a share and in seconds, of the processes' CPU time over the machine's (clock ticks)."""


@dataclass(frozen=True, slots=True)
class Process:
    """A snapshot of a process: its parent, command line, and CPU seconds, including those of ended children."""

    pid: int
    parent: int
    words: tuple[str, ...]
    cpu_seconds: float


def processes_below(root: int) -> list[Process]:
    """Return the process `root` and its descendants; empty without /proc."""
    if not _PROC.is_dir():
        return []
    found = [process for each in _PROC.iterdir() if each.name.isdecimal() and (process := _read(each)) is not None]
    family = {root}
    while True:
        more = {process.pid for process in found if process.parent in family} - family
        if not more:
            return [process for process in found if process.pid in family]
        family |= more


def parent_of(pid: int) -> int | None:
    """Return the parent of a process; None if it does not exist, or without /proc."""
    process = _read(_PROC / str(pid))
    return None if process is None else process.parent


def _read(directory: Path) -> Process | None:
    try:
        words = (directory / "cmdline").read_bytes().split(b"\0")
        after_name = (directory / "stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None  # it ended meanwhile
    ticks = sum(int(after_name[place]) for place in (11, 12, 13, 14))
    return Process(
        pid=int(directory.name),
        parent=int(after_name[1]),
        words=tuple(word.decode(errors="replace") for word in words if word),
        cpu_seconds=ticks / _TICKS_PER_SECOND,
    )


def load() -> float:
    """Return the load average of the machine over the last minute."""
    return os.getloadavg()[0]


@dataclass(frozen=True, slots=True)
class Used:
    """CPU seconds used up to a moment, by kind of process and by the whole machine."""

    processes: Mapping[str, float]
    machine: float

    def since(self, before: "Used") -> "Used":
        """Return the CPU seconds used since an earlier moment."""
        used = {name: seconds - before.processes.get(name, 0.0) for name, seconds in self.processes.items()}
        return Used(used, self.machine - before.machine)

    @property
    def counted(self) -> float:
        """Return the CPU seconds of all processes; more than the machine's means that a process was counted twice."""
        return sum(self.processes.values())

    @property
    def counted_once(self) -> bool:
        """Return whether the processes used no more CPU time than the machine, up to the clock's resolution."""
        return self.counted <= self.machine * (1 + _TICKS_OFF) + _TICKS_OFF_SECONDS


class Family:
    """The processes of a measurement, all descendants of some root processes, grouped by kind.

    A kind is the name of a service or of a log file. All PostgreSQL processes are one kind; the kind of any other
    process is its program.
    """

    def __init__(self, *roots: int, logs: Path | None = None) -> None:
        self._roots = roots
        self._logs = logs

    def used(self) -> Used:
        """Return the CPU seconds used so far; a process that descends from several roots is counted once."""
        sums: dict[str, float] = {}
        for process in self._members():
            name = self._name(process)
            sums[name] = sums.get(name, 0.0) + process.cpu_seconds
        return Used(sums, machine_seconds())

    def memory_bytes(self) -> dict[str, int]:
        """Return the memory in bytes by kind of process; shared memory is divided among its users."""
        sums: dict[str, int] = {}
        for process in self._members():
            name = self._name(process)
            sums[name] = sums.get(name, 0) + _memory_bytes(process.pid)
        return sums

    def _members(self) -> Iterable[Process]:
        return {process.pid: process for root in self._roots for process in processes_below(root)}.values()

    def _name(self, process: Process) -> str:
        if process.pid == os.getpid():
            return HARNESS
        program = Path(process.words[0]).name if process.words else "(ended)"
        if program.startswith("postgres"):
            return "postgres"
        if "run" in process.words[:-1]:
            return process.words[process.words.index("run") + 1]  # of `pitledger run SERVICE`
        log = log_of(process.pid)
        return log.stem if log is not None and log.parent == self._logs else _PROGRAMS.get(program, program)


OWN: Final = Family(os.getpid())
"""This process and its descendants."""


def machine_seconds() -> float:
    """Return the busy seconds of the machine's CPUs so far; 0 without /proc."""
    try:
        words = (_PROC / "stat").read_text().splitlines()[0].split()
    except FileNotFoundError:
        return 0.0
    user, nice, system, _idle, _waiting, interrupts, soft = map(int, words[1:8])
    return (user + nice + system + interrupts + soft) / _TICKS_PER_SECOND


def _memory_bytes(pid: int) -> int:
    try:
        lines = (_PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)


def log_of(pid: int) -> Path | None:
    """Return the path of the file to which a process's standard error is redirected; None if unknown."""
    try:
        return (_PROC / str(pid) / "fd" / "2").readlink()
    except OSError:
        return None
