"""Results of comparing tables' meter readings with the ledger, by pool and hour. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple

from services.progressive_meters.domain.reconciling import ExceptionItem

HOUR: Final = timedelta(hours=1)
BEGINNING: Final = datetime(1, 1, 1, tzinfo=UTC)
END: Final = datetime(9999, 12, 31, tzinfo=UTC)


class HourKey(NamedTuple):
    """The key of a comparison result: an hour of a pool, within a gaming day."""

    pool: str
    gaming_day: date
    hour: datetime


@dataclass(frozen=True, slots=True)
class Compared:
    """The result of comparing the readings of one or more hours with the ledger.

    `readings` is the number of compared readings, and `different` has an exception for each reading that differs.
    `listed` has the number of movements, followed by their sums on each meter of HELD (nanocents).
    """

    readings: int = 0
    listed: tuple[int, int, int, int] = (0, 0, 0, 0)
    different: tuple[ExceptionItem, ...] = ()

    def __add__(self, other: "Compared") -> "Compared":
        of, more = self.listed, other.listed
        return Compared(
            self.readings + other.readings,
            (of[0] + more[0], of[1] + more[1], of[2] + more[2], of[3] + more[3]),
            self.different + other.different,
        )


@dataclass(frozen=True, slots=True)
class Span:
    """The hours of a pool from `begins` up to but not including `ends`."""

    pool: str
    begins: datetime
    ends: datetime

    def __contains__(self, hour: datetime) -> bool:
        return self.begins <= hour < self.ends


def hour_of(moment: datetime) -> datetime:
    """Return the beginning of a moment's hour, in UTC.

    >>> hour_of(datetime(2026, 11, 20, 12, 34, 56, tzinfo=UTC)).isoformat()
    '2026-11-20T12:00:00+00:00'
    """
    return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def outdated(pool: str, moved_at: datetime, rounds_at: Iterable[datetime]) -> Sequence[Span]:
    """Return the hours of a pool that must be compared again after a movement.

    A movement at `moved_at` changes the display from that hour on. Reversing or recounting a round also changes the
    round's own reading, in the hours of `rounds_at`.
    """
    begins = hour_of(moved_at)
    hours = {hour_of(one) for one in rounds_at}
    return [*(Span(pool, hour, hour + HOUR) for hour in sorted(hours) if hour < begins), Span(pool, begins, END)]
