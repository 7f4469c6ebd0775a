"""Read pit events, and the changes to them that were proposed at the desk."""

from collections.abc import Collection, Iterable, Sequence
from datetime import date
from typing import Any, Final, cast

from sqlalchemy import ColumnElement, Row, and_, exists, func, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.pit_changes import (
    FoundEvent,
    PitChangeEffect,
    PitChangeItem,
    PitEventDocument,
    event_document,
)
from services.table_inventory.tables import days, journal, pit_change_outcomes, pit_changes, pit_events
from shared.contracts.catalog import decode_fact
from shared.contracts.envelope import pit_source
from shared.contracts.inventory import PitRecorded, PitVoided
from shared.contracts.pit import PitChangeApproval, desk_source
from shared.contracts.pit_changes import PitChangeApproved, PitChangeProposed, event_of
from shared.contracts.rejection import Reason, Rejected
from shared.journal.entry import Entry
from shared.journal.reading import read_entry, read_places
from shared.runtime.commands.approval import Decision
from shared.runtime.http.pagination import Listing, Page, PageRequest
from shared.runtime.ingest.pit_events import Said
from shared.runtime.rows import find_row, rows_of, thing_of
from shared.runtime.service.approved_events import ApprovedEvent, dismissed_events, require_approved

_C = pit_changes.c
_E = pit_events.c
_EVENTS: Final = {end: Listing[tuple[int]](f"pit_events {end}", tuple[int]) for end in (False, True)}
_O = pit_change_outcomes.c
_OUTCOME = exists().where(_O.property == _C.property, _O.change == _C.change)


async def find_event(connection: AsyncConnection, property_name: str, table: str, sequence: int) -> FoundEvent:
    """Return a pit event by its sequence. Raises: Rejected if it is unknown, or is itself a change."""
    name = f"event {sequence} of the pit stream of {table} of {property_name}"
    key = {"source": pit_source(property_name, table), "sequence": sequence}
    row = await find_row(connection, pit_events, f"there is no {name}", **key)
    if row.changes is not None:
        raise Rejected(Reason.NOT_ALLOWED, f"{name} changes event {row.changes}: name that one")
    last = Said(row.last, row.desk)
    if row.shard is None:
        return FoundEvent(name, last, row.revision)
    entry = await read_entry(connection, journal, row.shard, row.seq)
    fact = cast("PitRecorded", decode_fact(entry.draft.kind, entry.draft.data))
    return FoundEvent(name, last, row.revision, fact, entry.draft.occurred_at)


async def shown_event(connection: AsyncConnection, property_name: str, table: str, sequence: int) -> PitEventDocument:
    """Return a pit event for display, even if voided. Raises: Rejected if it is unknown, or is itself a change."""
    found = await find_event(connection, property_name, table, sequence)
    key = {"source": pit_source(property_name, table), "sequence": sequence}
    [item] = await _documents(connection, (await connection.execute(rows_of(pit_events, **key))).all())
    if item is None:
        raise Rejected(Reason.NOT_FOUND, f"nothing of {found.name} is on record: it was voided before it came")
    return item


async def list_events(
    connection: AsyncConnection,
    property_name: str,
    table: str,
    asked: PageRequest,
    gaming_day: date | None,
    *,
    from_end: bool,
) -> Page[PitEventDocument]:
    """Return a page of a table's pit events by sequence, including voided events, for one gaming day or for all."""
    order = _E.sequence.desc() if from_end else _E.sequence
    query = rows_of(pit_events, source=pit_source(property_name, table), gaming_day=gaming_day)
    query = query.where(or_(_E.shard.is_not(None), _E.voided_shard.is_not(None)))
    if (after := _EVENTS[from_end].after(asked.cursor)) is not None:
        query = query.where(_E.sequence < after[0] if from_end else _E.sequence > after[0])
    rows = (await connection.execute(query.order_by(order).limit(asked.limit + 1))).all()
    page = _EVENTS[from_end].page(rows, asked.limit, lambda row: (row.sequence,))
    return Page(items=[one for one in await _documents(connection, page.items) if one], next=page.next)


