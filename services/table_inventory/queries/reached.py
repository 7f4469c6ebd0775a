"""Reads how far the settlements have been read."""

from typing import Final

from pydantic import BaseModel
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.tables import journal
from shared.contracts.topics import SETTLEMENTS


class Reached(BaseModel):
    """How far a shard of the settlement journal has been read, and how many entries before that have not come."""

    service: str
    shard: int
    seq: int
    missing: int


_PREFIX: Final = f"/{SETTLEMENTS.publisher}/shards/"


async def read_reached(connection: AsyncConnection) -> list[Reached]:
    """Return how far the settlements have been read, shard by shard."""
    s, g = journal.sources.c, journal.gaps.c
    missing = func.coalesce(func.sum(g.last - g.first + 1), 0)
    query = (
        select(s.source, s.last_sequence, missing)
        .join_from(journal.sources, journal.gaps, s.source == g.source, isouter=True)
        .where(s.source.startswith(_PREFIX))
        .group_by(s.source, s.last_sequence)
    )
    found = [
        Reached(service=str(SETTLEMENTS.publisher), shard=int(source.removeprefix(_PREFIX)), seq=seq, missing=gap)
        for source, seq, gap in await connection.execute(query)
    ]
    return sorted(found, key=lambda one: one.shard)
