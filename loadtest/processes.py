"""What processes have used of the processor, from /proc: there is nothing to measure where there is no /proc."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_TICKS_PER_SECOND: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Process:
    """A process at one moment: its parent, the words of its command, and the seconds it and ended children used."""

    pid: int
    parent: int
    words: tuple[str, ...]
    cpu_seconds: float


def processes_below(root: int) -> list[Process]:
    """Return the processes that descend from `root`, itself included; none where there is no /proc."""
    if not _PROC.is_dir():
        return []
    found = [process for each in _PROC.iterdir() if each.name.isdecimal() and (process := _read(each)) is not None]
    family = {root}
    while True:
        more = {process.pid for process in found if process.parent in family} - family
        if not more:
            return [process for process in found if process.pid in family]
        family |= more


def _read(directory: Path) -> Process | None:
    try:
        words = (directory / "cmdline").read_bytes().split(b"\0")
        after_name = (directory / "stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None  # it ended while we looked
    ticks = sum(int(after_name[place]) for place in (11, 12, 13, 14))
    return Process(
        pid=int(directory.name),
        parent=int(after_name[1]),
        words=tuple(word.decode(errors="replace") for word in words if word),
        cpu_seconds=ticks / _TICKS_PER_SECOND,
    )


def load() -> float:
    """Return how many processes of the machine want a processor, over the last minute."""
    return os.getloadavg()[0]


def cpu_seconds() -> dict[str, float]:
    """Return processor seconds so far of this process and its descendants, by what each is."""
    used: dict[str, float] = {}
    for process in processes_below(os.getpid()):
        program = Path(process.words[0]).name if process.words else "(ended)"
        name = "postgres" if program.startswith("postgres") else program
        if "run" in process.words[:-1]:
            name = process.words[process.words.index("run") + 1]
        elif process.pid == os.getpid():
            name = "this harness"
        used[name] = used.get(name, 0.0) + process.cpu_seconds
    return used
