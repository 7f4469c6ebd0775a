"""Read progress of topics across the processes of a service: each process stores its own in the database."""

import math
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

import structlog
from sqlalchemy import Table, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from shared.journal.bulk import Row, excluded, insert, replaced
from shared.journal.signed_rows import not_signed, signed_rows
from shared.runtime.background.periodic import every
from shared.runtime.database import reading, seals_of
from shared.runtime.service.service_context import ServiceContext

log = structlog.get_logger()

_SECONDS: Final = 5.0


class ReadProgress:
    """Stores the read progress in a signed table: the time up to which each partition of a topic is read (`until`)."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._all = select(table)
        self._note = insert(table, on_conflict=replaced(table), where=excluded(table).until.is_not(None))

    async def watch(self, context: ServiceContext) -> None:
        """Store this process's read progress periodically until cancelled."""
        await every(_SECONDS, lambda: self.note(context), "recording of read positions")

    async def note(self, context: ServiceContext) -> None:
        """Store the progress of this process's partitions, and add rows for the topics' other partitions."""
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
            further = await self._read_further(connection, known)
            known = [one for one in known if (one["topic"], one["partition"]) not in further]
            await self._note.write(connection, signed_rows(seals_of(connection), self._table, known))

    async def _read_further(self, connection: AsyncConnection, known: Sequence[Row]) -> set[tuple[str, int]]:
        """Return the partitions whose stored progress is later than this process's.

        Their rows are not overwritten, so that a previous reader's progress counts until the new reader has caught up.
        """
        noted = {(row["topic"], row["partition"]): row for row in (await connection.execute(self._all)).mappings()}
        further = set()
        for one in known:
            place = one["topic"], one["partition"]
            row = noted.get(place)
            if row is None or row["until"] is None or (one["until"] is not None and row["until"] <= one["until"]):
                continue
            if not_signed(seals_of(connection), self._table, dict(row)) is None:
                further.add(place)
        return further

    async def read(self, context: ServiceContext, engine: AsyncEngine) -> Mapping[tuple[str, int], datetime | None]:
        """Return the time up to which each partition has been read; None if no process has stored a valid one.

        `engine` is the caller's connection pool: requests must not wait for connections of background work.
        Rows without a valid signature are ignored, because the partition's reader writes them again.
        """
        async with reading(engine) as connection:
            rows = (await connection.execute(self._all)).mappings().all()
        found: dict[tuple[str, int], datetime | None] = {}
        for row in rows:
            place = row["topic"], row["partition"]
            forged = not_signed(context.ledger.seals, self._table, dict(row))
            if forged is not None:
                log.error("read position invalid", topic=place[0], partition=place[1], error=forged)
            found[place] = None if forged is not None else row["until"]
        return found
