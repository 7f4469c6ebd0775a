"""The system clock, and hooks at durable steps, at which tests kill the process."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
Step = Callable[[str], None]
"""Called with the name of each durable step; tests kill the process there."""


def utc_now() -> datetime:
    """Return the current time of the system clock, in UTC."""
    return datetime.now(UTC)


def no_step(name: str) -> None:
    """Do nothing at a durable step: the hook that services use in production."""
    del name
