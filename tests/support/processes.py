"""Which processes and directories are still there, and what was said to processes."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path


def alive(pid: int) -> bool:
    """Whether the process exists and has not ended; a zombie that waits for its parent has."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    status = Path(f"/proc/{pid}/stat")
    if not status.exists():
        return True  # not Linux: no way to tell a zombie
    try:
        return status.read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def left_over(pids: Iterable[int], directories: Iterable[Path]) -> list[str]:
    """Those of the processes and directories that are still there, for people."""
    processes = [f"process {pid}" for pid in pids if alive(pid)]
    return processes + [str(directory) for directory in directories if directory.exists()]


def arguments() -> Iterator[str]:
    """The arguments of every process of the machine, as any of its users can read them."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            yield (process / "cmdline").read_text(errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            continue  # it ended while we looked
