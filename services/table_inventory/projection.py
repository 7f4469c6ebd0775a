"""Writes what entries say into the tables behind the reports. From all entries they can be made anew."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Table, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory import tables as t
from services.table_inventory.domain import COUNTS, Stacks, stacks
from shared.contracts import inventory_facts as facts
from shared.contracts import pit_facts as pit
from shared.contracts.envelope import Contract, as_json
from shared.contracts.pit_facts import Contents, value_of
from shared.journal import bulk
from shared.journal.bulk import Row
from shared.journal.entry import Entry

PIT_DATA: dict[str, type[pit.PitData]] = {
    "table.opened": pit.OpenedTable,
    "table.closed": pit.ClosedTable,
    "table.counted": pit.CountedOpenTable,
    "table.carried": pit.CarriedTable,
    "fill.carried": pit.CarriedFill,
    "fill.received": pit.ReceivedFill,
    "credit.carried": pit.CarriedCredit,
    "chips.sold": pit.SoldChips,
    "counter_check.issued": pit.IssuedCounterCheck,
    "chips.changed": pit.ChangedChips,
    "coupon.dropped": pit.DroppedCoupon,
    "box.exchanged": pit.ExchangedBox,
    "box.transported": pit.TransportedBox,
    "tips.collected": pit.CollectedTips,
    "vigorish.collected": pit.CollectedVigorish,
    "vigorish.waived": pit.WaivedVigorish,
    "vigorish.returned": pit.ReturnedVigorish,
    "cards.changed": pit.ChangedCards,
    "dice.changed": pit.ChangedDice,
    "card_reader.inspected": pit.InspectedCardReader,
    "stub.counted": pit.CountedStub,
}
"""The data of a recorded pit event, by its type."""

_CHECKS = {"cards.changed": "cards", "dice.changed": "dice", "card_reader.inspected": "card_reader"}


async def project(connection: AsyncConnection, entries: Sequence[Entry]) -> None:
    """Brings the tables up to date with entries, in their order, in the caller's transaction."""
    writing = _writing(entries)
    await writing.add_rows(connection)
    await writing.change_rows(connection)


async def add_rows(connection: AsyncConnection, entries: Sequence[Entry]) -> None:
    """Adds the rows that begin with these entries; the shards may come in whatever order."""
    await _writing(entries).add_rows(connection)


async def change_rows(connection: AsyncConnection, entries: Sequence[Entry]) -> None:
    """Changes the rows that these entries go on with; the shards may come in whatever order once all rows are there.

    For what a table reports of a slip and what is done with it at a desk stand in different columns.
    """
    await _writing(entries).change_rows(connection)


def _writing(entries: Sequence[Entry]) -> "_Writing":
    writing = _Writing()
    for entry in entries:
        contract = facts.FACTS.get(entry.draft.kind)
        if contract is not None:
            writing.add(entry, contract.model_validate_json(entry.draft.data))
    return writing


@cache
def _insert(table: Table, columns: tuple[str, ...]) -> bulk.Statement:
    return bulk.insert(table, columns)


