"""The read model of the ledger: the rows that follow from its facts, in whatever order of the shards."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final

from sqlalchemy import Table
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory import tables as t
from services.table_inventory.domain.denominations import stacks
from services.table_inventory.domain.pit import slip_of, step_of
from shared.contracts import counts, inventory, pit
from shared.contracts.chips import value_of
from shared.contracts.journal_facts import CommandRefused
from shared.contracts.reports import ReportStatus
from shared.journal import bulk
from shared.journal.entry import Entry
from shared.journal.recording import Recorded
from shared.runtime.projector import Projector, Transaction

_CHECKS: Final[Mapping[type[pit.PitData], tuple[str, str]]] = {
    pit.ChangedCards: ("cards", "changed_by"),
    pit.ChangedDice: ("dice", "changed_by"),
    pit.InspectedCardReader: ("card_reader", "inspected_by"),
    pit.CountedStub: ("stub", "dealer"),
}
"""What an equipment event is about, and the field that says who did it."""


async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
    """Bring the read model up to date with facts."""
    rows = _Rows()
    for entry, fact in recorded:
        match fact:
            case inventory.RoundCounted():
                rows.move(entry, fact, "wager", "round", fact.cents, ref=fact.round_id)
            case inventory.PitRecorded():
                _pit(rows, entry, fact)
            case inventory.SlipPrepared():
                rows.merge(t.slips, fact, cents=value_of(fact.contents))
            case inventory.SlipRequested():
                rows.add(t.requests, fact)
            case inventory.CreditReceived():
                rows.merge(t.slips, fact, received_cents=value_of(fact.received_contents))
            case inventory.SlipVoided():
                rows.merge(t.slips, fact)
                if fact.slip == "credit" and fact.returned:
                    cents, what = value_of(fact.returned), stacks(fact.returned)
                    rows.move(entry, fact, "transfer", "credit", cents, contents=what, ref=str(fact.number))
            case inventory.ManualSlipEntered():
                rows.add(t.manual_slips, fact, cents=value_of(fact.contents), void=False)
                sign = 1 if fact.slip == "fill" else -1
                cents, what = sign * value_of(fact.contents), stacks(fact.contents, sign)
                rows.move(entry, fact, "transfer", fact.slip, cents, contents=what, ref=f"manual-{fact.number}")
            case inventory.ManualSlipVoided():
                rows.add(t.manual_slips, fact, void=True)
            case counts.CountConcluded():
                rows.change(t.drop_counts, fact)
                for box in fact.boxes:
                    rows.add(t.counted_boxes, box, property=fact.property, count=fact.count)
            case counts.CountOpened():
                rows.add(t.drop_counts, fact)
            case inventory.VarianceOwned():
                rows.merge(t.variance_cases, fact)
            case inventory.VarianceResolved():
                rows.change(t.variance_cases, fact, resolved_cents=fact.cents)
            case inventory.AdjustmentApproved():
                rows.change(t.adjustments, fact, status="approved")
            case inventory.AdjustmentRejected():
                rows.change(t.adjustments, fact, status="rejected")
            case inventory.AdjustmentEntered():
                rows.add(t.adjustments, fact, status="entered")
            case inventory.DayPreliminary():
                rows.add(t.days, fact, status=ReportStatus.PRELIMINARY)
            case inventory.DayAudited():
                rows.change(t.days, fact, status=ReportStatus.AUDITED)
            case inventory.DayFinal():
                rows.change(t.days, fact, status=ReportStatus.FINAL)
            case CommandRefused(property=str(), asked=dict()):  # what is refused at the door says neither
                rows.add(t.refusals, fact, shard=entry.shard, seq=entry.seq)
    await rows.write(transaction.connection)


@cache
def _insert(table: Table, columns: tuple[str, ...]) -> bulk.Statement:
    return bulk.insert(table, columns)


@cache
def _merge(table: Table, columns: tuple[str, ...]) -> bulk.Statement:
    key = bulk.primary_key(table)
    return bulk.insert(table, columns, on_conflict=bulk.replaced(table, *(one for one in columns if one not in key)))


@cache
def _update(table: Table, columns: tuple[str, ...]) -> bulk.Statement:
    key = bulk.primary_key(table)
    return bulk.update(table, [one for one in columns if one not in key])


_Columns = tuple[Table, tuple[str, ...]]
_Row = dict[str, Any]
_Said = Iterable[tuple[str, Any]]
"""Names and values: those of a fact, say."""


class _Rows:
    """The rows of a batch, one statement for those of a table with the same columns."""

    def __init__(self) -> None:
        self._movements: list[_Row] = []
        self._new: dict[_Columns, list[_Row]] = {}
        self._merged: dict[_Columns, dict[tuple[Any, ...], _Row]] = {}
        self._changed: dict[_Columns, dict[tuple[Any, ...], _Row]] = {}

    def add(self, table: Table, said: _Said, /, **more: Any) -> None:
        """Add a row with what a fact says, as far as the table has columns of the same names."""
        row = _row(table, said, more)
        self._new.setdefault((table, tuple(row)), []).append(row)

    def merge(self, table: Table, said: _Said, /, **more: Any) -> None:
        """Add a row, or give these values to the one that is there: for what several shards tell of one thing."""
        row = _row(table, said, more)
        self._merged.setdefault((table, tuple(row)), {})[_key(table, row)] = row

    def change(self, table: Table, said: _Said, /, **more: Any) -> None:
        """Give a row that is there, by an entry of the same shard, new values."""
        row = _row(table, said, more)
        self._changed.setdefault((table, tuple(row)), {})[_key(table, row)] = row

    def move(
        self,
        entry: Entry,
        fact: Any,
        movement: inventory.Movement,
        cause: str,
        cents: int,
        *,
        contents: Mapping[str, int] | None = None,
        ref: str | None = None,
    ) -> None:
        """Add a movement of a table inventory."""
        place = {"shard": entry.shard, "seq": entry.seq, "at": entry.draft.occurred_at}
        of_fact = {"property": fact.property, "table": fact.table, "gaming_day": fact.gaming_day}
        of_round = {"rounds": getattr(fact, "rounds", 0), "revision": getattr(fact, "revision", None)}
        moved = {"movement": movement, "cause": cause, "cents": cents, "contents": contents, "ref": ref}
        self._movements.append({**place, **of_fact, **of_round, **moved})

    async def write(self, connection: AsyncConnection) -> None:
        """Write the rows."""
        await bulk.copy(connection, t.movements, self._movements)
        for (table, columns), rows in self._new.items():
            await _insert(table, columns).write(connection, rows)
        for (table, columns), last in self._merged.items():
            await _merge(table, columns).write(connection, last.values())
        for (table, columns), last in self._changed.items():
            changed = await _update(table, columns).read(connection, last.values())
            assert changed.rowcount == len(last), f"{len(last)} rows of {table} to change, {changed.rowcount} there"


def _row(table: Table, said: _Said, more: _Row) -> _Row:
    return {name: value for name, value in said if name in table.c} | more


def _key(table: Table, row: _Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in bulk.primary_key(table))


def _pit(rows: _Rows, entry: Entry, fact: inventory.PitRecorded) -> None:
    """Add what a pit event says: a count, a step of a slip, a box, a check of the equipment, a movement."""
    data, at, sequence = fact.data, entry.draft.occurred_at, entry.draft.sequence
    cause, ref = "", None
    match data:
        case pit.CountedTable() | pit.CarriedTable():
            rows.add(t.counts, data, sequence=sequence, at=at, **_counted(data))
        case pit.CarriedFill() | pit.ReceivedFill() | pit.CarriedCredit():
            key = slip_of(data)
            assert key is not None
            rows.merge(t.slips, key._asdict().items(), **step_of(data, at))  # of its contents or shift it says nothing
            cause, ref = key.slip, str(key.number)
        case pit.SoldChips():
            cause = data.instrument
        case pit.IssuedCounterCheck():
            cause, ref = "counter_check", data.serial
        case pit.ChangedChips():
            cause = "change"
        case pit.DroppedCoupon():
            cause, ref = "coupon", data.coupon
        case pit.WaivedVigorish():
            cause, ref = "waived", data.round_id
        case pit.ExchangedBox():
            rows.add(t.boxes, data, exchange=sequence, box=data.removed_box, removed_at=at)
        case pit.TransportedBox():
            rows.add(t.transports, data, sequence=sequence, at=at)
        case _ if type(data) in _CHECKS:
            check, done_by = _CHECKS[type(data)]
            done = {"check": check, "sequence": sequence, "at": at, "by": getattr(data, done_by)}
            rows.add(t.equipment, data, **done, data=data.model_dump(mode="json", exclude_none=True))
    if cause and fact.moved is not None:  # tips, and vigorish collected or returned, move nothing of the inventory
        moved = fact.moved
        rows.move(entry, fact, moved.movement, cause, moved.cents, contents=moved.contents, ref=ref)


def _counted(data: pit.CountedTable | pit.CarriedTable) -> _Row:
    row: _Row = {
        "cents": value_of(data.contents),
        "contents": stacks(data.contents),
        "card_reader": False,
        "dice": False,
    }
    match data:
        case pit.CarriedTable():
            return row | {"purpose": "carried", "counted_by": data.recorded_by, "observed_by": data.checked_by}
        case pit.OpenedTable():
            row |= {"purpose": "opener", "card_reader": data.card_reader, "dice": data.dice}
        case pit.CountedOpenTable(begins=pit.NextShift() as begun):
            row |= {"begins_day": begun.gaming_day, "begins_shift": begun.shift}
        case pit.ClosedTable():
            row["purpose"] = "closer"
    return row | {"counted_by": data.dealer, "observed_by": data.floorperson}


PROJECTOR: Final = Projector(
    tables=(
        *(t.counts, t.movements, t.requests, t.slips, t.manual_slips, t.boxes, t.transports, t.drop_counts),
        *(t.counted_boxes, t.variance_cases, t.adjustments, t.days, t.equipment, t.refusals),
    ),
    project=project,
)
