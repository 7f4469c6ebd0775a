"""Reads counts of drop boxes: what is under seal, how far it has come, and what was found."""

from datetime import date
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.boxes import Box, BoxKey, BoxProgress, CountDocument
from services.table_inventory.queries.windows import boxes_of_day
from services.table_inventory.tables import counted_boxes, drop_counts, sealed_counts
from shared.contracts.counts import BoxFigures, BoxTurn, CountConcluded, CountedBox, CountOpened
from shared.contracts.rejection import Reason, Rejected


async def find_count(connection: AsyncConnection, property_name: str, count: int) -> Any:
    """Return the row of a count. Raises: Rejected where there is none."""
    c = drop_counts.c
    query = select(drop_counts).where(c.property == property_name, c.count == count)
    row = (await connection.execute(query)).one_or_none()
    if row is None:
        raise Rejected(Reason.NOT_FOUND, f"there is no count {count} at {property_name}")
    return row


def opened(row: Any) -> dict[str, Any]:
    """Return the fields with which a count was opened."""
    return {name: row._mapping[name] for name in CountOpened.model_fields}


async def running_count(connection: AsyncConnection, property_name: str, gaming_day: date) -> int | None:
    """Return the number of the count of a gaming day that is not concluded, if there is one."""
    c = drop_counts.c
    running = (c.property == property_name) & (c.gaming_day == gaming_day) & c.concluded_at.is_(None)
    number: int | None = (await connection.execute(select(c.count).where(running))).scalar_one_or_none()
    return number


async def uncounted_boxes(connection: AsyncConnection, property_name: str, gaming_day: date) -> list[Box]:
    """Return the boxes of a gaming day that are not in a concluded count."""
    return [box for box in await boxes_of_day(connection, property_name, gaming_day) if box.count is None]


async def sealed_turns(connection: AsyncConnection, property_name: str, count: int) -> dict[BoxKey, list[BoxTurn]]:
    """Return what people found in the boxes of a count, in the order in which they counted each."""
    s = sealed_counts.c
    query = select(s.table, s.exchange, s.turn, s.counted_by, s.salt, s.figures)
    found: dict[BoxKey, list[BoxTurn]] = {}
    for table, exchange, turn, counted_by, salt, figures in await connection.execute(
        query.where(s.property == property_name, s.count == count).order_by(s.turn)
    ):
        sealed = BoxTurn(turn=turn, counted_by=counted_by, salt=salt, figures=figures)
        found.setdefault((table, exchange), []).append(sealed)
    return found


async def read_count(connection: AsyncConnection, property_name: str, count: int) -> CountDocument:
    """Return a count as it may be seen: progress while it is open, figures once it is concluded. Raises: Rejected."""
    row = await find_count(connection, property_name, count)
    if row.concluded_at is not None:
        boxes = tuple(await _counted(connection, property_name, count))
        concluded = CountConcluded(**row._mapping, boxes=boxes)
        progress = tuple(BoxProgress.of(box, box.turns) for box in boxes)
        return CountDocument(**opened(row), status="concluded", boxes=progress, concluded=concluded)
    turns = await sealed_turns(connection, property_name, count)
    waiting = await uncounted_boxes(connection, property_name, row.gaming_day)
    return CountDocument(**opened(row), boxes=tuple(BoxProgress.of(box, turns.get(box.key, ())) for box in waiting))


async def _counted(connection: AsyncConnection, property_name: str, count: int) -> list[CountedBox]:
    c = counted_boxes.c
    columns = [c[name] for name in CountedBox.model_fields]
    query = select(*columns).where(c.property == property_name, c.count == count)
    return [CountedBox(**row._mapping) for row in await connection.execute(query.order_by(c.table, c.exchange))]


async def counters_of_day(connection: AsyncConnection, property_name: str, gaming_day: date) -> set[str]:
    """Return everybody who counted a box of a gaming day, or opened or concluded the count."""
    c, s = drop_counts.c, sealed_counts.c
    of_day = (c.property == property_name) & (c.gaming_day == gaming_day)
    people = await connection.execute(select(c.opened_by, c.concluded_by).where(of_day))
    found = {name for row in people for name in row if name is not None}
    turns = select(s.counted_by).join(drop_counts, (c.property == s.property) & (c.count == s.count)).where(of_day)
    return found | set((await connection.execute(turns)).scalars())


async def dropped_checks(
    connection: AsyncConnection, property_name: str, gaming_day: date
) -> set[tuple[str, str, int]]:
    """Return the counter checks in the counted boxes of a gaming day: (table, serial, cents)."""
    c = counted_boxes.c
    query = select(c.table, c.figures).where(c.property == property_name, c.gaming_day == gaming_day)
    return {
        (table, check.serial, check.cents)
        for table, figures in await connection.execute(query)
        for check in BoxFigures.model_validate(figures).counter_checks
    }
