"""Restart the servers and services of a stack that exit unexpectedly, with increasing delays."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from services.cli.exits import StackEnded
from shared.local.errors import LocalStackError

_FIRST_DELAY_SECONDS: Final = 0.5
DELAY_SECONDS_MAX: Final = 30.0
_STEADY_SECONDS: Final = 60.0
"""The run time in seconds after which a part's restart delay is reset to the shortest."""


@dataclass(frozen=True, slots=True)
class Part:
    """A server or service of a stack. `ended()` returns how the part ended, or None while it runs.

    `start()` restarts the part, or raises StackEnded or LocalStackError; `start` is None for a part that cannot be
    restarted.
    """

    name: str
    ended: Callable[[], StackEnded | None]
    start: Callable[[], object] | None


@dataclass(slots=True)
class Delay:
    """The exponential backoff of restarts: half a second at first, doubled each time, up to half a minute."""

    failures: int = 0
    """Number of consecutive runs that ended early."""

    def after(self, ran_seconds: float) -> float:
        """Return the delay in seconds before the restart of a part that ran for `ran_seconds`."""
        if ran_seconds >= _STEADY_SECONDS:
            self.failures = 0
        delay = min(_FIRST_DELAY_SECONDS * 2**self.failures, DELAY_SECONDS_MAX)
        self.failures += 1
        return float(delay)


@dataclass(slots=True)
class _Record:
    """The restart state of a part: its last start, its delay, and the time of the next restart."""

    started_at: float
    delay: Delay = field(default_factory=Delay)
    due_at: float | None = None


class Supervisor:
    """Monitors a stack's parts, and restarts exited parts in order. `report` gets a message on each exit and start."""

    def __init__(
        self,
        parts: Sequence[Part],
        *,
        report: Callable[[str], object],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._parts = parts
        self._report = report
        self._clock = clock
        self._records = {part.name: _Record(clock()) for part in parts}

    def look(self) -> None:
        """Restart the parts that are due. Raises: StackEnded if a part cannot be restarted."""
        for part in self._parts:
            record = self._records[part.name]
            if record.due_at is None:
                if (ended := part.ended()) is not None:
                    self._note(part, record, ended)
            elif self._clock() >= record.due_at:
                self._start(part, record)

    def _note(self, part: Part, record: _Record, ended: StackEnded) -> None:
        if part.start is None:
            raise ended
        self._put_off(record, ended.happened, ran_seconds=self._clock() - record.started_at)

    def _start(self, part: Part, record: _Record) -> None:
        assert part.start is not None
        try:
            if part.ended() is not None:  # a new fork server may have started it already
                part.start()
        except (StackEnded, LocalStackError) as error:
            self._put_off(record, f"{part.name} does not start: {error}")
            return
        record.started_at, record.due_at = self._clock(), None
        self._report(f"{part.name} is started again")

    def _put_off(self, record: _Record, why: str, *, ran_seconds: float = 0.0) -> None:
        delay = record.delay.after(ran_seconds)
        record.due_at = self._clock() + delay
        self._report(f"{why}; starting it again in {delay:g} s")
