"""Up to when all journals have been read."""

import math
from datetime import datetime, timedelta

from shared.runtime.service.context import ServiceContext


def all_read_until(context: ServiceContext) -> datetime | None:
    """Return the moment up to which what was recorded has been read; None while that is not known.

    A relay takes a while, for which the settings allow, and a backlog takes longer.
    """
    behind_seconds = context.behind_seconds()
    if math.isinf(behind_seconds):
        return None
    return context.clock() - timedelta(seconds=context.settings.reports_delay_seconds + behind_seconds)
