"""The read model of the ledger; facts of different shards may be applied in any order."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cache
from typing import Any, Final

from sqlalchemy import Table, delete, text, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory import tables as t
from services.table_inventory.domain.denominations import stacks
from services.table_inventory.domain.locations import held
from services.table_inventory.domain.pit import slip_of, step_of
from shared.contracts import (
    alarms,
    cage,
    cage_locations,
    check_collection,
    contests,
    counts,
    credit_lines,
    inventory,
    investigations,
    pit,
    pit_changes,
    ratings,
    tips,
    win,
)
from shared.contracts.chips import Contents, value_of
from shared.contracts.envelope import pit_source
from shared.contracts.facts import Fact
from shared.contracts.reports import ReportStatus
from shared.journal import bulk
from shared.journal.entry import Entry
from shared.journal.recording import Recorded
from shared.runtime.ingest.pit_events import PitEventRows, PitPlace
from shared.runtime.projector import Projector, Transaction

_CHECKS: Final[Mapping[type[pit.PitData], tuple[str, str]]] = {
    pit.ChangedCards: ("cards", "changed_by"),
    pit.ChangedDice: ("dice", "changed_by"),
    pit.InspectedCardReader: ("card_reader", "inspected_by"),
    pit.CountedStub: ("stub", "dealer"),
}
"""What an equipment event is about, and the field with the person responsible."""


async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
    """Apply facts to the read model."""
    rows = _Rows()
    stands = await _what_stands(transaction.connection, recorded)
    for entry, fact in recorded:
        if type(fact) in _KEPT:
            write, table, more = _KEPT[type(fact)]
            rows.keep(write, table, fact, **more)
        rows.touch(entry, fact)
        rows.hold(entry, fact)
        if isinstance(fact, _OF_PIT) and fact.desk_change is not None:
            effect = "superseded" if isinstance(fact, inventory.PitNoted) else "recorded"
            rows.keep(_merge, t.pit_change_outcomes, fact, change=fact.desk_change, effect=effect)
        match fact:
            case pit_changes.PitChangeApproved():
                place = {"shard": entry.shard, "seq": entry.seq}
                rows.keep(_update, t.pit_changes, fact, **place, status="approved")
            case pit_changes.PitChangeProposed():
                place = {"shard": entry.shard, "seq": entry.seq}
                rows.keep(_insert, t.pit_changes, fact, **place, status="proposed", voids=fact.instead is None)
            case inventory.UpstreamNoted():
                _upstream(rows, fact)
            case win.WinStated():
                rows.keep(_merge, t.wins_stated, fact, **_stated(entry, fact))
            case inventory.TableRoundCounted():
                rows.move(entry, fact, inventory.Moved(movement="wager", cents=fact.cents), "round", fact.round_id)
            case inventory.PitRecorded():
                _pit(rows, entry, fact, stands=stands[_place(fact)] == (entry.shard, entry.seq))
            case inventory.PitVoided():
                _voided(rows, entry, fact)
            case inventory.SlipPrepared():
                rows.keep(_merge, t.slips, fact, cents=value_of(fact.contents))
            case inventory.CreditReceived():
                rows.keep(_merge, t.slips, fact, received_cents=value_of(fact.received_contents))
            case inventory.SlipVoided(slip="credit") if fact.returned:
                rows.move(entry, fact, _transfer(fact.returned), "credit", str(fact.number))
            case inventory.ManualSlipEntered():
                rows.keep(_insert, t.manual_slips, fact, cents=value_of(fact.contents), void=False)
                moved = _transfer(fact.contents, 1 if fact.slip == "fill" else -1)
                rows.move(entry, fact, moved, fact.slip, f"manual-{fact.number}")
            case counts.CountSealed():
                rows.keep(_insert, t.commitments, fact, shard=entry.shard, seq=entry.seq)
            case counts.CountConcluded():
                for box in fact.boxes:
                    rows.keep(_insert, t.counted_boxes, box, property=fact.property, count=fact.count)
            case cage.CheckRedeemed():
                rows.keep(_insert, t.check_steps, fact, what="redeemed", cents=-fact.cents)
            case cage.RedemptionVoided():
                rows.keep(_insert, t.check_steps, fact, what="voided", undoes=fact.voids)
            case cage.CheckReturned():
                rows.keep(_insert, t.check_steps, fact, what="returned", undoes=fact.returns)
            case check_collection.CheckCleared():
                rows.keep(_insert, t.check_steps, fact, what="cleared", cents=0, undoes=fact.clears)
            case check_collection.CollectionBegun():
                rows.keep(_insert, t.check_steps, fact, what="collection_begun", cents=0)
            case check_collection.CheckWrittenOff():
                rows.keep(_insert, t.check_steps, fact, what="written_off", cents=-fact.cents)
                key = {"property": fact.property, "check_write_off": fact.check_write_off}
                approved = {"status": "approved", "approved_by": fact.by, "approved_at": fact.at}
                rows.keep(_update, t.check_write_offs, key.items(), **approved)
            case check_collection.CheckRecovered():
                rows.keep(_insert, t.check_steps, fact, what="recovered", cents=0)
                key = {"property": fact.property, "check_write_off": fact.check_write_off}
                rows.keep(_update, t.check_write_offs, key.items(), recovered_cents=fact.recovered_cents)
            case cage.CheckReplaced():
                rows.keep(_insert, t.check_steps, fact, what="replaced")
                rows.keep(_insert, t.counter_checks, fact, table="", number=fact.step)
                owed = {"property": fact.property, "serial": fact.serial, "patron": fact.drawer}
                rows.keep(_merge, t.patron_checks, owed.items(), cents=0, issued_at=fact.first_issued_at)
                for one in fact.replaced:
                    place = {name: getattr(fact, name) for name in cage.AtCage.model_fields}
                    rows.keep(_insert, t.check_steps, one, **place, what="replaced", cents=-one.cents)
            case credit_lines.CreditLineApproved() | credit_lines.CreditLineCut():
                _credit_line(rows, fact)
            case cage.WinnerIdentified():
                change_cents = fact.withheld_cents - fact.before_cents
                place = {"shard": entry.shard, "seq": entry.seq}
                rows.keep(_insert, t.winners, fact, **place, withheld_change_cents=change_cents)
            case ratings.RatingRecorded():
                rows.keep(_insert, t.rating_steps, fact, **_step(entry, fact))
            case ratings.RatingStated():
                document = fact.model_dump(mode="json", exclude_none=True)
                moments = {"opened_at": fact.opened_at, "closed_at": fact.closed_at, "stated_at": entry.recorded_at}
                rows.keep(_merge, t.ratings_stated, fact, **moments, said=document)
            case inventory.VarianceResolved():
                said = ((name, value) for name, value in fact if name != "owner")  # it may be somebody else's since
                of_box = {"resolved_by_instrument": fact.by_instrument}
                rows.keep(_update, t.variance_cases, said, resolved_cents=fact.cents, **of_box)
    await rows.write(transaction.connection)


_OF_PIT: Final = (inventory.PitRecorded, inventory.PitVoided, inventory.PitNoted)


def _place(fact: inventory.OfPitEvent | inventory.PitNoted) -> PitPlace:
    return PitPlace(pit_source(fact.property, fact.table), fact.sequence)


async def _what_stands(
    connection: AsyncConnection, recorded: Sequence[Recorded]
) -> Mapping[PitPlace, tuple[int, int] | None]:
    """Write the versions in force of pit events, delete voided ones, and return this batch's entries in force."""
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
"""The table of a pit event's row, and the column with its position in the pit stream."""


