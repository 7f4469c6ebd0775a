"""The time of day, and the durable steps at which tests end a process."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
Step = Callable[[str], None]
"""Is told each durable step as it is reached; tests end the process there."""


def utc_now() -> datetime:
    """Return the system's time."""
    return datetime.now(UTC)


def no_step(name: str) -> None:
    """Go on."""
    del name
