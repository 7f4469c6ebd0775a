"""What a process keeps in memory: how often Python looks for garbage, and what it gives back."""

import ctypes
import gc
from typing import Final

_THRESHOLDS: Final = (500_000, 20, 50)
_MALLOC: Final = {-8: 2, -3: 256 * 1024, -1: 16 * 1024 * 1024}
"""Parameters of mallopt(3): M_ARENA_MAX, M_MMAP_THRESHOLD, M_TRIM_THRESHOLD (bytes)."""


def raise_gc_threshold() -> None:
    """Have this process look for cycles between batches, not in the middle of one.

    A batch makes many objects and no cycles: whoever looks in the middle of it finds everything alive. With a threshold
    of 50,000 that took a tenth of the time of settling; a batch holds fewer objects than this, and frees them. Imports
    are the same: with the usual thresholds a fifth of the start of a command goes on looking.
    """
    gc.set_threshold(*_THRESHOLDS)


def trim_malloc() -> None:
    """Have this process give back what it does not need, where its C library is glibc.

    By default each thread of each client of the broker allocates in a place of its own, up to eight for each processor,
    what was large once stays among what is small, and each place keeps what it has held at most: half a gigabyte that
    nobody used after a backlog of a million rounds.
    """
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):
        for parameter, value in _MALLOC.items():
            library.mallopt(parameter, value)
