"""Up to when all journals have been read, by whichever processes of the service read them."""

from datetime import datetime, timedelta
from typing import Final

from services.reporting.tables import read_until
from shared.runtime.process.read_progress import ReadProgress
from shared.runtime.service.service_context import ServiceContext

PROGRESS: Final = ReadProgress(read_until)


async def all_read_until(context: ServiceContext) -> datetime | None:
    """Return the moment up to which what was recorded has been read; None while that is not known of some partition.

    A partition that nobody reads holds everything up. A relay takes a while, for which the settings allow, and a
    backlog takes longer.
    """
    known = await PROGRESS.read(context)
    read = [until for until in known.values() if until is not None]
    if not read or len(read) < len(known):
        return None
    return min(read) - timedelta(seconds=context.settings.reports_delay_seconds)