async def _documents(connection: AsyncConnection, rows: Sequence[Row[Any]]) -> list[PitEventDocument | None]:
    """Return pit events for display, from the entry in force or the voiding entry; None for a row without either."""
    places = [(row.voided_shard, row.voided_seq) if row.shard is None else (row.shard, row.seq) for row in rows]
    asked = [one for one in places if one[0] is not None]
    entries = {(entry.shard, entry.seq): entry async for _, entry in read_places(connection, journal, asked)}
    return [
        _document(row, entries[place]) if place in entries else None for row, place in zip(rows, places, strict=True)
    ]


def _document(row: Row[Any], entry: Entry) -> PitEventDocument:
    fact = cast("PitRecorded | PitVoided", decode_fact(entry.draft.kind, entry.draft.data))
    return event_document(fact, row.revision, entry.draft.occurred_at, entry.recorded_at)


async def find_change(connection: AsyncConnection, property_name: str, change: int) -> Row[Any]:
    """Return the row of a change. Raises: Rejected if it does not exist."""
    missing = f"there is no change {change} at {property_name}"
    return await find_row(connection, pit_changes, missing, property=property_name, change=change)


async def content_of(connection: AsyncConnection, row: Row[Any]) -> PitChangeProposed:
    """Return a change as proposed, from the journal. If the change is approved, return its approval instead."""
    entry = await read_entry(connection, journal, row.shard, row.seq)
    fact = decode_fact(entry.draft.kind, entry.draft.data)
    assert isinstance(fact, PitChangeProposed), f"entry {row.shard}/{row.seq} is {entry.draft.kind}"
    return fact


async def approved_changes(connection: AsyncConnection, named: Iterable[PitChangeApproval]) -> list[PitChangeApproved]:
    """Return the approvals among the given changes, as recorded in the journal.

    Raises: Rejected if a change differs from what the service recorded.
    """
    keys = {(one.property, one.change) for one in named}
    if not keys:
        return []
    rows = await connection.execute(select(pit_changes).where(tuple_(_C.property, _C.change).in_(keys)))
    entries = [await read_entry(connection, journal, row.shard, row.seq) for row in rows.all()]
    await require_approved(connection, journal, entries)
    found = [decode_fact(entry.draft.kind, entry.draft.data) for entry in entries]
    return [fact for fact in found if isinstance(fact, PitChangeApproved)]


async def items_of(connection: AsyncConnection, rows: Sequence[Row[Any]]) -> list[PitChangeItem]:
    """Return changes as items of a list, each with its outcome."""
    approved = [row for row in rows if row.status == Decision.APPROVED]
    keys = [(row.property, row.change) for row in approved]
    query = select(pit_change_outcomes).where(tuple_(_O.property, _O.change).in_(keys))
    effects = {(one.property, one.change): one.effect for one in await connection.execute(query)} if keys else {}
    left = [row for row in approved if (row.property, row.change) not in effects]
    dismissed = await _dismissed(connection, left)

    def effect(row: Row[Any]) -> PitChangeEffect | None:
        if row.status != Decision.APPROVED:
            return None
        key = (row.property, row.change)
        return cast("PitChangeEffect", effects.get(key, "dismissed" if key in dismissed else "waiting"))

    return [thing_of(PitChangeItem, row, effect=effect(row)) for row in rows]


async def effect_conditions(
    connection: AsyncConnection, property_name: str, effect: PitChangeEffect | None
) -> list[ColumnElement[bool]]:
    """Return SQL conditions that select a property's changes with the outcome `effect`; empty if it is None."""
    if effect is None:
        return []
    if effect in ("recorded", "superseded"):
        return [_OUTCOME.where(_O.effect == effect)]
    left = rows_of(pit_changes, property=property_name, status=Decision.APPROVED).where(~_OUTCOME)
    rows = (await connection.execute(left)).all()
    dismissed = await _dismissed(connection, rows)
    is_dismissed = effect == "dismissed"
    return [_C.change.in_([row.change for row in rows if ((row.property, row.change) in dismissed) == is_dismissed])]


