"""The effects of pit events and settled rounds on a table inventory.

§ 465a.36(b) permits six kinds of movements. Every event that moves chips is of one of these kinds, except tips.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Final, Literal, NamedTuple

from services.table_inventory.domain.accounts import TableAccounts
from services.table_inventory.domain.denominations import Stacks, added, stacks
from services.table_inventory.domain.dependents import Dependents
from services.table_inventory.domain.people import law_of_slips
from services.table_inventory.domain.rake import non_banking
from services.table_inventory.domain.slips import STEPS, Slip, SlipKey
from shared.contracts import pit
from shared.contracts.chips import Pieces, value_of
from shared.contracts.envelope import Event
from shared.contracts.facts import name_and_version
from shared.contracts.inventory import (
    Moved,
    Movement,
    OfTableDay,
    PitRecorded,
    TableResultNoted,
    TableRoundCounted,
)
from shared.contracts.money import amount
from shared.contracts.property_snapshot import PropertyLookup, PropertySnapshot, in_pit
from shared.contracts.rejection import Rejected
from shared.contracts.settlement_views import CountedResult, PostedRound, ReversedRound, UncountedResult
from shared.contracts.settlements import RoundKey
from shared.contracts.table_kinds import require_of_its_kind
from shared.journal.entry import Posting
from shared.journal.recording import FactWithPostings
from shared.rules.errors import Refused
from shared.runtime.ingest.pit_events import PitEventsKnown, PitPlace

SlipStep = pit.CarriedFill | pit.ReceivedFill | pit.CarriedCredit
FirstCount = pit.CountedTable | pit.CarriedTable
"""The events that may be the first count of a table."""


class TableKey(NamedTuple):
    """The key of a table: property and name."""

    property: str
    table: str


BoxName = tuple[str, str]
"""The key of a drop box by its name: (property, box)."""


@dataclass(slots=True)
class Books:
    """The data of a table's opening balance: the first count, less all earlier movements except rounds.

    `brought_cents` is the recorded opening balance. `counts` maps (moment, sequence) to cents for the earliest counts.
    `moved_until` maps a moment to the cents of recorded movements until then. `moved` lists movements that are not
    recorded yet, as (moment, cents).
    """

    brought_cents: int = 0
    counts: dict[tuple[datetime, int], int] = field(default_factory=dict)
    moved: list[tuple[datetime, int]] = field(default_factory=list)
    moved_until: dict[datetime, int] = field(default_factory=dict)
    begin_again: bool = False
    """Whether the first count changes, so that the opening balance must be computed again."""

    def begun(self) -> int:
        """Update the opening balance, and return its change in cents."""
        wanted = 0
        if self.counts:
            (at, _), cents = min(self.counts.items())
            wanted = cents - self.moved_until.get(at, 0) - sum(cents for moment, cents in self.moved if moment <= at)
        changed, self.brought_cents, self.begin_again = wanted - self.brought_cents, wanted, False
        return changed


class PreparedCheck(NamedTuple):
    """A counter check as prepared for a patron at a table."""

    table: str
    patron: str
    cents: int
    is_void: bool = False

    def __str__(self) -> str:
        return f"{amount(self.cents)} for {self.patron} at {self.table}"


@dataclass(slots=True)
class Known:
    """The properties, slips, books, counter checks and boxes that a batch of pit events refers to."""

    places: PropertyLookup
    slips: dict[SlipKey, Slip] = field(default_factory=dict)
    books: dict[TableKey, Books] = field(default_factory=dict)
    """The books of tables that were never counted, and of tables with a count that the batch changes."""
    checks: set[tuple[str, str]] = field(default_factory=set)
    """The counter checks of the batch that exist already: (property, serial number)."""
    prepared: Mapping[tuple[str, str], PreparedCheck] = field(default_factory=dict)
    """The counter checks of the batch that were prepared, by (property, serial number)."""
    boxes: dict[BoxName, set[str]] = field(default_factory=dict)
    """The tables on which each drop box of the batch currently is, by box name."""
    events: PitEventsKnown[PitRecorded] = field(default_factory=PitEventsKnown)
    dependents: dict[PitPlace, Dependents] = field(default_factory=dict)
    """The records that depend on the events that the batch changes, by the position of the change."""

    def copied(self) -> "Known":
        """Return a copy whose changes do not affect this state."""
        books = {key: replace(one, counts=dict(one.counts), moved=list(one.moved)) for key, one in self.books.items()}
        boxes = {name: set(tables) for name, tables in self.boxes.items()}
        return replace(self, slips=dict(self.slips), books=books, checks=set(self.checks), boxes=boxes)

    def take(self, trial: "Known") -> None:
        """Replace this state by the state of a copy."""
        self.slips, self.books, self.checks, self.boxes = trial.slips, trial.books, trial.checks, trial.boxes


AT_COUNTS: Final = (pit.CountedTable, pit.CarriedTable, pit.ExchangedBox, pit.TransportedBox)
"""Events that may claim a gaming day within the pit's margin. Other events belong to the gaming day of their moment."""


