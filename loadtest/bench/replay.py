"""Send rounds to one stack at their arrival times, and wait until its services have processed them."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Protocol

from loadtest.traffic.progress import TooSlow, Watch
from loadtest.traffic.publish import Publisher
from loadtest.traffic.publish import Record as Sendable

POLL_SECONDS: Final = 0.01
_STALLED_SECONDS: Final = 300.0
"""The time without progress, in seconds, after which the run fails."""

Place = tuple[str, int | None]
"""The position of an event: (stream, sequence)."""


class Record(Sendable, Protocol):
    """A message with its sequence number."""

    @property
    def sequence(self) -> int | None:
        """Return the sequence number, or None."""


class Bench:
    """Sends messages to one stack, and reads its progress. `produced` is the number of messages sent."""

    def __init__(self, watch: Watch, publisher: Publisher) -> None:
        self._watch = watch
        self._publisher = publisher
        self.produced = 0

    def play(
        self,
        records: Sequence[Record],
        due: Iterable[float],
        at: Mapping[int, Callable[[], object]] = MappingProxyType({}),
    ) -> dict[Place, float]:
        """Send each record at its due time (seconds from now), or as soon as possible after it.

        `at` maps the index of a record to a function that is called before that record is sent. Return, by stream
        position, the due time of each record in seconds since the epoch; for records due at 0, the time of sending.
        """
        moments: dict[Place, float] = {}
        began, clock = time.time(), time.monotonic()
        for number, (record, seconds) in enumerate(zip(records, due, strict=True)):
            while (wait := clock + seconds - time.monotonic()) > 0:
                self._publisher.poll()
                time.sleep(min(wait, POLL_SECONDS))
            if number in at:
                at[number]()
            handed_over = self._publisher.send(record)
            moments[record.key, record.sequence] = began + seconds if seconds else handed_over
            self.produced += 1
        return moments

    def committed(self) -> None:
        """Wait until round settlement has committed every sent message. Raises: TooSlow."""
        self.reached(lambda: self._watch.settled(), lambda: self.produced)

    def reported(self) -> None:
        """Wait until reporting has read every entry of round settlement. Raises: TooSlow."""
        self.reached(lambda: self._watch.reported(), lambda: self._watch.entries())

    def reached(self, now: Callable[[], int], wanted: Callable[[], int]) -> None:
        """Wait until `now()` reaches `wanted()`. Raises: TooSlow if `now()` stops growing."""
        before, since = -1, time.monotonic()
        while (reached := now()) < (goal := wanted()):
            self._publisher.poll()
            if reached != before:
                before, since = reached, time.monotonic()
            elif time.monotonic() - since > _STALLED_SECONDS:
                raise TooSlow(f"{reached} of {goal} records, and none more in {_STALLED_SECONDS:.0f} s")
            time.sleep(POLL_SECONDS)
