"""The gaming day that the demo plays."""

from datetime import date, datetime, timedelta

from loadtest.floor.floor_day import TIME_ZONE, opening


def gaming_day_of(now: datetime) -> date:
    """Return the last complete gaming day, because the demo closes its day, and the current day cannot be closed."""
    day = now.astimezone(TIME_ZONE).date()
    running = day - timedelta(days=now < opening(day))
    return running - timedelta(days=1)
