"""Rotate the logs of a running stack, whose processes keep the log files open."""

import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

LOG_BYTES_MAX: Final = 16 * 2**20
"""Maximum size of a log in bytes. A longer log is copied to `NAME.log.1`, replacing the previous copy."""


def rotate(logs: Iterable[Path], bytes_max: int = LOG_BYTES_MAX) -> list[str]:
    """Truncate each log that is too long, after copying it to `NAME.log.1`; return a message for each failed copy.

    The writing process continues to append to the same file. A log is truncated even if the disk has no space for the
    copy.
    """
    lost: list[str] = []
    for log in logs:
        with suppress(FileNotFoundError):
            if log.stat().st_size <= bytes_max:
                continue
            unfinished = log.with_name(f"{log.name}.1.unfinished")
            try:
                shutil.copy2(log, unfinished)
                unfinished.replace(log.with_name(f"{log.name}.1"))
            except OSError as error:
                unfinished.unlink(missing_ok=True)
                lost.append(f"{log} was emptied without a copy: {error}")
            with log.open("r+b") as written:
                written.truncate(0)
    return lost
