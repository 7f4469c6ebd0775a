"""The period of a return or report that contains a gaming day, its fiscal year, and lists of days. Pure."""

from calendar import monthrange
from datetime import date, timedelta
from itertools import takewhile
from typing import Final, Literal, TypeAlias, get_args

from shared.jurisdictions.model import GamingPack, Weekday

PeriodKind = Literal["day", "week", "month", "quarter", "year"]
"""The kind of period that a return or report covers."""

Days: TypeAlias = tuple[date, date]
"""The first and the last gaming day of a period."""

_WEEKDAYS: Final[tuple[Weekday, ...]] = get_args(Weekday)
_DAY: Final = timedelta(days=1)


def period_of(pack: GamingPack, kind: PeriodKind, day: date) -> Days:
    """Return the first and the last gaming day of the period that contains a gaming day.

    Each day lies in exactly one week. A week lasts until the next one begins, so it is shorter or longer if law changes
    the weekday on which weeks begin. The first week begins with the first day for which the pack has that weekday.

    Raises: LookupError for a week if the day is before that first day.
    """
    match kind:
        case "day":
            return day, day
        case "week":
            return _week(pack, day)
        case "month":
            return _months(day.replace(day=1), 1)
        case "quarter":
            return _months(day.replace(month=day.month - (day.month - 1) % 3, day=1), 3)
        case "year":
            return _months(day.replace(month=1, day=1), 12)


def fiscal_year_of(pack: GamingPack, day: date) -> int:
    """Return the fiscal year of a gaming day: the calendar year in which it ends."""
    begins = pack.periods.fiscal_year_begins
    return day.year + (begins is not None and 1 < begins.on(day).value <= day.month)


def fiscal_year_begin(pack: GamingPack, day: date) -> date:
    """Return the first day of the fiscal year of a gaming day."""
    begins = pack.periods.fiscal_year_begins
    month = 1 if begins is None else begins.on(day).value
    return date(day.year - (day.month < month), month, 1)


def month_before(month: date, months: int) -> date:
    """Return the first day of the month that is `months` before the month of a day (negative: after that month).

    >>> month_before(date(2026, 2, 20), 3).isoformat(), month_before(date(2026, 11, 1), -3).isoformat()
    ('2025-11-01', '2027-02-01')
    """
    at = month.year * 12 + month.month - 1 - months
    return date(at // 12, at % 12 + 1, 1)


def days_of(first: date, last: date) -> tuple[date, ...]:
    """Return the days from the first to the last, both included.

    >>> [day.isoformat() for day in days_of(date(2026, 2, 28), date(2026, 3, 1))]
    ['2026-02-28', '2026-03-01']
    """
    return tuple(first + _DAY * n for n in range((last - first).days + 1))


def _months(first: date, months: int) -> Days:
    last = first.replace(month=first.month + months - 1)
    return first, last.replace(day=monthrange(last.year, last.month)[1])


def _week(pack: GamingPack, day: date) -> Days:
    begins = pack.periods.week_begins
    begins.on(day)  # raises LookupError before the first known day
    known_from = begins.root[0].effective_from

    def begins_week(one: date) -> bool:
        return one == known_from or _WEEKDAYS[one.weekday()] == begins.on(one).value

    # Two weekdays are less than a week apart, so even with a change of law no week exceeds thirteen days.
    back = (day - _DAY * n for n in range(14))
    ahead = (day + _DAY * n for n in range(1, 15))
    first = next(one for one in back if begins_week(one))
    return first, [day, *takewhile(lambda one: not begins_week(one), ahead)][-1]
