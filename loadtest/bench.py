"""Produces to one stack as rounds arrive, and waits until its services have them."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Protocol

from loadtest.progress import TooSlow, Watch
from loadtest.publish import Publisher
from loadtest.publish import Record as Sendable

POLL_SECONDS: Final = 0.01
_STALLED_SECONDS: Final = 300.0
"""Without any progress for so long, something is broken."""

Place = tuple[str, int | None]
"""The stream of an event, and its place there."""


class Record(Sendable, Protocol):
    """What is sent: with its place in its stream."""

    @property
    def sequence(self) -> int | None:
        """Return the place, if it has one."""


class Bench:
    """Produces to one stack and asks its database how far it is. `produced` counts what was handed over."""

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
        """Hand each record over when it is due (seconds from now), or as soon after that as can be.

        What is `at` the number of a record is done before it. Return when each was due (seconds since the epoch), or
        when it was handed over where it was due at once.
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
        """Wait until all of it is committed by round settlement. Raises: TooSlow."""
        self.reached(lambda: self._watch.settled(), lambda: self.produced)

    def reported(self) -> None:
        """Wait until reporting has every entry that followed. Raises: TooSlow."""
        self.reached(lambda: self._watch.reported(), lambda: self._watch.entries())

    def reached(self, now: Callable[[], int], wanted: Callable[[], int]) -> None:
        """Wait until one number has reached another. Raises: TooSlow where it stands still."""
        before, since = -1, time.monotonic()
        while (reached := now()) < (goal := wanted()):
            self._publisher.poll()
            if reached != before:
                before, since = reached, time.monotonic()
            elif time.monotonic() - since > _STALLED_SECONDS:
                raise TooSlow(f"{reached} of {goal} records, and none more in {_STALLED_SECONDS:.0f} s")
            time.sleep(POLL_SECONDS)
