"""The clock, and the durable steps at which tests kill a process."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
Step = Callable[[str], None]
"""Called at each durable step; tests kill the process there."""


def utc_now() -> datetime:
    """Return the current time of the system clock, in UTC."""
    return datetime.now(UTC)


def no_step(name: str) -> None:
    """Do nothing at a durable step."""
    del name