def _step(entry: Entry, fact: ratings.RatingRecorded) -> dict[str, Any]:
    is_number = fact.event == "rating.opened" and fact.step.startswith("desk/")
    return {
        "shard": entry.shard,
        "seq": entry.seq,
        "recorded_at": entry.recorded_at,
        "opening": int(fact.rating.rpartition("-")[2]) if is_number else None,
        "said": fact.model_dump(mode="json", exclude_none=True),
    }


def _stated(entry: Entry, fact: win.WinStated) -> dict[str, Any]:
    said = fact.model_dump(mode="json", include={"figures", "missing", "counts", "boxes", "times"})
    return {**said, "stated_at": entry.recorded_at}


def _upstream(rows: "_Rows", fact: inventory.UpstreamNoted) -> None:
    """Add a report of round settlement about its input."""
    for first, last, is_open in ((fact.first, fact.last, True), (fact.filled, fact.filled, False)):
        if first is not None:
            gap = {"source": fact.source, "first": first, "is_open": is_open, "last": last, "property": fact.property}
            rows.keep(_merge, t.upstream_gaps, gap.items())
    if (refused := fact.quarantined) is not None:
        said = {"shard": refused.shard, "seq": refused.seq, "property": fact.property, "source": fact.source}
        said["sequence"] = fact.sequence
        rows.keep(_refuse, t.upstream_quarantine, said.items(), reason=fact.reason, is_closed=False, is_mended=False)
    for closed in fact.closed:
        rows.keep(_merge, t.upstream_quarantine, closed, is_closed=True, is_mended=fact.mended)
    for shard, seq in (place for one in fact.closed_ranges for place in one.places()):
        there = {"shard": shard, "seq": seq}
        rows.keep(_merge, t.upstream_quarantine, there.items(), is_closed=True, is_mended=False)


