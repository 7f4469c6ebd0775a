"""Turns of test processes that run side by side."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

WHOLE_STACK: Final = "whole-stack.lock"
"""The turn of a test that starts every service."""


@contextmanager
def turn(lock: Path) -> Iterator[None]:
    """The turn of one process among those that name the same lock file; waits for it, and keeps the file."""
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