def slip_of(data: SlipStep) -> SlipKey:
    """Return the key of the slip that a pit event is a step of."""
    return SlipKey(data.property, "credit" if isinstance(data, pit.CarriedCredit) else "fill", data.number)


def record_pit(event: Event[Any], known: Known, *, boxes_stay: bool = False, **again: Any) -> FactWithPostings:
    """Return the fact that records a pit event.

    The event is recorded on the gaming day that it claims, or on that of its moment if the claimed day is not possible.
    `again` has the `revision` and `correction` of an event that was recorded before. `boxes_stay`: the event does not
    change which boxes are on tables.

    Raises: Refused if the property, table or slip is unknown, if this kind of table has no such event, if the property
    refuses the gaming day, or if one person took two steps that need different people.
    """
    place, day = in_pit(known.places, event.data, event.time)
    if not isinstance(event.data, AT_COUNTS):
        day = place.gaming_day(event.time)
    require_of_its_kind(event.data, place, day)
    _require_known(event.data, place, known, boxes_stay=boxes_stay)
    require_pieces(event.data, place, day)
    data, claimed = _on_its_days(event.data, event.time, place, day)
    moved, postings = _money(data, event, known, place)
    books = known.books.get(TableKey(data.property, data.table))
    if moved is not None and books is not None:
        books.moved.append((event.time, moved.cents))
    at_table = {name: getattr(data, name) for name in pit.PitData.model_fields}
    fact = PitRecorded(
        event=name_and_version(event.type)[0],
        sequence=event.sequence,
        **at_table,
        moved=moved,
        claimed_day=claimed,
        slip_day=_slip_day(data, known),
        non_banking=non_banking(place, data.table, day),
        data=data,
        **again,
    )
    return FactWithPostings(fact=fact, postings=postings, occurred_at=event.time)


def _require_known(data: pit.PitData, place: PropertySnapshot, known: Known, *, boxes_stay: bool) -> None:
    """Raise Refused if an event contradicts the property's shifts, issued checks or boxes."""
    begun = data.begins if isinstance(data, pit.CountedOpenTable) else None
    for shift in (data.shift, data.shift if begun is None else begun.shift):
        if shift not in place.shifts:
            raise Refused(f"'shift' {shift!r}: {data.property} has the shifts {', '.join(place.shifts)}")
    match data:
        case pit.IssuedCounterCheck():
            if (data.property, data.serial) in known.checks:
                raise Refused(
                    f"counter check {data.serial} of {data.property} was issued already: a serial number is used once"
                )
            _require_prepared(data, place, known)
            known.checks.add((data.property, data.serial))
        case pit.ExchangedBox() if not boxes_stay:
            put_on_table((data.property, data.placed_box), data.table, known)
            known.boxes.get((data.property, data.removed_box), set()).discard(data.table)