def touched(fact: Fact) -> Iterator[tuple[str, str, date]]:
    """Yield (property, table, gaming day) for each table day whose win a fact may change."""
    match fact:
        case inventory.PitRecorded() | inventory.PitVoided() if isinstance(fact.data, _OF_WIN):
            begins = getattr(fact.data, "begins", None)
            more = (fact.claimed_day, fact.slip_day, getattr(begins, "gaming_day", None))
            for day in {fact.gaming_day, *(one for one in more if one is not None)}:
                yield fact.property, fact.table, day
        case counts.CountConcluded():
            for box in fact.boxes:
                yield fact.property, box.table, box.gaming_day
        case inventory.SlipVoided():
            yield fact.property, fact.table, fact.gaming_day
            yield fact.property, fact.table, fact.voided_at.date()  # about when what was on its way went back
        case inventory.OfTableDay() if isinstance(fact, _TOUCHING):
            yield fact.property, fact.table, fact.gaming_day


_OF_WIN: Final = (
    *(pit.CountedTable, pit.CarriedTable, pit.ReceivedFill, pit.CarriedFill, pit.CarriedCredit, pit.GivenChips),
    *(pit.DroppedCoupon, pit.WaivedVigorish, pit.ExchangedBox, pit.TransportedBox),
)
_TOUCHING: Final = (
    *(inventory.SlipPrepared, inventory.SlipStep, inventory.ManualSlipEntered),
    *(inventory.AdjustmentApproved, inventory.BoxWrittenOff),
)


def _transfer(contents: Contents, sign: int = 1) -> inventory.Moved:
    cents = sign * value_of(contents)
    return inventory.Moved(movement="transfer", cents=cents, contents=stacks(contents, sign))


_Write = Callable[[Table, tuple[str, ...]], bulk.Statement]
"""Return the statement that writes rows of a table with these columns."""

_Columns = tuple[Table, tuple[str, ...]]
_Row = dict[str, Any]
_Said = Iterable[tuple[str, Any]]
"""Names and values, for example of a fact."""


def _values(table: Table, columns: tuple[str, ...]) -> list[str]:
    key = bulk.primary_key(table)
    return [one for one in columns if one not in key]


@cache
def _insert(table: Table, columns: tuple[str, ...]) -> bulk.Statement:
    return bulk.insert(table, columns)


@cache
def _merge(table: Table, columns: tuple[str, ...]) -> bulk.Statement:
    """Insert a row or update the existing one: for rows to which several shards contribute."""
    return bulk.insert(table, columns, on_conflict=bulk.replaced(table, *_values(table, columns)))


@cache
def _refuse(table: Table, columns: tuple[str, ...]) -> bulk.Statement:
    """Insert a refused record, or add the owner to one that is already known as closed."""
    return bulk.insert(table, columns, on_conflict=bulk.replaced(table, "property", "source", "sequence", "reason"))


@cache
def _update(table: Table, columns: tuple[str, ...]) -> bulk.Statement:
    """Update a row written by an earlier entry of the same shard."""
    return bulk.update(table, _values(table, columns))