class _Writing:
    """The rows of a batch: inserts table by table, then updates in order."""

    def __init__(self) -> None:
        self._rows: dict[Table, list[Row]] = {}
        self._movements: list[Row] = []
        self._updates: list[Any] = []

    def add(self, entry: Entry, fact: Contract) -> None:
        place = {"shard": entry.shard, "seq": entry.seq}
        match fact:
            case facts.RoundCounted():
                self._move(entry, fact, "wager", "round", fact.cents, rounds=fact.rounds, revision=fact.revision)
            case facts.PitRecorded():
                data = PIT_DATA[fact.event].model_validate(fact.data)
                self._pit(entry, fact, data)
            case facts.SlipPrepared():
                self._slip_prepared(fact)
            case facts.SlipRequested():
                row = fact.model_dump(exclude={"table", "contents"})
                self._insert(t.requests, {**row, **_of_table(fact), **_contents(fact.contents)})
            case facts.CreditReceived():
                self._step(
                    fact,
                    "credit",
                    received_by=fact.received_by,
                    received_at=fact.received_at,
                    received_contents=_documents(fact.contents),
                    received_cents=value_of(fact.contents),
                )
            case facts.SlipVoided():
                self._step(fact, fact.slip, voided_by=fact.voided_by, voided_at=fact.voided_at, void_reason=fact.reason)
                if fact.slip == "credit" and fact.returned:
                    cents, what = value_of(fact.returned), stacks(fact.returned)
                    self._move(entry, fact, "transfer", "credit", cents, contents=what, ref=str(fact.number))
            case facts.ManualSlipEntered():
                self._manual(entry, fact)
            case facts.ManualSlipVoided():
                self._insert(
                    t.manual_slips,
                    {
                        **fact.model_dump(include={"slip", "property", "gaming_day", "number", "reason"}),
                        "table_name": None,
                        "cents": None,
                        "occurred_at": None,
                        "entered_by": fact.voided_by,
                        "entered_at": fact.voided_at,
                        "void": True,
                        "document": as_json(fact),
                    },
                )
            case facts.CountOpened():
                self._insert(t.drop_counts, fact.model_dump())
            case facts.CountConcluded():
                self._concluded(fact)
            case facts.VarianceResolved():
                self._case(fact, resolved_cents=fact.cents, resolved_at=fact.at, conclusion=fact.conclusion)
            case facts.VarianceOwned():
                self._case(fact, owner=fact.owner, owned_at=fact.at)
            case facts.AdjustmentApproved():
                self._decided(fact, approved_by=fact.approved_by, approved_at=fact.approved_at)
            case facts.AdjustmentRejected():
                self._decided(
                    fact,
                    rejected_by=fact.rejected_by,
                    rejected_at=fact.rejected_at,
                    rejection_reason=fact.rejection_reason,
                )
            case facts.AdjustmentEntered():
                self._insert(t.adjustments, {**fact.model_dump(exclude={"table"}), **_of_table(fact)})
            case facts.DayStaged():
                self._staged(fact)
            case facts.CommandRefused():
                self._insert(t.refusals, {**fact.model_dump(exclude={"status"}), **place})

    async def add_rows(self, connection: AsyncConnection) -> None:
        """Write one statement for each table."""
        await bulk.copy(connection, t.movements, self._movements)
        for table, rows in self._rows.items():
            await _insert(table, tuple(rows[0])).write(connection, rows)

    async def change_rows(self, connection: AsyncConnection) -> None:
        """Write one statement for each change."""
        for statement in self._updates:
            done = await connection.execute(statement)
            assert done.rowcount != 0, f"there is no row to change: {statement}"

    # --- kinds of rows ---

    def _insert(self, table: Table, row: Row) -> None:
        self._rows.setdefault(table, []).append(row)

    def _move(
        self,
        entry: Entry,
        fact: Any,
        movement: facts.Movement,
        cause: str,
        cents: int,
        *,
        contents: Stacks | None = None,
        rounds: int = 0,
        ref: str | None = None,
        revision: int | None = None,
    ) -> None:
        self._movements.append(
            {
                "shard": entry.shard,
                "seq": entry.seq,
                "line": 0,
                "property": fact.property,
                "table_name": fact.table,
                "at": entry.draft.occurred_at,
                "gaming_day": fact.gaming_day,
                "movement": movement,
                "cause": cause,
                "cents": cents,
                "contents": contents,
                "rounds": rounds,
                "ref": ref or getattr(fact, "round_id", None),
                "revision": revision,
            }
        )

    def _pit(self, entry: Entry, fact: facts.PitRecorded, data: pit.PitData) -> None:
        at, sequence = entry.draft.occurred_at, entry.draft.sequence
        cents, what = (0, None) if fact.moved is None else (fact.moved.cents, fact.moved.contents)
        match data:
            case pit.CountedTable() | pit.CarriedTable():
                self._insert(t.counts, _count_row(entry, fact.event, data))
            case pit.CarriedFill():
                self._slip_row(data, "fill", data.number, carried_by=data.carried_by, carried_at=at)
            case pit.ReceivedFill():
                self._slip_row(
                    data,
                    "fill",
                    data.number,
                    received_by=data.received_by,
                    received_at=at,
                    observed_by=data.observed_by,
                    received_contents=_documents(data.contents),
                    received_cents=cents,
                )
                self._move(entry, fact, "transfer", "fill", cents, contents=what, ref=str(data.number))
            case pit.CarriedCredit():
                self._slip_row(
                    data,
                    "credit",
                    data.number,
                    surrendered_by=data.surrendered_by,
                    observed_by=data.observed_by,
                    carried_by=data.carried_by,
                    carried_at=at,
                )
                self._move(entry, fact, "transfer", "credit", cents, contents=what, ref=str(data.number))
            case pit.SoldChips():
                self._move(entry, fact, "cash", data.instrument, cents, contents=what)
            case pit.IssuedCounterCheck():
                self._move(entry, fact, "counter_check", "counter_check", cents, contents=what, ref=data.serial)
            case pit.ChangedChips():
                self._move(entry, fact, "change", "change", 0, contents=what)
            case pit.DroppedCoupon():
                self._move(entry, fact, "wager", "coupon", cents, ref=data.coupon)
            case pit.WaivedVigorish():
                self._move(entry, fact, "vigorish", "waived", cents, ref=data.round_id)
            case pit.ExchangedBox():
                self._insert(
                    t.boxes,
                    {
                        "property": data.property,
                        "table_name": data.table,
                        "exchange": sequence,
                        "box": data.removed_box,
                        "gaming_day": data.gaming_day,
                        "shift": data.shift,
                        "removed_at": at,
                        "removed_by": data.removed_by,
                        "witnessed_by": data.witnessed_by,
                        "placed_box": data.placed_box,
                    },
                )
            case pit.TransportedBox():
                row = data.model_dump(include={"property", "box", "carried_by", "received_by"})
                self._insert(t.transports, {**row, "table_name": data.table, "sequence": sequence, "at": at})
            case pit.ChangedCards() | pit.ChangedDice():
                self._check(entry, fact, data.changed_by)
            case pit.InspectedCardReader():
                self._check(entry, fact, data.inspected_by)
            case pit.CountedStub():
                self._check(entry, fact, data.dealer)
            case _:
                pass  # tips, and vigorish collected or returned, move nothing of the inventory

    def _check(self, entry: Entry, fact: facts.PitRecorded, by: str) -> None:
        self._insert(
            t.equipment,
            {
                "property": fact.property,
                "table_name": fact.table,
                "sequence": entry.draft.sequence,
                "check": _CHECKS.get(fact.event, "stub"),
                "at": entry.draft.occurred_at,
                "gaming_day": fact.gaming_day,
                "by": by,
                "data": fact.data,
            },
        )

    def _slip_prepared(self, fact: facts.SlipPrepared) -> None:
        row = fact.model_dump(exclude={"table", "contents"})
        self._insert(t.slips, {**row, **_of_table(fact), **_contents(fact.contents)})
        request = (t.requests.c.property == fact.property) & (t.requests.c.request == fact.request)
        self._updates.append(update(t.requests).where(request).values(number=fact.number))

    def _step(self, fact: facts.SlipStep, slip: facts.SlipKind, **values: Any) -> None:
        self._slip_row(fact, slip, fact.number, **values)

    def _slip_row(self, data: Any, slip: facts.SlipKind, number: int, **values: Any) -> None:
        key = (t.slips.c.property == data.property) & (t.slips.c.slip == slip) & (t.slips.c.number == number)
        self._updates.append(update(t.slips).where(key).values(values))

    def _manual(self, entry: Entry, fact: facts.ManualSlipEntered) -> None:
        names = {"slip", "property", "gaming_day", "number", "occurred_at", "entered_by", "entered_at", "reason"}
        row = fact.model_dump(include=names)
        cents = value_of(fact.contents)
        document = as_json(fact)
        self._insert(t.manual_slips, {**row, **_of_table(fact), "cents": cents, "void": False, "document": document})
        sign = 1 if fact.slip == "fill" else -1
        what = stacks(fact.contents, sign)
        self._move(entry, fact, "transfer", fact.slip, sign * cents, contents=what, ref=f"manual-{fact.number}")

    def _concluded(self, fact: facts.CountConcluded) -> None:
        count = (t.drop_counts.c.property == fact.property) & (t.drop_counts.c.count == fact.count)
        concluded = {"concluded_by": fact.concluded_by, "concluded_at": fact.concluded_at}
        self._updates.append(update(t.drop_counts).where(count).values(concluded))
        for box in fact.boxes:
            b = t.boxes.c
            key = (b.property == fact.property) & (b.table_name == box.table) & (b.exchange == box.exchange)
            self._updates.append(
                update(t.boxes)
                .where(key)
                .values(
                    count=fact.count,
                    figures=as_json(box.figures),
                    currency_cents=box.currency_cents,
                    counter_checks_cents=box.counter_checks_cents,
                    coupons_cents=box.coupons_cents,
                )
            )

    def _case(self, fact: facts.VarianceOwned | facts.VarianceResolved, **values: Any) -> None:
        key = {
            "property": fact.property,
            "table_name": fact.table,
            "variance": fact.variance,
            "number": fact.number,
        }
        moments = {"owner": fact.owner, "owned_at": fact.at}
        statement = upsert(t.variance_cases).values({**moments, **key, **values})
        self._updates.append(statement.on_conflict_do_update(index_elements=list(key), set_=values))

    def _decided(self, fact: facts.AdjustmentEntered, **values: Any) -> None:
        a = t.adjustments.c
        key = (a.property == fact.property) & (a.gaming_day == fact.gaming_day) & (a.adjustment == fact.adjustment)
        self._updates.append(update(t.adjustments).where(key).values(values))

    def _staged(self, fact: facts.DayStaged) -> None:
        key = {"property": fact.property, "gaming_day": fact.gaming_day}
        day = (t.days.c.property == fact.property) & (t.days.c.gaming_day == fact.gaming_day)
        match fact:
            case facts.DayPreliminary():
                excused = [as_json(one) for one in fact.excused]
                self._insert(t.days, {**key, "preliminary_by": fact.by, "preliminary_at": fact.at, "excused": excused})
            case facts.DayAudited():
                self._updates.append(update(t.days).where(day).values(audited_by=fact.by, audited_at=fact.at))
            case facts.DayFinal():
                final = {"final_by": fact.by, "final_at": fact.at, "hash": fact.hash, "report": fact.report}
                self._updates.append(update(t.days).where(day).values(final))


