"""Memory tuning of a process: garbage collection thresholds and glibc's malloc."""

import ctypes
import gc
from typing import Final

_THRESHOLDS: Final = (500_000, 20, 50)
_MALLOC: Final = {-8: 2, -3: 256 * 1024, -1: 16 * 1024 * 1024}
"""Parameters of mallopt(3): M_ARENA_MAX, M_MMAP_THRESHOLD, M_TRIM_THRESHOLD (bytes)."""


def raise_gc_threshold() -> None:
    """Raise the garbage collector's thresholds, so that it runs between batches instead of within them.

    A batch creates many objects and no cycles, so a collection within a batch finds only live objects. With a threshold
    of 50,000, collections took a tenth of the time of settling. A batch holds fewer objects than the threshold, and
    frees them. Imports are similar: with Python's default thresholds, collections take a fifth of the start of a
    command.
    """
    gc.set_threshold(*_THRESHOLDS)


def trim_malloc() -> None:
    """Make glibc's malloc return unused memory to the system.

    By default each thread of each Kafka client allocates from an arena of its own, up to eight arenas per CPU. Large
    blocks remain among small ones, and each arena keeps its peak size: half a gigabyte of unused memory after a backlog
    of a million rounds.
    """
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):
        for parameter, value in _MALLOC.items():
            library.mallopt(parameter, value)
