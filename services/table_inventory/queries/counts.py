"""Read counts of drop boxes: sealed turns, progress, and results."""

from datetime import date
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Row, collate, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.boxes import (
    Box,
    BoxFound,
    BoxKey,
    BoxProgress,
    CountDocument,
    awaited,
    commitment_of,
)
from services.table_inventory.domain.provisions import Provisions
from services.table_inventory.queries.places import find_place
from services.table_inventory.queries.windows import Span, boxes_between
from services.table_inventory.tables import boxes, commitments, counted_boxes, drop_counts, journal, sealed_counts
from shared.contracts.catalog import decode_fact
from shared.contracts.counts import BoxTurn, CountConcluded, CountedBox, CountSealed
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.journal.entry import is_as_hashed
from shared.journal.reading import read_places
from shared.runtime.differences import ComparedTable, compare_rows
from shared.runtime.reference_search import FOUND_MAX
from shared.runtime.rows import find_row, rows_of, thing_of, things_of


async def removals_of(connection: AsyncConnection, property_name: str, box: str) -> list[BoxFound]:
    """Return the latest removals of a drop box from tables; `box` is its number, ignoring case."""
    number = func.lower(collate(boxes.c.box, "C"))
    query = rows_of(boxes, property=property_name).where(number == box.lower())
    return await things_of(BoxFound, connection, query.order_by(boxes.c.removed_at.desc()).limit(FOUND_MAX))


async def find_count(connection: AsyncConnection, property_name: str, count: int) -> Row[Any]:
    """Return the row of a count. Raises: Rejected if it does not exist."""
    missing = f"there is no count {count} at {property_name}"
    return await find_row(connection, drop_counts, missing, property=property_name, count=count)


async def uncounted_boxes(connection: AsyncConnection, place: PropertySnapshot, gaming_day: date) -> list[Box]:
    """Return the boxes of a gaming day that are not in a concluded count, including written-off ones.

    A written-off box can be counted if it is found, but a count need not include it (`is_done`).
    """
    asked = Span(place, gaming_day, gaming_day).asked(place.document.property, None)
    boxes = (box for found in (await boxes_between(connection, asked)).values() for box in found)
    return [box for box in boxes if box.gaming_day == gaming_day and box.currency_cents is None]


async def sealed_turns(connection: AsyncConnection, property_name: str, count: int) -> dict[BoxKey, list[BoxTurn]]:
    """Return the turns of a count by box, in order.

    Raises: Rejected if the sealed figures do not match their commitments.
    """
    query = rows_of(sealed_counts, property=property_name, count=count).order_by(sealed_counts.c.turn)
    found: dict[BoxKey, list[BoxTurn]] = {}
    sealed: set[tuple[Any, ...]] = set()
    for row in await connection.execute(query):
        turn = _under_seal(row)
        if turn is not None:
            found.setdefault((row.table, row.exchange), []).append(turn)
        sealed.add((row.table, row.exchange, row.turn, row.counted_by, _commitment(turn)))
    differing = sealed ^ await _committed(connection, property_name, count)
    if differing:
        table, exchange, turn_number, *_ = min(differing)
        detail = (
            f"count {count}: turn {turn_number} of the box of exchange {exchange} at {table} was altered under seal"
        )
        raise Rejected(Reason.NOT_AS_RECORDED, detail)
    return found


def _under_seal(row: Row[Any]) -> BoxTurn | None:
    """Return the sealed turn of a row; None if the row is invalid, so that the service cannot have written it."""
    try:
        return thing_of(BoxTurn, row)
    except ValidationError:
        return None


def _commitment(turn: BoxTurn | None) -> str:
    """Return the commitment to a turn's figures; empty for an invalid turn."""
    return "" if turn is None else commitment_of(turn.figures, turn.salt)


async def _committed(connection: AsyncConnection, property_name: str, count: int) -> set[tuple[Any, ...]]:
    """Return the commitments in the journal: (table, exchange, turn, person, commitment)."""
    rows = await connection.execute(rows_of(commitments, property=property_name, count=count))
    places = {(row.shard, row.seq) for row in rows}
    found: set[tuple[Any, ...]] = set()
    async for name, entry in read_places(connection, journal, places):
        fact = decode_fact(entry.draft.kind, entry.draft.data)
        if is_as_hashed(entry, name) and isinstance(fact, CountSealed) and fact.count == count:
            found.add((fact.table, fact.exchange, fact.turn, fact.counted_by, fact.commitment))
    return found


async def compare_sealed_counts(connection: AsyncConnection) -> ComparedTable:
    """Compare the sealed figures of all counts with their commitments."""
    key = [column.name for column in sealed_counts.primary_key]
    was: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in await connection.execute(select(sealed_counts)):
        said = {"counted_by": row.counted_by, "commitment": _commitment(_under_seal(row))}
        was[tuple(row._mapping[name] for name in key)] = said
    should_be = {
        tuple(row._mapping[name] for name in key): {"counted_by": row.counted_by, "commitment": row.commitment}
        for row in await connection.execute(select(commitments))
    }
    return compare_rows(sealed_counts.name, key, was, should_be)


async def read_count(connection: AsyncConnection, property_name: str, count: int) -> CountDocument:
    """Return a count for display: its progress while it is open, its figures once it is concluded.

    Raises: Rejected if the count does not exist, or if its sealed figures do not match their commitments.
    """
    row = await find_count(connection, property_name, count)
    place = await find_place(connection, property_name, row.gaming_day)
    counters = Provisions.of(place, row.gaming_day).counters
    if row.concluded_at is None:
        turns = await sealed_turns(connection, property_name, count)
        waiting = awaited(await uncounted_boxes(connection, place, row.gaming_day), turns)
        progress = [BoxProgress.of(box, turns.get(box.key, ()), counters) for box in waiting]
        return thing_of(CountDocument, row, boxes=progress)
    c = counted_boxes.c
    query = rows_of(counted_boxes, property=property_name, count=count).order_by(c.table, c.exchange)
    boxes = await things_of(CountedBox, connection, query)
    progress = [BoxProgress.of(box, box.turns, counters) for box in boxes]
    concluded = thing_of(CountConcluded, row, boxes=boxes)
    return thing_of(CountDocument, row, status="concluded", boxes=progress, concluded=concluded)


async def counters_of_day(connection: AsyncConnection, property_name: str, gaming_day: date) -> set[str]:
    """Return all people who counted a box of a gaming day, or who opened or concluded one of its counts."""
    c, s = drop_counts.c, sealed_counts.c
    of_day = (c.property == property_name) & (c.gaming_day == gaming_day)
    people = await connection.execute(select(c.opened_by, c.concluded_by).where(of_day))
    turns = select(s.counted_by).join(drop_counts, (c.property == s.property) & (c.count == s.count)).where(of_day)
    found = {name for row in people for name in row if name is not None}
    return found | set((await connection.execute(turns)).scalars())
