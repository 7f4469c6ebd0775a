"""Read the data needed to record events: earlier movements, checks, boxes, and closing times of rounds."""

from collections.abc import Collection
from datetime import datetime
from typing import Final

from sqlalchemy import select, text, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.pit import BoxName, TableKey
from services.table_inventory.tables import counter_checks, counts, movements
from shared.contracts.settlements import RoundKey
from shared.journal import bulk
from shared.rules.errors import Refused
from shared.runtime.rows import rows_of

_MOVED: Final = bulk.select(movements, by=TableKey._fields, where=movements.c.cause != "round")
_CHECKS: Final = bulk.select(counter_checks, by=("property", "serial"))
_ON_TABLES: Final = text("""
    SELECT b.property, b.placed_box, b."table"
    FROM unnest(CAST(:properties AS text[]), CAST(:boxes AS text[])) w (property, box)
    JOIN table_inventory.boxes b ON b.property = w.property AND b.placed_box = w.box
    WHERE NOT EXISTS (
        SELECT FROM table_inventory.boxes q
        WHERE q.property = b.property AND q."table" = b."table"
          AND (q.removed_at, q.exchange) > (b.removed_at, b.exchange))""")
_LOCK: Final = text("""
    SELECT pg_advisory_xact_lock(hashtextextended(concat_ws(' ', 'table_inventory.boxes', w.property, w.box), 0))
    FROM unnest(CAST(:properties AS text[]), CAST(:boxes AS text[])) w (property, box)""")
_ROUNDS: Final = bulk.select(movements, by=("property", "table", "ref", "revision"), where=movements.c.rounds == 1)


async def first_books(
    connection: AsyncConnection, tables: Collection[TableKey]
) -> dict[TableKey, list[tuple[datetime, int]]]:
    """Return the movements other than rounds, as (time, cents), of each given table that was never counted."""
    if not tables:
        return {}
    c = counts.c
    counted = select(c.property, c.table).where(tuple_(c.property, c.table).in_(sorted(tables))).distinct()
    new = set(tables) - {TableKey(*row) for row in await connection.execute(counted)}
    books: dict[TableKey, list[tuple[datetime, int]]] = {key: [] for key in new}
    for row in await _MOVED.read(connection, bulk.keyed(_MOVED, sorted(new))):
        books[TableKey(row.property, row.table)].append((row.at, row.cents))
    return books


async def known_checks(connection: AsyncConnection, wanted: Collection[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the given counter checks that exist, as (property, serial number)."""
    if not wanted:
        return set()
    rows = await _CHECKS.read(connection, bulk.keyed(_CHECKS, sorted(wanted)))
    return {(row.property, row.serial) for row in rows}


async def boxes_on_tables(connection: AsyncConnection, wanted: Collection[BoxName]) -> dict[BoxName, set[str]]:
    """Return the tables on which each drop box is according to the tables' last exchanges, by box."""
    found: dict[BoxName, set[str]] = {}
    if wanted:
        for row in await connection.execute(_ON_TABLES, _named(wanted)):
            found.setdefault((row.property, row.placed_box), set()).add(row.table)
    return found


async def require_on_one_table(connection: AsyncConnection, placed: Collection[BoxName]) -> None:
    """Lock newly placed drop boxes until the transaction ends, and check that each is on one table.

    Raises: Refused if another process has placed one of them on another table meanwhile.
    """
    if not placed:
        return
    await connection.execute(_LOCK, _named(placed))
    for (_, box), tables in sorted((await boxes_on_tables(connection, placed)).items()):
        if len(tables) > 1:
            raise Refused(f"box {box} is on {' and '.join(sorted(tables))}: it cannot be on two tables")


def _named(boxes: Collection[BoxName]) -> dict[str, list[str]]:
    in_order = sorted(boxes)
    return {"properties": [name for name, _ in in_order], "boxes": [box for _, box in in_order]}


async def closed_rounds(connection: AsyncConnection, keys: Collection[RoundKey]) -> dict[RoundKey, datetime]:
    """Return the closing times of those given rounds whose win was recorded, by round."""
    if not keys:
        return {}
    rows = await _ROUNDS.read(connection, bulk.keyed(_ROUNDS, sorted(keys)))
    return {RoundKey(row.property, row.table, row.ref, row.revision): row.at for row in rows}


async def last_closed_at(connection: AsyncConnection, property_name: str, table: str, round_id: str) -> datetime | None:
    """Return the closing time of the last revision of a round whose win was recorded; None if none was."""
    found = rows_of(movements, property=property_name, table=table, ref=round_id, cause="round", rounds=1)
    last = found.with_only_columns(movements.c.at).order_by(movements.c.revision.desc()).limit(1)
    return (await connection.execute(last)).scalar_one_or_none()
