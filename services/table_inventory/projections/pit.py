"""The read model of gaming tables: their pit events, their slips, and the rounds and results played on them.

A pit event can be corrected or voided, so that its rows always show the version in force.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import Table, delete, text, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory import tables as t
from services.table_inventory.domain.denominations import stacks
from services.table_inventory.domain.pit import slip_of, step_of
from services.table_inventory.projections.rows import Kept, Row, Rows, insert, merge, transfer, update
from shared.contracts import inventory, pit, pit_changes
from shared.contracts.chips import value_of
from shared.contracts.envelope import pit_source
from shared.contracts.facts import Fact
from shared.journal.entry import Entry
from shared.journal.recording import Recorded
from shared.runtime.ingest.pit_events import PitEventRows, PitPlace

TABLES: Final = (
    *(t.pit_events, t.counts, t.brought_forward, t.movements, t.moved, t.results, t.requests, t.slips),
    *(t.manual_slips, t.boxes, t.transports, t.equipment, t.pit_changes, t.pit_change_outcomes),
)

KEPT: Final[Kept] = {
    inventory.SlipRequested: (insert, t.requests, {}),
    inventory.RequestWithdrawn: (update, t.requests, {}),
    inventory.SlipVoided: (merge, t.slips, {}),
    inventory.ManualSlipVoided: (insert, t.manual_slips, {"void": True}),
    pit_changes.PitChangeRejected: (update, t.pit_changes, {"status": "rejected"}),
}

_CHECKS: Final[Mapping[type[pit.PitData], tuple[str, str]]] = {
    pit.ChangedCards: ("cards", "changed_by"),
    pit.ChangedDice: ("dice", "changed_by"),
    pit.InspectedCardReader: ("card_reader", "inspected_by"),
    pit.CountedStub: ("stub", "dealer"),
}
"""By type of equipment event: the name of the equipment check, and the field with the person responsible."""


Standing = Mapping[PitPlace, tuple[int, int] | None]
"""The entry in force (shard, sequence) of each pit event of a batch; None for a voided event."""


def apply(rows: Rows, entry: Entry, fact: Fact, standing: Standing) -> None:
    """Add the rounds, pit events, slips and desk changes of a table to the rows."""
    if isinstance(fact, _OF_PIT) and fact.desk_change is not None:
        effect = "superseded" if isinstance(fact, inventory.PitNoted) else "recorded"
        rows.keep(merge, t.pit_change_outcomes, fact, change=fact.desk_change, effect=effect)
    match fact:
        case pit_changes.PitChangeApproved():
            place = {"shard": entry.shard, "seq": entry.seq}
            rows.keep(update, t.pit_changes, fact, **place, status="approved")
        case pit_changes.PitChangeProposed():
            place = {"shard": entry.shard, "seq": entry.seq}
            rows.keep(insert, t.pit_changes, fact, **place, status="proposed", voids=fact.instead is None)
        case inventory.TableRoundCounted():
            rows.move(entry, fact, inventory.Moved(movement="wager", cents=fact.cents), "round", fact.round_id)
        case inventory.TableResultNoted():
            rows.keep(insert, t.results, fact, shard=entry.shard, seq=entry.seq, at=entry.draft.occurred_at)
        case inventory.PitRecorded():
            _pit(rows, entry, fact, stands=standing[_place(fact)] == (entry.shard, entry.seq))
        case inventory.PitVoided():
            _voided(rows, entry, fact)
        case inventory.SlipPrepared():
            rows.keep(merge, t.slips, fact, cents=value_of(fact.contents))
        case inventory.CreditReceived():
            rows.keep(merge, t.slips, fact, received_cents=value_of(fact.received_contents))
        case inventory.SlipVoided(slip="credit") if fact.returned:
            rows.move(entry, fact, transfer(fact.returned), "credit", str(fact.number))
        case inventory.ManualSlipEntered():
            rows.keep(insert, t.manual_slips, fact, cents=value_of(fact.contents), void=False)
            moved = transfer(fact.contents, 1 if fact.slip == "fill" else -1)
            rows.move(entry, fact, moved, fact.slip, f"manual-{fact.number}")


_OF_PIT: Final = (inventory.PitRecorded, inventory.PitVoided, inventory.PitNoted)


def _place(fact: inventory.OfPitEvent | inventory.PitNoted) -> PitPlace:
    return PitPlace(pit_source(fact.property, fact.table), fact.sequence)


async def what_stands(connection: AsyncConnection, recorded: Sequence[Recorded]) -> Standing:
    """Write the entry in force of each pit event of a batch, delete rows of voided events, and return these entries."""
    events = PitEventRows(t.pit_events, "gaming_day", "voided_shard", "voided_seq")
    voided: dict[PitPlace, inventory.PitVoided] = {}
    for entry, fact in recorded:
        match fact:
            case inventory.PitRecorded():
                events.recorded(entry, fact, fact.sequence, fact.revision or 1, gaming_day=fact.gaming_day)
            case inventory.PitVoided():
                there = {"voided_shard": entry.shard, "voided_seq": entry.seq}
                events.taken_back(entry, fact, fact.sequence, fact.revision, gaming_day=fact.gaming_day, **there)
                voided[_place(fact)] = fact
            case inventory.PitNoted():
                events.taken_back(entry, fact, fact.sequence, 0)
    if voided:
        await _take_away(connection, voided)
    return await events.write(connection)


async def _take_away(connection: AsyncConnection, voided: Mapping[PitPlace, inventory.PitVoided]) -> None:
    """Delete the rows of voided events of earlier batches; events of this batch have no rows yet."""
    places = {"sources": [one.source for one in voided], "sequences": [one.sequence for one in voided]}
    await connection.execute(_UNMOVE, places)
    by_table: dict[tuple[Table, str], list[tuple[str, str, int]]] = {}
    for fact in voided.values():
        for model, table, number in ROWS_OF_EVENTS:
            if isinstance(fact.data, model):
                by_table.setdefault((table, number), []).append((fact.property, fact.table, fact.sequence))
    for (table, number), keys in by_table.items():
        c = table.c
        await connection.execute(delete(table).where(tuple_(c.property, c.table, c[number]).in_(keys)))


_UNMOVE: Final = text("""
    DELETE FROM table_inventory.movements m
    USING unnest(CAST(:sources AS text[]), CAST(:sequences AS bigint[])) g (source, sequence)
    JOIN table_inventory.pit_events e USING (source, sequence)
    WHERE m.shard = e.shard AND m.seq = e.seq""")

ROWS_OF_EVENTS: Final[Sequence[tuple[type[pit.PitData] | tuple[type[pit.PitData], ...], Table, str]]] = (
    ((pit.CountedTable, pit.CarriedTable), t.counts, "sequence"),
    (pit.ExchangedBox, t.boxes, "exchange"),
    (pit.TransportedBox, t.transports, "sequence"),
    (pit.IssuedCounterCheck, t.counter_checks, "number"),
    (tuple(_CHECKS), t.equipment, "sequence"),
)
"""By type of pit event: the database table of its row, and the column with its sequence in the pit stream."""


def _pit(rows: Rows, entry: Entry, fact: inventory.PitRecorded, *, stands: bool) -> None:
    """Add a recorded pit event: its movement and, if `stands` (it is in force), its row."""
    data, at, sequence = fact.data, entry.draft.occurred_at, fact.sequence
    rows.bring_forward(entry)
    if fact.moved is not None and (cause := _cause(data)) is not None:
        rows.move(entry, fact, fact.moved, *cause, stands=stands)
    if not stands:
        return
    match data:
        case pit.CountedTable() | pit.CarriedTable():
            contents = {"cents": value_of(data.contents), "contents": stacks(data.contents)}
            rows.keep(insert, t.counts, data, sequence=sequence, at=at, **contents, **_counted(data))
        case pit.CarriedFill() | pit.ReceivedFill() | pit.CarriedCredit():
            key = slip_of(data)
            rows.keep(merge, t.slips, key._asdict().items(), **step_of(data, at))  # without the slip's contents
        case pit.IssuedCounterCheck():
            rows.keep(insert, t.counter_checks, data, number=sequence)
        case pit.ExchangedBox():
            rows.keep(insert, t.boxes, data, exchange=sequence, box=data.removed_box, removed_at=at)
        case pit.TransportedBox():
            rows.keep(insert, t.transports, data, sequence=sequence, at=at)
        case _ if type(data) in _CHECKS:
            check, done_by = _CHECKS[type(data)]
            done = {"check": check, "sequence": sequence, "at": at, "by": getattr(data, done_by)}
            rows.keep(insert, t.equipment, data, **done, data=data.model_dump(mode="json", exclude_none=True))


def _voided(rows: Rows, entry: Entry, fact: inventory.PitVoided) -> None:
    """Deduct the movement of a voided pit event, and undo its step of a slip."""
    rows.bring_forward(entry)
    if fact.moved is not None and (cause := _cause(fact.data)) is not None:
        rows.move(entry, fact, fact.moved, *cause, stands=False)
    if isinstance(fact.data, pit.CarriedFill | pit.ReceivedFill | pit.CarriedCredit):
        key, undone = slip_of(fact.data), dict.fromkeys(step_of(fact.data, entry.draft.occurred_at))
        rows.keep(merge, t.slips, key._asdict().items(), **undone)


def _cause(data: pit.PitData) -> tuple[str, str | None] | None:
    """Return (cause, reference) of a movement; None if the event moves no chips of the inventory."""
    match data:
        case pit.CarriedFill() | pit.ReceivedFill() | pit.CarriedCredit():
            key = slip_of(data)
            return key.slip, str(key.number)
        case pit.SoldChips():
            return data.instrument, None
        case pit.IssuedCounterCheck():
            return "counter_check", data.serial
        case pit.ChangedChips():
            return "change", None
        case pit.DroppedCoupon():
            return "coupon", data.coupon
        case pit.WaivedVigorish():
            return "waived", data.round_id
        case _:
            return None  # tips, and vigorish collected or returned


def _counted(data: pit.CountedTable | pit.CarriedTable) -> Row:
    """Return a count's purpose, its people, and the shift that begins with it, as columns."""
    if isinstance(data, pit.CarriedTable):
        return {"purpose": "carried", "counted_by": data.recorded_by, "observed_by": data.checked_by}
    people = {"counted_by": data.dealer, "observed_by": data.floorperson}
    match data:
        case pit.OpenedTable():
            return {**people, "purpose": "opener"}
        case pit.ClosedTable():
            return {**people, "purpose": "closer"}
        case pit.CountedOpenTable(begins=pit.NextShift() as begun):
            return {**people, "begins_day": begun.gaming_day, "begins_shift": begun.shift}
    return people  # a spot count begins nothing
