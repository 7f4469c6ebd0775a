"""Read the records that depend on pit events to be changed, and the opening balances of tables."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory import tables as t
from services.table_inventory.domain.dependents import Dependents, require_free
from services.table_inventory.domain.pit import Books, SlipStep, TableKey, slip_of
from services.table_inventory.queries.moving import first_books
from services.table_inventory.queries.slips import find_slips
from shared.contracts import pit
from shared.contracts.envelope import Event
from shared.contracts.inventory import PitRecorded
from shared.contracts.pit import CorrectedPitEvent, PitChange
from shared.runtime.ingest.pit_events import EventStanding, PitEventsKnown, PitPlace, place_of
from shared.runtime.rows import rows_of

_STEP: Final = text("""
    SELECT max(s.step) FROM table_inventory.check_steps s
    WHERE s.property = :property AND s.serial = :serial
      AND s.what IN ('redeemed', 'replaced', 'collection_begun', 'written_off') AND NOT EXISTS (
        SELECT FROM table_inventory.check_steps u
        WHERE u.property = s.property AND u.undoes = s.step AND u.what <> 'cleared')""")

_COUNT: Final = text("""
    SELECT max(c.count) FROM (
        SELECT property, "table", exchange, count FROM table_inventory.counted_boxes
        UNION ALL SELECT property, "table", exchange, count FROM table_inventory.commitments) c
    WHERE c.property = :property AND c."table" = :table AND c.exchange = :exchange""")

_WRITE_OFF: Final = text("""
    SELECT max(w.write_off) FROM table_inventory.write_offs w
    WHERE w.property = :property AND w."table" = :table AND w.exchange = :exchange AND w.status <> 'rejected'""")

_EXCHANGE: Final = text("""
    SELECT b.exchange FROM table_inventory.boxes b
    WHERE b.property = :property AND b."table" = :table AND b.box = :box AND b.removed_at <= :at
    ORDER BY b.removed_at DESC, b.exchange DESC LIMIT 1""")

_MOVED_UNTIL: Final = text("""
    SELECT w.at, coalesce(sum(v.cents) FILTER (WHERE v.cause <> 'round'), 0) AS cents
    FROM unnest(CAST(:moments AS timestamptz[])) w (at)
    LEFT JOIN LATERAL table_inventory.moved_between(:property, :table, '-infinity', w.at) v ON true
    GROUP BY w.at""")

_OF_COUNTS: Final = frozenset({"table.opened", "table.closed", "table.counted", "table.carried"})


async def read_dependents(
    connection: AsyncConnection, events: Iterable[Event[Any]], known: PitEventsKnown[PitRecorded]
) -> dict[PitPlace, Dependents]:
    """Return the records that depend on each changed event, by the position of the change."""
    found: dict[PitPlace, Dependents] = {}
    for event in events:
        standing = known.standing(event) if isinstance(event.data, PitChange) else None
        if standing is not None:
            depends = await _dependents(connection, standing.fact, standing.at)
            if isinstance(standing.fact.data, pit.ExchangedBox):
                depends = replace(depends, **await _boxes_beside(connection, standing.fact))
            found[place_of(event)] = depends
    return found


async def require_still_free(
    connection: AsyncConnection, change: PitChange, standing: EventStanding[PitRecorded]
) -> None:
    """Check again, in the transaction that records a change, that the change is possible.

    A concurrent command that depends on the event holds a lock on the event's row (`queries.holding`). The change waits
    for that command and then sees its result. Raises: Refused; the error names what must be undone first.
    """
    data = standing.fact.data
    slip = None
    if isinstance(data, SlipStep):
        slip = (await find_slips(connection, {slip_of(data)}))[slip_of(data)]
    instead = change.instead if isinstance(change, CorrectedPitEvent) else None
    found = await _dependents(connection, standing.fact, standing.at)
    require_free(change.sequence, data, instead, found, slip)


async def _dependents(connection: AsyncConnection, fact: PitRecorded, at: datetime) -> Dependents:
    data, table = fact.data, {"property": fact.property, "table": fact.table}

    async def one(statement: Any, **asked: Any) -> int | None:
        number: int | None = (await connection.execute(statement, asked)).scalar_one_or_none()
        return number

    async def resolved(variance: str, number: int) -> int | None:
        query = rows_of(t.variance_cases, **table, variance=variance, number=number)
        row = (await connection.execute(query)).one_or_none()
        return None if row is None else row.resolved_cents

    match data:
        case pit.CountedTable() | pit.CarriedTable():
            return Dependents(resolved_cents=await resolved("inventory", fact.sequence))
        case pit.ReceivedFill() | pit.CarriedCredit():
            slip = slip_of(data)
            return Dependents(resolved_cents=await resolved(slip.slip, slip.number))
        case pit.IssuedCounterCheck():
            return Dependents(step=await one(_STEP, property=fact.property, serial=data.serial))
        case pit.ExchangedBox() | pit.TransportedBox():
            exchange: int | None = fact.sequence
            if isinstance(data, pit.TransportedBox):
                exchange = await one(_EXCHANGE, **table, box=data.box, at=at)
            count, write_off = [await one(asked, **table, exchange=exchange) for asked in (_COUNT, _WRITE_OFF)]
            return Dependents(count=count, write_off=write_off)
        case _:
            return Dependents()


async def _boxes_beside(connection: AsyncConnection, fact: PitRecorded) -> dict[str, Any]:
    """Return the fields `is_last` and `box_before` of `Dependents` for a box exchange."""
    b = t.boxes.c
    rows = rows_of(t.boxes, property=fact.property, table=fact.table).order_by(b.removed_at.desc(), b.exchange.desc())
    last, *before = (await connection.execute(rows.limit(2))).all()
    if last.exchange != fact.sequence:
        return {"is_last": False}
    box = before[0].placed_box if before else None
    return {"box_before": None if box is None else (fact.property, box)}


async def read_books(
    connection: AsyncConnection, events: Sequence[Event[Any]], first: Collection[TableKey]
) -> dict[TableKey, Books]:
    """Return the books of tables that were never counted, and of tables with a count that the events change.

    `first` are the tables that may get their first count from these events. For a table with a changed count, the books
    have the opening balance, the earliest counts, and the movements until each of these counts.
    """
    changed: dict[TableKey, int] = defaultdict(int)
    moments: dict[TableKey, set[datetime]] = defaultdict(set)
    for event in events:
        data, key = event.data, TableKey(event.data.property, event.data.table)
        if isinstance(data, PitChange) and data.event in _OF_COUNTS:
            changed[key] += 1
        moments[key].add(data.at if isinstance(data, CorrectedPitEvent) else event.time)
    found = {key: Books(moved=moved) for key, moved in (await first_books(connection, {*first, *changed})).items()}
    for key, times in changed.items():
        if key not in found:
            found[key] = await _books(connection, key, times, moments[key])
    return found


async def _books(connection: AsyncConnection, key: TableKey, changes: int, moments: Collection[datetime]) -> Books:
    c, place = t.counts.c, key._asdict()
    rows = rows_of(t.counts, **place).order_by(c.at, c.sequence).limit(changes + 1)
    counts: Mapping[tuple[datetime, int], int] = {
        (row.at, row.sequence): row.cents for row in await connection.execute(rows)
    }
    asked = {"moments": sorted({*moments, *(at for at, _ in counts)})}
    moved = {row.at: int(row.cents) for row in await connection.execute(_MOVED_UNTIL, place | asked)}
    brought = (await connection.execute(rows_of(t.brought_forward, **place))).one_or_none()
    return Books(0 if brought is None else brought.cents, dict(counts), moved_until=moved)