def _of_table(fact: Any) -> dict[str, Any]:
    return {"table_name": fact.table}


def _documents(contents: Contents) -> list[dict[str, Any]]:
    return [as_json(pieces) for pieces in contents]


def _contents(contents: Contents) -> dict[str, Any]:
    return {"contents": _documents(contents), "cents": value_of(contents)}


def _count_row(entry: Entry, event: str, data: pit.CountedTable | pit.CarriedTable) -> dict[str, Any]:
    at: datetime = entry.draft.occurred_at
    row: dict[str, Any] = {
        "property": data.property,
        "table_name": data.table,
        "sequence": entry.draft.sequence,
        "at": at,
        "gaming_day": data.gaming_day,
        "shift": data.shift,
        "purpose": COUNTS.get(event),
        "begins_day": None,
        "begins_shift": None,
        "cents": value_of(data.contents),
        "contents": stacks(data.contents),
        "game": None,
        "card_reader": False,
        "dice": False,
        "shard": entry.shard,
        "seq": entry.seq,
    }
    match data:
        case pit.CarriedTable():
            return row | {"counted_by": data.recorded_by, "observed_by": data.checked_by}
        case pit.CountedOpenTable():
            row["purpose"] = data.purpose
            if data.begins is not None:
                row |= {"begins_day": data.begins.gaming_day, "begins_shift": data.begins.shift}
        case pit.OpenedTable():
            row |= {"game": data.game, "card_reader": data.card_reader, "dice": data.dice}
    return row | {"counted_by": data.dealer, "observed_by": data.floorperson}