def _require_prepared(data: pit.IssuedCounterCheck, place: PropertySnapshot, known: Known) -> None:
    """Raise Refused unless a counter check is issued as prepared, if the property has credit-line rules."""
    if place.document.credit_lines is None:
        return
    name = f"counter check {data.serial} of {data.property}"
    prepared = known.prepared.get((data.property, data.serial))
    if prepared is None:
        raise Refused(f"{name} was never prepared against a patron's credit line")
    if prepared.is_void:
        raise Refused(f"{name} is void: no table issues it")
    given = PreparedCheck(data.table, data.drawer or prepared.patron, data.cents)
    if given != prepared:
        raise Refused(f"{name} was prepared as {prepared}, and is issued as {given}")


def require_pieces(data: pit.PitData, place: PropertySnapshot, day: date) -> None:
    """Raise Refused unless an event's chips are in use at the property on a gaming day."""
    for name, value in data:
        if isinstance(value, tuple) and all(isinstance(one, Pieces) for one in value):
            why = place.why_no_pieces(value, day)
            if why is not None:
                raise Refused(f"{name!r} has {why}")


def put_on_table(box: tuple[str, str | None], table: str, known: Known) -> None:
    """Record that a box is on a table; do nothing if its name is None. Raises: Refused if it is on another table."""
    property_name, name = box
    if name is None:
        return
    on = known.boxes.setdefault((property_name, name), set())
    for other in sorted(on - {table}):
        raise Refused(f"box {name} is on {other}, as its last exchange says: it cannot be on {table}")
    on.add(table)


def _on_its_days(
    data: pit.PitData, at: datetime, place: PropertySnapshot, day: date
) -> tuple[pit.PitData, date | None]:
    """Return an event's data on the gaming day `day`, and the gaming day that it claimed (None if it is the same)."""
    claimed = None if data.gaming_day == day else data.gaming_day
    changes: dict[str, Any] = {"gaming_day": day}
    if isinstance(data, pit.CountedOpenTable) and data.begins is not None:
        begun = data.begins.gaming_day
        begins = place.day_of(begun, at, margin=place.pit_margin)
        changes["begins"] = data.begins.model_copy(update={"gaming_day": begins})
        if begins != begun and claimed is None:
            claimed = begun
    return (data if claimed is None else data.model_copy(update=changes)), claimed


def _slip_day(data: pit.PitData, known: Known) -> date | None:
    """Return the gaming day of a step's slip, or None if the step is on the same day."""
    if not isinstance(data, SlipStep):
        return None
    day = known.slips[slip_of(data)].gaming_day
    return None if day == data.gaming_day else day


_Money = tuple[Moved | None, tuple[Posting, ...]]


def _money(data: Any, event: Event[Any], known: Known, place: PropertySnapshot) -> _Money:
    table = TableAccounts(data.property, data.table)
    match data:
        case pit.CountedTable() | pit.CarriedTable():
            return None, _first_count(data, event, table, known)
        case pit.CarriedFill() | pit.ReceivedFill() | pit.CarriedCredit():
            return _slip_step(data, event.time, table, known, place)
        case pit.SoldChips():
            return _moved("cash", -data.cents, table.sold(data.instrument, data.cents), stacks(data.contents, -1))
        case pit.IssuedCounterCheck():
            postings = table.sold("counter_check", data.cents)
            return _moved("counter_check", -data.cents, postings, stacks(data.contents, -1))
        case pit.ChangedChips():
            what = added(stacks(data.taken), stacks(data.given, -1))
            return _moved("change", 0, table.transfer("inventory", "inventory", value_of(data.taken)), what)
        case pit.DroppedCoupon():
            return _moved("wager", -data.paid_cents, table.coupon(data.coupon, data.cents, data.paid_cents))
        case pit.WaivedVigorish():
            return _moved("vigorish", -data.cents, table.transfer("vigorish_waived", "inventory", data.cents))
        case pit.CollectedVigorish() | pit.ReturnedVigorish():
            return _moved("vigorish", 0, ())  # the settled round has already counted in the chips of its vigorish
        case pit.CollectedTips():
            return None, table.transfer("tip_box", "tips_payable", data.cents)
        case _:
            return None, ()


