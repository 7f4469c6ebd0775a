"""The query for a report: property, gaming days, and as-of time. Pure."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime

from services.reporting.framework.document import Period
from shared.jurisdictions import GamingPack, period_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportQuery:
    """A query for a report about the gaming days from `first` to `last`, inclusive.

    `known_at` is the as-of time; `by` is the person who queries.
    """

    property: str
    period: Period
    first: date
    last: date
    known_at: datetime
    by: str
    table: str | None = None
    game: str | None = None


def is_long(question: ReportQuery) -> bool:
    """Return whether the period is longer than a week, so that long lists contain only items that need attention."""
    return question.period not in ("day", "week")


def first_days(law: GamingPack, day: date) -> dict[str, date]:
    """Return the first day of each period to date that ends on `day`, keyed by `day`, `week_to_date`, etc."""
    periods: tuple[Period, ...] = ("week", "month", "year")
    return {"day": day, **{f"{period}_to_date": period_of(law, period, day)[0] for period in periods}}


def year_before(day: date) -> date:
    """Return the same date in the previous year; for February 29, February 28.

    >>> year_before(date(2028, 2, 29)).isoformat()
    '2027-02-28'
    """
    last = monthrange(day.year - 1, day.month)[1]
    return day.replace(year=day.year - 1, day=min(day.day, last))