async def sealed_of(connection: AsyncConnection, property_name: str, among: Collection[date]) -> list[date]:
    """Return the sealed ones among the given gaming days of a property, in order."""
    query = rows_of(days, property=property_name).where(days.c.gaming_day.in_(among), days.c.final_at.is_not(None))
    return sorted(row.gaming_day for row in await connection.execute(query))


async def last_place(connection: AsyncConnection, property_name: str, table: str) -> int:
    """Return the last sequence in the desk stream of a table; 0 if no change has been approved."""
    query = select(func.count(_C.place)).where(_C.property == property_name, _C.table == table)
    return int((await connection.execute(query)).scalar_one())


async def waiting_change(connection: AsyncConnection, property_name: str, table: str, sequence: int) -> int | None:
    """Return the number of an event's approved change that is not in effect yet, or None."""
    query = select(pit_changes).where(
        *(_C.property == property_name, _C.table == table, _C.sequence == sequence),
        *(_C.status == Decision.APPROVED, ~_OUTCOME),
    )
    rows = (await connection.execute(query.order_by(_C.change))).all()
    dismissed = await _dismissed(connection, rows)
    return next((row.change for row in rows if (row.property, row.change) not in dismissed), None)


async def pending_changes(connection: AsyncConnection, property_name: str, gaming_day: date) -> list[PitChangeItem]:
    """Return the changes to events on a gaming day that are undecided, or approved but not in effect yet.

    These include changes that would move an event to that day.
    """
    pending = or_(_C.status == "proposed", and_(_C.status == Decision.APPROVED, ~_OUTCOME))
    query = select(pit_changes).where(_C.property == property_name, pending)
    rows = (await connection.execute(query.order_by(_C.change))).all()
    of_change = {row.change: {row.gaming_day, await _day_to(connection, row)} for row in rows}
    items = await items_of(connection, [row for row in rows if gaming_day in of_change[row.change]])
    return [one for one in items if one.effect in (None, "waiting")]


async def _day_to(connection: AsyncConnection, row: Row[Any]) -> date:
    """Return the gaming day that an event will have after a change. A void leaves the day as it is."""
    instead = (await content_of(connection, row)).instead
    day: date = row.gaming_day if instead is None else instead.gaming_day
    return day


async def waiting_changes(connection: AsyncConnection) -> list[PitChangeApproved]:
    """Return the approved changes that are not recorded yet, in the order of their desk streams."""
    query = select(pit_changes).where(_C.status == Decision.APPROVED, ~_OUTCOME)
    rows = (await connection.execute(query.order_by(_C.property, _C.table, _C.place))).all()
    return await _approvals(connection, rows)


def approved_event(change: PitChangeApproved) -> ApprovedEvent:
    """Return the event to send that will put an approved change into effect."""
    return ApprovedEvent(event_of(change), pit_source(change.property, change.table))


async def _dismissed(connection: AsyncConnection, rows: Sequence[Row[Any]]) -> set[tuple[str, int]]:
    """Return the approved changes whose event was quarantined and then dismissed, as (property, number)."""
    approvals = await _approvals(connection, rows)
    places = await dismissed_events(connection, journal, [approved_event(one) for one in approvals])
    return {
        (one.property, one.change) for one in approvals if (desk_source(one.property, one.table), one.place) in places
    }


async def _approvals(connection: AsyncConnection, rows: Sequence[Row[Any]]) -> list[PitChangeApproved]:
    found = [await content_of(connection, row) for row in rows]
    return [fact for fact in found if isinstance(fact, PitChangeApproved)]
