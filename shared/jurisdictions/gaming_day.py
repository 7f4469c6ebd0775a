"""The gaming day that contains a moment, in local time; every service uses this function.

A gaming day begins at the first moment at which the clock shows its date and the starting time, or a later time. If a
clock change skips the starting time, it begins with the change; if the clock shows it twice, it begins the first time.
It ends when the next gaming day begins. So each moment lies in exactly one gaming day, and a gaming day with a clock
change is an hour shorter or longer.
"""

from bisect import bisect_left
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

_DAY: Final = timedelta(days=1)
_SECOND: Final = timedelta(seconds=1)


def gaming_day(moment: datetime, zone: ZoneInfo, begins: time) -> date:
    """Return the gaming day of a moment (which has an offset), as the date on which that gaming day begins.

    >>> new_york = ZoneInfo("America/New_York")
    >>> str(gaming_day(datetime(2026, 7, 4, 9, 59, tzinfo=UTC), new_york, time(6)))
    '2026-07-03'
    >>> str(gaming_day(datetime(2026, 7, 4, 10, 0, tzinfo=UTC), new_york, time(6)))
    '2026-07-04'
    """
    on_the_clock = moment.astimezone(zone).date()
    # A clock that is put back over midnight shows the previous date, although that gaming day has ended.
    day = on_the_clock + _DAY
    for _ in range(3):
        if begins_at(day, zone, begins) <= moment:
            return day
        day -= _DAY
    return day


def begins_at(day: date, zone: ZoneInfo, begins: time) -> datetime:
    """Return the moment (UTC) at which a gaming day begins.

    >>> new_york = ZoneInfo("America/New_York")
    >>> begins_at(date(2026, 3, 8), new_york, time(2, 30)).isoformat()  # the clock goes from 02:00 to 03:00
    '2026-03-08T07:00:00+00:00'
    >>> begins_at(date(2026, 11, 1), new_york, time(1, 30)).isoformat()  # and from 02:00 back to 01:00
    '2026-11-01T05:30:00+00:00'
    """
    start = datetime.combine(day, begins.replace(fold=0))
    found = start.replace(tzinfo=zone).astimezone(UTC)
    if _clock(found, zone) == start:
        return found
    # The clock never shows `start`: it is put forward, on a whole second, between `before` and `found`.
    before = start.replace(tzinfo=zone, fold=1, microsecond=0).astimezone(UTC)
    seconds = range((found - before) // _SECOND + 1)
    return before + _SECOND * bisect_left(seconds, True, key=lambda n: _clock(before + _SECOND * n, zone) >= start)


def _clock(moment: datetime, zone: ZoneInfo) -> datetime:
    """Return the local time in a zone."""
    return moment.astimezone(zone).replace(tzinfo=None, fold=0)