def _moved(movement: Movement, cents: int, postings: tuple[Posting, ...], contents: Stacks | None = None) -> _Money:
    return Moved(movement=movement, cents=cents, contents=contents or None), postings


def _first_count(data: FirstCount, event: Event[Any], table: TableAccounts, known: Known) -> tuple[Posting, ...]:
    """Return the postings of a table's opening balance if this is its first count; a later count posts nothing."""
    books = known.books.get(TableKey(data.property, data.table))
    if books is None:
        return ()
    begins = books.begin_again or not books.counts
    books.counts[event.time, event.sequence] = value_of(data.contents)
    return table.transfer("inventory", "brought_forward", books.begun()) if begins else ()


def _slip_step(data: SlipStep, at: datetime, table: TableAccounts, known: Known, place: PropertySnapshot) -> _Money:
    key = slip_of(data)
    law = law_of_slips(place, key.slip, data.gaming_day)
    slip = known.slips.get(key)
    if slip is None:
        raise Refused(f"{key} was never prepared", paragraph=law.source)
    if slip.table != data.table:
        raise Refused(f"{key} is for table {slip.table}, not {data.table}", paragraph=law.source)
    done = step_of(data, at)
    try:
        slip.require_free(law, **{step: done[step] for step in STEPS if step in done})
    except Rejected as rejected:
        raise Refused(rejected.detail, paragraph=rejected.cites) from rejected
    known.slips[key] = slip.after(**done)
    match data:
        case pit.CarriedFill():
            return None, table.sent("fill", slip.cents)
        case pit.ReceivedFill():
            cents = value_of(data.contents)
            return _moved("transfer", cents, table.arrived("fill", cents), stacks(data.contents))
        case pit.CarriedCredit():
            return _moved("transfer", -slip.cents, table.sent("credit", slip.cents), stacks(slip.contents, -1))


def step_of(data: SlipStep, at: datetime) -> dict[str, Any]:
    """Return the columns of a slip that a pit event sets."""
    people = {step: person for step, person in data if step in STEPS}
    if not isinstance(data, pit.ReceivedFill):
        return {**people, "carried_at": at}
    received = {"received_contents": data.contents, "received_cents": value_of(data.contents)}
    return {**people, "received_at": at, **received}


def count_round(data: PostedRound | ReversedRound, closed_at: dict[RoundKey, datetime]) -> FactWithPostings:
    """Return the fact of a settled round: its win in chips, at its closing time.

    A reversal is also dated at the round's closing time, so that the round never affected the inventory. `closed_at`
    has the closing times by round; the function adds new rounds. Raises: Refused if the round to be reversed was not
    recorded.
    """
    key = RoundKey.of(data)
    if isinstance(data, PostedRound):
        closed_at[key] = data.closed_at
    at = closed_at.get(key)
    if at is None:
        raise Refused(
            f"revision {data.revision} of round {data.round_id} is taken back, but was not counted: mend the record "
            "that posted it, then replay this one"
        )
    cents = sum(total.chips_cents for total in data.totals)
    rounds: Literal[1, -1] = 1 if isinstance(data, PostedRound) else -1
    fact = TableRoundCounted(**key._asdict(), gaming_day=data.gaming_day, rounds=rounds, cents=cents)
    postings = TableAccounts(data.property, data.table).transfer("inventory", "rounds", cents)
    return FactWithPostings(fact=fact, postings=postings, occurred_at=at)


def note_result(data: CountedResult | UncountedResult) -> Iterator[FactWithPostings]:
    """Yield the fact of a result at a counted table, or of its void, dated at the result's end.

    Nothing is yielded for the void of a result that was never recorded.
    """
    if data.closed_at is None:
        return
    results: Literal[1, -1] = 1 if isinstance(data, CountedResult) else -1
    at_table = {name: getattr(data, name) for name in OfTableDay.model_fields}
    yield FactWithPostings(fact=TableResultNoted(**at_table, results=results), occurred_at=data.closed_at)
