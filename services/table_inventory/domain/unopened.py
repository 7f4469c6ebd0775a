"""What was played at a table while nobody had it open: it is in no win, so a gaming day is not closed before it is."""

from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from pydantic import AwareDatetime, BaseModel

from services.table_inventory.domain.sessions import TICK, Clock, Sessions

_DAY: Final = timedelta(days=1)


class Unopened(BaseModel):
    """What was played at a table that was closed: how many of each, and the moment of the first.

    Chips that were sold then are no part of it: of them the day lacks an `opener`.
    """

    table: str
    since: AwareDatetime
    rounds: int = 0
    coupons: int = 0
    changes: int = 0
    waivers: int = 0

    def in_words(self, zone: ZoneInfo) -> str:
        """Return it in words, by the clock of its property."""
        counted = [(self.rounds, "round"), (self.coupons, "coupon"), (self.changes, "change of chips")]
        counted.append((self.waivers, "waiver of vigorish"))
        since = self.since.astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")
        return f"{_listed(counted)} at {self.table} since {since}, and nobody had opened it"


def _listed(counted: Iterable[tuple[int, str]]) -> str:
    """Return what there is any of, in words.

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
    """A time of a gaming day in which a table was closed: after one moment, up to and with another."""

    table: str
    after: datetime
    until: datetime


def closed_times(clock: Clock, day: date, sessions: Iterable[Sessions]) -> Iterator[ClosedTime]:
    """Return the times of a gaming day in which tables were closed, of those of which anything is on record."""
    first, last = clock.begins_at(day) - TICK, clock.begins_at(day + _DAY) - TICK
    for one in sessions:
        for window in one.windows:
            ends = window.until if window.end is None else window.end.at
            after, until = max(first, window.since or first), min(last, ends or last)
            if not window.play and after < until:
                yield ClosedTime(one.table, after, until)
