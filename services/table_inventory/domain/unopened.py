"""Play at a closed table. No win includes it, so that the gaming day cannot be closed until it is corrected."""

from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from pydantic import AwareDatetime, BaseModel

from services.table_inventory.domain.sessions import TICK, Clock, Sessions
from shared.contracts.property_snapshot import clock_text

_DAY: Final = timedelta(days=1)


class Unopened(BaseModel):
    """Play at a closed table: counts by kind, and the time of the first event.

    Sales of chips are not included, because the gaming day already misses an `opener` if chips were sold.
    """

    table: str
    since: AwareDatetime
    rounds: int = 0
    results: int = 0
    coupons: int = 0
    changes: int = 0
    waivers: int = 0

    def in_words(self, zone: ZoneInfo) -> str:
        """Return the play as text, with times in the time zone of the property."""
        counted = [(self.rounds, "round"), (self.results, "result"), (self.coupons, "coupon")]
        counted += [(self.changes, "change of chips"), (self.waivers, "waiver of vigorish")]
        since = clock_text(self.since, zone)
        return f"{_listed(counted)} at {self.table} since {since}, and nobody had opened it"


def _listed(counted: Iterable[tuple[int, str]]) -> str:
    """Return the non-zero counts as text.

    >>> _listed([(2, "round"), (0, "coupon"), (1, "change of chips")])
    '2 rounds, 1 change of chips'
    """
    words = []
    for number, name in counted:
        first, _, rest = name.partition(" ")
        plural = f"{first}{'' if number == 1 else 's'} {rest}".strip()
        words += [f"{number} {plural}"] if number else []
    return ", ".join(words)


class ClosedTime(NamedTuple):
    """A period of a gaming day in which a table was closed, from `after` (exclusive) to `until` (inclusive)."""

    table: str
    after: datetime
    until: datetime


def closed_times(clock: Clock, day: date, sessions: Iterable[Sessions]) -> Iterator[ClosedTime]:
    """Yield the periods of a gaming day in which tables were closed, table by table."""
    first, last = clock.begins_at(day) - TICK, clock.begins_at(day + _DAY) - TICK
    for one in sessions:
        for window in one.windows:
            ends = window.until if window.end is None else window.end.at
            after, until = max(first, window.since or first), min(last, ends or last)
            if not window.play and after < until:
                yield ClosedTime(one.table, after, until)