_KEPT: Final[Mapping[type[Fact], tuple[_Write, Table, _Row]]] = {
    inventory.SlipRequested: (_insert, t.requests, {}),
    inventory.RequestWithdrawn: (_update, t.requests, {}),
    inventory.SlipVoided: (_merge, t.slips, {}),
    inventory.ManualSlipVoided: (_insert, t.manual_slips, {"void": True}),
    counts.CountOpened: (_insert, t.drop_counts, {}),
    counts.CountConcluded: (_update, t.drop_counts, {}),
    inventory.VarianceOwned: (_merge, t.variance_cases, {}),
    alarms.AlarmOwned: (_merge, t.alarm_cases, {}),
    alarms.AlarmResolved: (_update, t.alarm_cases, {}),
    inventory.AdjustmentEntered: (_insert, t.adjustments, {"status": "entered"}),
    inventory.AdjustmentApproved: (_update, t.adjustments, {"status": "approved"}),
    inventory.AdjustmentRejected: (_update, t.adjustments, {"status": "rejected"}),
    cage.CageMoved: (_insert, t.cage_movements, {}),
    cage.CageVoided: (_insert, t.cage_movements, {}),
    investigations.InvestigationOpened: (_insert, t.investigations, {}),
    investigations.InvestigationAssigned: (_update, t.investigations, {}),
    investigations.InvestigationConcluded: (_update, t.investigations, {}),
    cage_locations.CageTransferIssued: (_insert, t.cage_transfers, {"status": "issued"}),
    cage_locations.CageTransferReceived: (_update, t.cage_transfers, {"status": "received"}),
    cage_locations.CageTransferReturned: (_update, t.cage_transfers, {"status": "returned"}),
    cage_locations.CageCountEntered: (_insert, t.cage_counts, {"status": "entered"}),
    cage_locations.CageCountVerified: (_update, t.cage_counts, {"status": "verified"}),
    cage_locations.CageCountRejected: (_update, t.cage_counts, {"status": "rejected"}),
    contests.ContestEntered: (_insert, t.contests, {"status": "entered"}),
    contests.ContestApproved: (_update, t.contests, {"status": "approved"}),
    contests.ContestRejected: (_update, t.contests, {"status": "rejected"}),
    tips.TipHoursEntered: (_insert, t.tip_hours, {"status": "entered"}),
    tips.TipHoursApproved: (_update, t.tip_hours, {"status": "approved"}),
    tips.TipHoursRejected: (_update, t.tip_hours, {"status": "rejected"}),
    check_collection.CheckWriteOffEntered: (_insert, t.check_write_offs, {"status": "entered", "recovered_cents": 0}),
    check_collection.CheckWriteOffRejected: (_update, t.check_write_offs, {"status": "rejected"}),
    credit_lines.CreditLineRequested: (_insert, t.credit_line_requests, {}),
    credit_lines.CreditLineVerified: (_update, t.credit_line_requests, {}),
    credit_lines.CreditLineDeclined: (_update, t.credit_line_requests, {}),
    credit_lines.CheckPrepared: (_merge, t.patron_checks, {}),
    credit_lines.PreparationVoided: (_merge, t.patron_checks, {}),
    inventory.WriteOffEntered: (_insert, t.write_offs, {"status": "entered"}),
    inventory.BoxWrittenOff: (_update, t.write_offs, {"status": "approved"}),
    inventory.WriteOffRejected: (_update, t.write_offs, {"status": "rejected"}),
    pit_changes.PitChangeRejected: (_update, t.pit_changes, {"status": "rejected"}),
    inventory.DayPreliminary: (_insert, t.days, {"status": ReportStatus.PRELIMINARY}),
    inventory.DayAudited: (_update, t.days, {}),
    inventory.DayFinal: (_update, t.days, {"status": ReportStatus.FINAL}),
}
"""Facts that are written as one row: the statement, the table, and additional columns."""


