"""Read counts of drop boxes: what is under seal, how far it has come, and what was found."""

from datetime import date
from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.boxes import Box, BoxKey, BoxProgress, CountDocument
from services.table_inventory.queries.places import policy_on
from services.table_inventory.queries.windows import boxes_of_day
from services.table_inventory.tables import counted_boxes, drop_counts, sealed_counts
from shared.contracts.counts import BoxFigures, BoxTurn, CountConcluded, CountedBox
from shared.runtime.rows import find_row, rows_of, thing_of, things_of


async def find_count(connection: AsyncConnection, property_name: str, count: int) -> Row[Any]:
    """Return the row of a count. Raises: Rejected where there is none."""
    missing = f"there is no count {count} at {property_name}"
    return await find_row(connection, drop_counts, missing, property=property_name, count=count)


async def uncounted_boxes(connection: AsyncConnection, property_name: str, gaming_day: date) -> list[Box]:
    """Return the boxes of a gaming day that are not in a concluded count."""
    return [box for box in await boxes_of_day(connection, property_name, gaming_day) if box.count is None]


async def sealed_turns(connection: AsyncConnection, property_name: str, count: int) -> dict[BoxKey, list[BoxTurn]]:
    """Return what people found in the boxes of a count, in the order in which they counted each."""
    query = rows_of(sealed_counts, property=property_name, count=count).order_by(sealed_counts.c.turn)
    found: dict[BoxKey, list[BoxTurn]] = {}
    for row in await connection.execute(query):
        found.setdefault((row.table, row.exchange), []).append(thing_of(BoxTurn, row))
    return found


async def read_count(connection: AsyncConnection, property_name: str, count: int) -> CountDocument:
    """Return a count as it may be seen: progress while it is open, figures when it is concluded. Raises: Rejected."""
    row = await find_count(connection, property_name, count)
    counters = (await policy_on(connection, property_name, row.gaming_day)).counters
    if row.concluded_at is None:
        turns = await sealed_turns(connection, property_name, count)
        waiting = await uncounted_boxes(connection, property_name, row.gaming_day)
        progress = [BoxProgress.of(box, turns.get(box.key, ()), counters) for box in waiting]
        return thing_of(CountDocument, row, boxes=progress)
    c = counted_boxes.c
    query = rows_of(counted_boxes, property=property_name, count=count).order_by(c.table, c.exchange)
    boxes = await things_of(CountedBox, connection, query)
    progress = [BoxProgress.of(box, box.turns, counters) for box in boxes]
    concluded = thing_of(CountConcluded, row, boxes=boxes)
    return thing_of(CountDocument, row, status="concluded", boxes=progress, concluded=concluded)


async def counters_of_day(connection: AsyncConnection, property_name: str, gaming_day: date) -> set[str]:
    """Return everybody who counted a box of a gaming day, or opened or concluded the count."""
    c, s = drop_counts.c, sealed_counts.c
    of_day = (c.property == property_name) & (c.gaming_day == gaming_day)
    people = await connection.execute(select(c.opened_by, c.concluded_by).where(of_day))
    turns = select(s.counted_by).join(drop_counts, (c.property == s.property) & (c.count == s.count)).where(of_day)
    found = {name for row in people for name in row if name is not None}
    return found | set((await connection.execute(turns)).scalars())


async def dropped_checks(
    connection: AsyncConnection, property_name: str, gaming_day: date
) -> set[tuple[str, str, int]]:
    """Return the counter checks in the counted boxes of a gaming day: (table, serial, cents)."""
    rows = await connection.execute(rows_of(counted_boxes, property=property_name, gaming_day=gaming_day))
    return {
        (row.table, check.serial, check.cents)
        for row in rows
        for check in BoxFigures.model_validate(row.figures).counter_checks
    }
