"""What is asked of a report: of which property, of which gaming days, as known at which moment. Pure."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from services.reporting.kit.document import Period


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The question that a report answers: about the gaming days from `first` to `last`, both included.

    `known_at` is the moment as of which it is answered; `by` is who asks.
    """

    property: str
    period: Period
    first: date
    last: date
    known_at: datetime
    by: str
    table: str | None = None
    game: str | None = None


def days_of(period: Period, day: date) -> tuple[date, date]:
    """Return the first and the last gaming day of the period that a day is in; weeks begin on Monday.

    >>> [each.isoformat() for each in days_of("week", date(2026, 11, 20))]
    ['2026-11-16', '2026-11-22']
    """
    match period:
        case "day":
            return day, day
        case "week":
            monday = day - timedelta(days=day.weekday())
            return monday, monday + timedelta(days=6)
        case "month":
            return day.replace(day=1), day.replace(day=monthrange(day.year, day.month)[1])
        case "year":
            return date(day.year, 1, 1), date(day.year, 12, 31)
