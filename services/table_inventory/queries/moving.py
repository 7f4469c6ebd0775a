"""Read what handlers need of what moved: the books of new tables, and when rounds had been closed."""

from collections.abc import Collection
from datetime import datetime
from typing import Final

from sqlalchemy import select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.pit import Books, TableKey
from services.table_inventory.tables import counts, movements
from shared.contracts.settlements import RoundKey
from shared.journal import bulk

_MOVED: Final = bulk.select(movements, by=TableKey._fields, where=movements.c.cause != "round")
_ROUNDS: Final = bulk.select(movements, by=("property", "table", "ref", "revision"), where=movements.c.rounds == 1)


async def first_books(connection: AsyncConnection, tables: Collection[TableKey]) -> Books:
    """Return what moved at these tables, rounds aside, for those that were never counted."""
    if not tables:
        return {}
    c = counts.c
    counted = select(c.property, c.table).where(tuple_(c.property, c.table).in_(sorted(tables))).distinct()
    new = set(tables) - {TableKey(*row) for row in await connection.execute(counted)}
    books: Books = {key: [] for key in new}
    for row in await _MOVED.read(connection, bulk.keyed(_MOVED, sorted(new))):
        books[TableKey(row.property, row.table)].append((row.at, row.cents))
    return books


async def closed_rounds(connection: AsyncConnection, keys: Collection[RoundKey]) -> dict[RoundKey, datetime]:
    """Return when these rounds had been closed, for those that were counted."""
    if not keys:
        return {}
    rows = await _ROUNDS.read(connection, bulk.keyed(_ROUNDS, sorted(keys)))
    return {RoundKey(row.property, row.table, row.ref, row.revision): row.at for row in rows}