class _Rows:
    """The rows of a batch, with one statement per table and set of columns."""

    def __init__(self) -> None:
        self._movements: list[_Row] = []
        self._brought: dict[tuple[str, str], int] = {}
        self._held: dict[tuple[Any, ...], int] = {}
        self._moved: dict[tuple[Any, ...], list[int]] = {}
        self._kept: dict[_Write, dict[tuple[Table, tuple[str, ...]], list[_Row]]] = {
            _insert: {},
            _merge: {},
            _refuse: {},
            _update: {},
        }
        self._touched: dict[tuple[Any, ...], Entry] = {}

    def keep(self, write: _Write, table: Table, said: _Said, /, **more: Any) -> None:
        """Write a row with those fields of a fact that are columns of the table."""
        row = {name: value for name, value in said if name in table.c} | more
        self._kept[write].setdefault((table, tuple(row)), []).append(row)

    def touch(self, entry: Entry, fact: Fact) -> None:
        """Mark the table days whose win may have changed."""
        for key in touched(fact):
            self._touched[*key, entry.shard] = entry

    def move(
        self, entry: Entry, fact: Any, moved: inventory.Moved, cause: str, ref: str | None, *, stands: bool = True
    ) -> None:
        """Add a movement of a table inventory; one not in force only enters the sums, as does its reversal."""
        rounds: int = getattr(fact, "rounds", 0)
        if stands:
            place = {"shard": entry.shard, "seq": entry.seq, "at": entry.draft.occurred_at}
            of_fact = {"property": fact.property, "table": fact.table, "gaming_day": fact.gaming_day}
            of_round = {"rounds": rounds, "revision": getattr(fact, "revision", None) if rounds else None}
            self._movements.append({**place, **of_fact, **of_round, **dict(moved), "cause": cause, "ref": ref})
        hour = entry.draft.occurred_at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
        sums = self._moved.setdefault((fact.property, fact.table, hour, cause, entry.shard), [0, 0, 0, 0])
        sums[0] += moved.cents
        sums[1] += rounds
        is_unknown = moved.contents is None and moved.cents != 0
        sign = -1 if rounds < 0 or isinstance(fact, inventory.PitVoided) else 1
        sums[2] += sign * is_unknown
        sums[3] += sign * (cause == "coupon")

    def bring_forward(self, entry: Entry) -> None:
        """Add the opening balance that an entry posts for a table."""
        for account, cents in entry.draft.postings:
            if account.leg == "brought_forward":
                key = (account.property, account.table)
                self._brought[key] = self._brought.get(key, 0) - cents

    def hold(self, entry: Entry, fact: Fact) -> None:
        """Add what an entry changes of the money at the cage."""
        for place, cause, cents in held(fact, entry.draft.postings):
            key = (*place, cause, entry.shard)
            self._held[key] = self._held.get(key, 0) + cents

    async def write(self, connection: AsyncConnection) -> None:
        """Write the rows; the last change of a row wins."""
        await bulk.copy(connection, t.movements, self._movements)
        added = ((*key, *sums) for key, sums in sorted(self._moved.items()))
        await _ADD_MOVED.write(connection, bulk.keyed(_ADD_MOVED, added))
        brought = ((*key, cents) for key, cents in sorted(self._brought.items()))
        await _BRING_FORWARD.write(connection, bulk.keyed(_BRING_FORWARD, brought))
        in_book = ((*key, cents) for key, cents in sorted(self._held.items()))
        await _HOLD.write(connection, bulk.keyed(_HOLD, in_book))
        latest = ((*key, entry.seq, entry.recorded_at) for key, entry in sorted(self._touched.items()))
        await _TOUCH.write(connection, bulk.keyed(_TOUCH, latest))
        for write, tables in self._kept.items():
            for (table, columns), rows in tables.items():
                key = bulk.primary_key(table)
                last = {tuple(row[name] for name in key): row for row in rows}
                written = await write(table, columns).read(connection, rows if write is _insert else last.values())
                assert write is _insert or written.rowcount == len(last), (
                    f"{written.rowcount} of {len(last)} in {table}"
                )


_ADDED: Final = bulk.excluded(t.moved)
_ADD_MOVED: Final = bulk.insert(
    t.moved, on_conflict={name: t.moved.c[name] + _ADDED[name] for name in ("cents", "rounds", "unknown", "coupons")}
)


_BRING_FORWARD: Final = bulk.insert(t.brought_forward, on_conflict=bulk.added(t.brought_forward, "cents"))
_HOLD: Final = bulk.insert(t.cage_book, on_conflict=bulk.added(t.cage_book, "cents"))
_TOUCH: Final = bulk.insert(t.touched, on_conflict=bulk.replaced(t.touched, "seq", "recorded_at"))


def _credit_line(rows: _Rows, fact: credit_lines.CreditLineApproved | credit_lines.CreditLineCut) -> None:
    """Record an approval, and the terms of a patron's credit line once they are other ones."""
    if isinstance(fact, credit_lines.CreditLineApproved):
        rows.keep(_update, t.credit_line_requests, fact)
    if fact.terms is not None:
        at = fact.approved_at if isinstance(fact, credit_lines.CreditLineApproved) else fact.at
        who = {"property": fact.property, "patron": fact.patron}
        rows.keep(_merge, t.credit_lines, fact.terms, **who, changed_at=at)


