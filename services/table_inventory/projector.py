"""The read model of the ledger: the rows that follow from its facts, in whatever order of the shards."""

from collections.abc import Mapping, Sequence
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
            case counts.CountOpened() | counts.CountSealed():
                _count(rows, fact)
            case inventory.AdjustmentEntered():
                _adjustment(rows, fact)
            case inventory.DayClosed():
                _day(rows, fact)
            case CommandRefused(property=str()):  # what is refused at the door is of no property
                _refused(rows, entry, fact)
            case _:
                _desk(rows, entry, fact)
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


class _Rows:
    """The rows of a batch, one statement for those of a table with the same columns."""

    def __init__(self) -> None:
        self._movements: list[_Row] = []
        self._new: dict[_Columns, list[_Row]] = {}
        self._merged: dict[_Columns, dict[tuple[Any, ...], _Row]] = {}
        self._changed: dict[_Columns, dict[tuple[Any, ...], _Row]] = {}

    def add(self, table: Table, /, **row: Any) -> None:
        """Add a row."""
        self._new.setdefault((table, tuple(row)), []).append(row)

    def merge(self, table: Table, /, **row: Any) -> None:
        """Add a row, or give these values to the one that is there: for what several shards tell of one thing."""
        self._merged.setdefault((table, tuple(row)), {})[_key(table, row)] = row

    def change(self, table: Table, /, **row: Any) -> None:
        """Give a row that is there, by an entry of the same shard, new values."""
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
        self._movements.append(
            {
                "shard": entry.shard,
                "seq": entry.seq,
                "property": fact.property,
                "table": fact.table,
                "at": entry.draft.occurred_at,
                "gaming_day": fact.gaming_day,
                "movement": movement,
                "cause": cause,
                "cents": cents,
                "contents": contents,
                "rounds": getattr(fact, "rounds", 0),
                "ref": ref,
                "revision": getattr(fact, "revision", None),
            }
        )

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


def _key(table: Table, row: _Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in bulk.primary_key(table))


def _desk(rows: _Rows, entry: Entry, fact: Any) -> None:
    """Add what the pit, the cage and revenue audit do, one step after the other."""
    match fact:
        case inventory.SlipPrepared():
            rows.merge(t.slips, **dict(fact), cents=value_of(fact.contents))
        case inventory.SlipRequested():
            rows.add(t.requests, **dict(fact))
        case inventory.CreditReceived():
            received = {"received_by": fact.received_by, "received_at": fact.received_at}
            contents = {"received_contents": fact.contents, "received_cents": value_of(fact.contents)}
            rows.merge(t.slips, **_key_of(fact), **received, **contents)
        case inventory.SlipVoided():
            void = {"voided_by": fact.voided_by, "voided_at": fact.voided_at, "void_reason": fact.reason}
            rows.merge(t.slips, **_key_of(fact), **void, returned=bool(fact.returned))
            if fact.slip == "credit" and fact.returned:
                cents, what = value_of(fact.returned), stacks(fact.returned)
                rows.move(entry, fact, "transfer", "credit", cents, contents=what, ref=str(fact.number))
        case inventory.ManualSlipEntered():
            cents = value_of(fact.contents)
            _paper(rows, fact, fact.entered_by, fact.entered_at, table=fact.table, cents=cents, void=False)
            sign = 1 if fact.slip == "fill" else -1
            what, ref = stacks(fact.contents, sign), f"manual-{fact.number}"
            rows.move(entry, fact, "transfer", fact.slip, sign * cents, contents=what, ref=ref)
        case inventory.ManualSlipVoided():
            _paper(rows, fact, fact.voided_by, fact.voided_at, table=None, cents=None, void=True)
        case inventory.VarianceOwned():
            rows.merge(t.variance_cases, **_case(fact), owner=fact.owner, owned_at=fact.at)
        case inventory.VarianceResolved():
            resolved = {"resolved_cents": fact.cents, "resolved_at": fact.at, "conclusion": fact.conclusion}
            rows.change(t.variance_cases, **_case(fact), **resolved)


def _key_of(fact: inventory.SlipStep) -> dict[str, Any]:
    return {"property": fact.property, "slip": fact.slip, "number": fact.number}


def _paper(
    rows: _Rows, fact: inventory.ManualSlipEntered | inventory.ManualSlipVoided, by: str, at: Any, **values: Any
) -> None:
    row = fact.model_dump(include={"property", "slip", "number", "gaming_day", "reason"})
    rows.add(t.manual_slips, **row, entered_by=by, entered_at=at, **values)


def _case(fact: inventory.VarianceRef) -> dict[str, Any]:
    return {"property": fact.property, "table": fact.table, "variance": fact.variance, "number": fact.number}


def _count(rows: _Rows, fact: counts.CountOpened | counts.CountSealed) -> None:
    match fact:
        case counts.CountConcluded():
            key = {"property": fact.property, "count": fact.count}
            rows.change(t.drop_counts, **key, concluded_by=fact.concluded_by, concluded_at=fact.concluded_at)
            for box in fact.boxes:
                rows.add(t.counted_boxes, **key, **dict(box))
        case counts.CountOpened():
            rows.add(t.drop_counts, **dict(fact))
        case counts.CountSealed():
            pass  # who counted is seen with what was sealed


