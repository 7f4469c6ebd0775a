"""The time up to which all journals have been read, across the processes of the service."""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.ext.asyncio import AsyncEngine

from services.reporting.tables import read_until
from shared.runtime.process.read_progress import ReadProgress
from shared.runtime.service.service_context import ServiceContext

PROGRESS: Final = ReadProgress(read_until)


async def all_read_until(context: ServiceContext, engine: AsyncEngine) -> datetime | None:
    """Return the time up to which all recorded entries have been read; None if a partition's progress is unknown.

    The time does not advance while no process reads one of the partitions. The setting `reports_delay_seconds` is
    subtracted to allow for the usual delay of relays; a longer backlog of a relay is not detected.
    """
    known = await PROGRESS.read(context, engine)
    read = [until for until in known.values() if until is not None]
    if not read or len(read) < len(known):
        return None
    return min(read) - timedelta(seconds=context.settings.reports_delay_seconds)
