"""What the ledger reads: the pit streams of the tables, and the journal of round settlement."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory import projection, settlements
from services.table_inventory.domain import (
    Known,
    RoundKey,
    Slip,
    SlipKey,
    TableKey,
    count_settlement,
    record_pit,
    slip_of,
)
from services.table_inventory.settlements import MovedEvent, SettlementEntry
from services.table_inventory.tables import counts, movements, slips
from shared.contracts import pit_events, settlement_events
from shared.contracts.pit import PitEvent
from shared.contracts.pit import CarriedTable, Contents, CountedTable
from shared.journal.entry import Draft, Entry
from shared.rules.errors import Refused
from shared.runtime.consume.handler import Record

_contents: TypeAdapter[Contents] = TypeAdapter(Contents)
STEPS = ("requested_by", "prepared_by", "surrendered_by", "carried_by", "received_by", "observed_by")
"""The steps of a slip that people do, as columns."""


class PitEvents:
    """Records what happens at the tables besides the rounds."""

    topic = pit_events.TOPIC

    def decode(self, record: Record) -> PitEvent:
        event = pit_events.decode(record.value)
        if record.key != event.source.encode():
            key = None if record.key is None else record.key.decode(errors="replace")
            raise Refused(f"the Kafka key is {key!r}; it must be the source {event.source!r}")
        return event

    async def open(self, connection: AsyncConnection, events: Sequence[PitEvent]) -> "_Batch":
        named = {slip for event in events if (slip := slip_of(event)) is not None}
        tables = {
            TableKey(event.data.property, event.data.table)
            for event in events
            if isinstance(event.data, CountedTable | CarriedTable)
        }
        known = Known(slips=await find_slips(connection, named), books=await _books(connection, tables))
        return _Batch(known, record_pit)


class Settlements:
    """Counts the chips of settled rounds."""

    topic = settlement_events.TOPIC

    def decode(self, record: Record) -> SettlementEntry:
        return settlements.decode(record.value)

    async def open(self, connection: AsyncConnection, events: Sequence[SettlementEntry]) -> "_Batch":
        reversed_rounds = {
            RoundKey(event.data.property, event.data.table, event.data.round_id, event.data.revision)
            for event in events
            if isinstance(event, MovedEvent) and event.data.closed_at is None
        }
        return _Batch(Known(rounds=await _rounds(connection, reversed_rounds)), count_settlement)


class _Batch:
    """One batch of either topic: every event leads to one entry, and the entries to rows."""

    def __init__(self, known: Known, derive: Callable[[Any, int, Known], Draft]) -> None:
        self._known = known
        self._derive = derive

    def derive(self, event: Any, record: Record) -> Sequence[Draft]:
        return (self._derive(event, record.offset, self._known),)

    async def save(self, connection: AsyncConnection, entries: Sequence[Entry]) -> None:
        await projection.project(connection, entries)


async def find_slips(connection: AsyncConnection, named: set[SlipKey]) -> dict[SlipKey, Slip]:
    """The slips of these names, as far as they have come."""
    if not named:
        return {}
    c = slips.c
    rows = await connection.execute(select(slips).where(tuple_(c.property, c.slip, c.number).in_(named)))
    return {
        SlipKey(row.property, row.slip, row.number): Slip(
            table=row.table_name,
            contents=_contents.validate_python(row.contents),
            people={step: row._mapping[step] for step in STEPS if row._mapping[step] is not None},
            void=row.voided_at is not None,
        )
        for row in rows
    }


async def _books(
    connection: AsyncConnection, tables: set[TableKey]
) -> dict[TableKey, list[tuple[datetime, int]] | None]:
    """What moved at these tables, rounds aside, for those that were never counted."""
    if not tables:
        return {}
    c, m = counts.c, movements.c
    counted = await connection.execute(
        select(c.property, c.table_name).where(tuple_(c.property, c.table_name).in_(tables)).distinct()
    )
    new = tables - {TableKey(*row) for row in counted}
    books: dict[TableKey, list[tuple[datetime, int]]] = {table: [] for table in new}
    if new:
        moved = select(m.property, m.table_name, m.at, m.cents).where(
            tuple_(m.property, m.table_name).in_(new), m.cause != "round"
        )
        for property_name, table, at, cents in await connection.execute(moved):
            books[TableKey(property_name, table)].append((at, cents))
    return dict(books)


async def _rounds(connection: AsyncConnection, keys: set[RoundKey]) -> dict[RoundKey, Any]:
    """When the rounds that are taken back had been closed."""
    if not keys:
        return {}
    m = movements.c
    key = tuple_(m.property, m.table_name, m.ref, m.revision)
    query = select(m.property, m.table_name, m.ref, m.revision, m.at).where(key.in_(keys), m.rounds == 1)
    return {RoundKey(*row[:4]): row.at for row in await connection.execute(query)}
