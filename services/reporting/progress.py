"""Up to when all journals have been read, by whichever processes of the service read them."""

import math
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import func, select

from services.reporting.tables import read_until
from shared.journal.bulk import excluded, insert
from shared.runtime.database import reading
from shared.runtime.service.context import ServiceContext
from shared.runtime.service.periodic import every

_NOTE: Final = insert(read_until, on_conflict={"until": func.greatest(read_until.c.until, excluded(read_until).until)})
"""Of a partition that changes hands, what one process has read stays read."""


_SECONDS: Final = 1.0


async def watch(context: ServiceContext) -> None:
    """Note how far this process has read until cancelled, for whichever process goes on with the days that are over."""
    await every(_SECONDS, lambda: note_read(context), "what has been read is not noted")


async def note_read(context: ServiceContext) -> None:
    """Note in the database how far the partitions are that this process reads, and which others their topics have."""
    now = context.clock()
    known = [
        {
            "topic": topic,
            "partition": partition,
            "until": None if math.isinf(seconds) else now - timedelta(seconds=seconds),
        }
        for (topic, partition), seconds in sorted(context.behind().items())
    ]
    async with context.pools.background.begin() as connection:
        await _NOTE.write(connection, known)


async def all_read_until(context: ServiceContext) -> datetime | None:
    """Return the moment up to which what was recorded has been read; None while that is not known of some partition.

    A partition that nobody reads holds everything up. A relay takes a while, for which the settings allow, and a
    backlog takes longer.
    """
    found = select(func.min(read_until.c.until), func.count(), func.count(read_until.c.until))
    async with reading(context.pools.background) as connection:
        until, partitions, read = (await connection.execute(found)).one()
    if not partitions or read < partitions:
        return None
    moment: datetime = until - timedelta(seconds=context.settings.reports_delay_seconds)
    return moment
