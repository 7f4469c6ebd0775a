"""What handlers need: slips as far as they have come, books of new tables, and when rounds had been closed."""

from collections.abc import Collection
from datetime import datetime
from typing import Final

from sqlalchemy import select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.pit import RoundKey, TableKey
from services.table_inventory.domain.slips import Slip, SlipKey
from services.table_inventory.tables import counts, movements, slips
from shared.journal import bulk

_SLIPS: Final = bulk.select(slips)
_MOVED: Final = bulk.select(movements, ("property", "table", "at", "cents", "cause"), by=TableKey._fields)
_ROUNDS: Final = bulk.select(
    movements, ("property", "table", "ref", "revision", "at", "rounds"), by=("property", "table", "ref", "revision")
)


async def find_slips(connection: AsyncConnection, keys: Collection[SlipKey]) -> dict[SlipKey, Slip]:
    """Return the slips of these names, as far as they have come."""
    if not keys:
        return {}
    rows = await _SLIPS.read(connection, bulk.keyed(_SLIPS, sorted(keys)))
    found = [Slip.of(row._mapping) for row in rows]
    return {slip.key: slip for slip in found}


async def first_books(
    connection: AsyncConnection, tables: Collection[TableKey]
) -> dict[TableKey, list[tuple[datetime, int]] | None]:
    """Return what moved at these tables, rounds aside, for those that were never counted."""
    if not tables:
        return {}
    c = counts.c
    counted = select(c.property, c.table).where(tuple_(c.property, c.table).in_(sorted(tables))).distinct()
    new = set(tables) - {TableKey(*row) for row in await connection.execute(counted)}
    books: dict[TableKey, list[tuple[datetime, int]]] = {key: [] for key in new}
    for row in await _MOVED.read(connection, bulk.keyed(_MOVED, sorted(new))):
        if row.cause != "round":
            books[TableKey(row.property, row.table)].append((row.at, row.cents))
    return {**books}


async def closed_rounds(connection: AsyncConnection, keys: Collection[RoundKey]) -> dict[RoundKey, datetime]:
    """Return when these rounds had been closed, for those that were counted."""
    if not keys:
        return {}
    rows = await _ROUNDS.read(connection, bulk.keyed(_ROUNDS, sorted(keys)))
    return {RoundKey(row.property, row.table, row.ref, row.revision): row.at for row in rows if row.rounds == 1}
