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


def first_days(day: date) -> dict[str, date]:
    """Return the first day of each period to date that ends with a gaming day, and of the day itself.

    >>> {name: first.isoformat() for name, first in first_days(date(2026, 11, 20)).items()}
    {'day': '2026-11-20', 'week_to_date': '2026-11-16', 'month_to_date': '2026-11-01', 'year_to_date': '2026-01-01'}
    """
    periods: tuple[Period, ...] = ("week", "month", "year")
    return {"day": day, **{f"{period}_to_date": days_of(period, day)[0] for period in periods}}


def year_before(day: date) -> date:
    """Return the same day of the year before; of February 29, the day before it.

    >>> year_before(date(2028, 2, 29)).isoformat()
    '2027-02-28'
    """
    last = monthrange(day.year - 1, day.month)[1]
    return day.replace(year=day.year - 1, day=min(day.day, last))


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