def _issued(rows: _Rows, data: pit.IssuedCounterCheck, at: datetime | None) -> None:
    """Record that a table issued a counter check, or that it did not."""
    issued = {"drawer": data.drawer, "issued_cents": data.cents} if at else {"drawer": None, "issued_cents": None}
    key = {"property": data.property, "serial": data.serial}
    rows.keep(_merge, t.patron_checks, key.items(), **issued, issued_at=at)


def _pit(rows: _Rows, entry: Entry, fact: inventory.PitRecorded, *, stands: bool) -> None:
    """Add a pit event: a count, a step of a slip, a box, an equipment check, a movement."""
    data, at, sequence = fact.data, entry.draft.occurred_at, fact.sequence
    rows.bring_forward(entry)
    if fact.moved is not None and (cause := _cause(data)) is not None:
        rows.move(entry, fact, fact.moved, *cause, stands=stands)
    if not stands:
        return
    match data:
        case pit.CountedTable() | pit.CarriedTable():
            contents = {"cents": value_of(data.contents), "contents": stacks(data.contents)}
            rows.keep(_insert, t.counts, data, sequence=sequence, at=at, **contents, **_counted(data))
        case pit.CarriedFill() | pit.ReceivedFill() | pit.CarriedCredit():
            key = slip_of(data)
            rows.keep(_merge, t.slips, key._asdict().items(), **step_of(data, at))  # of its contents it says nothing
        case pit.IssuedCounterCheck():
            rows.keep(_insert, t.counter_checks, data, number=sequence)
            _issued(rows, data, at)
        case pit.ExchangedBox():
            rows.keep(_insert, t.boxes, data, exchange=sequence, box=data.removed_box, removed_at=at)
        case pit.TransportedBox():
            rows.keep(_insert, t.transports, data, sequence=sequence, at=at)
        case _ if type(data) in _CHECKS:
            check, done_by = _CHECKS[type(data)]
            done = {"check": check, "sequence": sequence, "at": at, "by": getattr(data, done_by)}
            rows.keep(_insert, t.equipment, data, **done, data=data.model_dump(mode="json", exclude_none=True))


def _voided(rows: _Rows, entry: Entry, fact: inventory.PitVoided) -> None:
    """Deduct what a voided pit event moved; undo its step of a slip."""
    rows.bring_forward(entry)
    if fact.moved is not None and (cause := _cause(fact.data)) is not None:
        rows.move(entry, fact, fact.moved, *cause, stands=False)
    if isinstance(fact.data, pit.CarriedFill | pit.ReceivedFill | pit.CarriedCredit):
        key, undone = slip_of(fact.data), dict.fromkeys(step_of(fact.data, entry.draft.occurred_at))
        rows.keep(_merge, t.slips, key._asdict().items(), **undone)
    if isinstance(fact.data, pit.IssuedCounterCheck):
        _issued(rows, fact.data, None)


def _cause(data: pit.PitData) -> tuple[str, str | None] | None:
    """Return the cause of a movement and its reference; None if the entry does not move the inventory."""
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


def _counted(data: pit.CountedTable | pit.CarriedTable) -> _Row:
    """Return the purpose of a count, the people, and the shift that begins with it."""
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


PROJECTOR: Final = Projector(
    tables=(
        *(t.counts, t.movements, t.moved, t.requests, t.slips, t.manual_slips, t.boxes, t.transports, t.drop_counts),
        *(
            t.counted_boxes,
            t.commitments,
            t.variance_cases,
            t.alarm_cases,
            t.adjustments,
            t.contests,
            t.tip_hours,
            t.check_steps,
            t.days,
        ),
        *(t.equipment, t.cage_movements, t.winners, t.investigations),
        *(t.cage_book, t.cage_transfers, t.cage_counts),
        *(t.patron_checks, t.credit_lines, t.credit_line_requests, t.check_write_offs),
        *(t.write_offs, t.touched, t.wins_stated, t.upstream_gaps, t.upstream_quarantine),
        *(t.rating_steps, t.ratings_stated),
        *(t.counter_checks, t.pit_events, t.brought_forward, t.pit_changes, t.pit_change_outcomes),
    ),
    project=project,
)
