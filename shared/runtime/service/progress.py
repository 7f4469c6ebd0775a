"""Up to when topics have been read, by whichever processes of the service read them: each notes it in the database."""

import math
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Table, func, select

from shared.journal.bulk import excluded, insert
from shared.runtime.database import reading
from shared.runtime.service.context import ServiceContext
from shared.runtime.service.periodic import every

_SECONDS: Final = 1.0


class Progress:
    """Notes how far partitions are read in a table of the service: topic, partition, and `until`, the moment."""

    def __init__(self, table: Table) -> None:
        self._table = table
        # Of a partition that changes hands, what one process has read stays read.
        until = func.greatest(table.c.until, excluded(table).until)
        self._note = insert(table, on_conflict={"until": until})

    async def watch(self, context: ServiceContext) -> None:
        """Note how far this process has read until cancelled, for whichever process asks."""
        await every(_SECONDS, lambda: self.note(context), "what has been read is not noted")

    async def note(self, context: ServiceContext) -> None:
        """Note how far the partitions are that this process reads, and which others their topics have."""
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
            await self._note.write(connection, known)

    async def read(self, context: ServiceContext) -> Mapping[tuple[str, int], datetime | None]:
        """Return up to when each known partition has been read; None where no process has said so yet."""
        async with reading(context.pools.background) as connection:
            rows = await connection.execute(select(self._table))
            return {(row.topic, row.partition): row.until for row in rows}
