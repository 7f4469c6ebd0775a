"""Which gaming day the demo plays."""

from datetime import date, datetime, timedelta

from loadtest.floor import TIME_ZONE, opening


def gaming_day_of(now: datetime) -> date:
    """Return the gaming day that ended last: the demo closes it, and none is closed while it runs."""
    day = now.astimezone(TIME_ZONE).date()
    running = day - timedelta(days=now < opening(day))
    return running - timedelta(days=1)