def _adjustment(rows: _Rows, fact: inventory.AdjustmentEntered) -> None:
    key = {"property": fact.property, "gaming_day": fact.gaming_day, "adjustment": fact.adjustment}
    match fact:
        case inventory.AdjustmentApproved():
            approved = {"approved_by": fact.approved_by, "approved_at": fact.approved_at}
            rows.change(t.adjustments, **key, status="approved", **approved)
        case inventory.AdjustmentRejected():
            rejected = {"rejected_by": fact.rejected_by, "rejected_at": fact.rejected_at}
            reason = fact.rejection_reason
            rows.change(t.adjustments, **key, status="rejected", **rejected, rejection_reason=reason)
        case _:
            rows.add(t.adjustments, **dict(fact), status="entered")


def _day(rows: _Rows, fact: inventory.DayClosed) -> None:
    key = {"property": fact.property, "gaming_day": fact.gaming_day}
    match fact:
        case inventory.DayPreliminary():
            closed = {"preliminary_by": fact.by, "preliminary_at": fact.at, "excused": fact.excused}
            rows.add(t.days, **key, status=ReportStatus.PRELIMINARY, **closed)
        case inventory.DayAudited():
            rows.change(t.days, **key, status=ReportStatus.AUDITED, audited_by=fact.by, audited_at=fact.at)
        case inventory.DayFinal():
            sealed = {"final_by": fact.by, "final_at": fact.at, "hash": fact.hash, "report": fact.report}
            rows.change(t.days, **key, status=ReportStatus.FINAL, **sealed)


def _refused(rows: _Rows, entry: Entry, fact: CommandRefused) -> None:
    rows.add(
        t.refusals,
        shard=entry.shard,
        seq=entry.seq,
        **fact.model_dump(include={"property", "gaming_day", "at", "by", "command", "detail"}),
        asked=fact.asked or {},
    )


def _pit(rows: _Rows, entry: Entry, fact: inventory.PitRecorded) -> None:
    """Add what a pit event says: a count, a step of a slip, a box, a check of the equipment, a movement."""
    data, at = fact.data, entry.draft.occurred_at
    of_table = {"property": fact.property, "table": fact.table}
    sequence, on_day = {"sequence": entry.draft.sequence}, {"gaming_day": fact.gaming_day, "shift": fact.shift}
    cause, ref = "", None
    match data:
        case pit.CountedTable() | pit.CarriedTable():
            rows.add(t.counts, **of_table, **sequence, at=at, **on_day, **_counted(data))
        case pit.CarriedFill() | pit.ReceivedFill() | pit.CarriedCredit():
            key = slip_of(data)
            assert key is not None
            rows.merge(t.slips, **key._asdict(), **step_of(data, at))
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
            exchange = {"exchange": entry.draft.sequence, "box": data.removed_box}
            rows.add(t.boxes, **of_table, **exchange, **on_day, removed_at=at)
        case pit.TransportedBox():
            rows.add(t.transports, **of_table, **sequence, box=data.box, at=at)
        case _ if type(data) in _CHECKS:
            check, done_by = _CHECKS[type(data)]
            done = {"check": check, "at": at, "gaming_day": fact.gaming_day, "by": getattr(data, done_by)}
            rows.add(t.equipment, **of_table, **sequence, **done, data=data.model_dump(mode="json", exclude_none=True))
    if cause and fact.moved is not None:  # tips, and vigorish collected or returned, move nothing of the inventory
        moved = fact.moved
        rows.move(entry, fact, moved.movement, cause, moved.cents, contents=moved.contents, ref=ref)


def _counted(data: pit.CountedTable | pit.CarriedTable) -> dict[str, Any]:
    row: dict[str, Any] = {"cents": value_of(data.contents), "contents": stacks(data.contents)}
    row |= {"begins_day": None, "begins_shift": None, "game": None, "card_reader": False, "dice": False}
    match data:
        case pit.CarriedTable():
            return row | {"purpose": "carried", "counted_by": data.recorded_by, "observed_by": data.checked_by}
        case pit.OpenedTable():
            row |= {"purpose": "opener", "game": data.game, "card_reader": data.card_reader, "dice": data.dice}
        case pit.ClosedTable():
            row["purpose"] = "closer"
        case pit.CountedOpenTable():
            row["purpose"] = data.purpose
            if data.begins is not None:
                row |= {"begins_day": data.begins.gaming_day, "begins_shift": data.begins.shift}
    return row | {"counted_by": data.dealer, "observed_by": data.floorperson}


PROJECTOR: Final = Projector(
    tables=(
        t.counts,
        t.movements,
        t.requests,
        t.slips,
        t.manual_slips,
        t.boxes,
        t.transports,
        t.drop_counts,
        t.counted_boxes,
        t.variance_cases,
        t.adjustments,
        t.days,
        t.equipment,
        t.refusals,
    ),
    project=project,
)
