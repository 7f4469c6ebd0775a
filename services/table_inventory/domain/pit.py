"""What pit events and settled rounds do to a table inventory.

§ 465a.36(b) permits six movements; each kind of event that moves chips is one of them, and tips are none.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple

from pydantic import AwareDatetime

from services.table_inventory.domain.accounts import TableAccounts
from services.table_inventory.domain.denominations import Stacks, added, stacks
from services.table_inventory.domain.slips import FIVE_PEOPLE, STEPS, Slip, SlipKey
from shared.contracts import pit
from shared.contracts.chips import value_of
from shared.contracts.envelope import Event
from shared.contracts.inventory import Moved, Movement, PitRecorded, RoundCounted
from shared.contracts.reading import view_of
from shared.contracts.rejection import Rejected
from shared.contracts.settlements import RevisionView, RoundKey, SettlementPosted, SettlementReversed
from shared.contracts.wager_totals import WagerTotals
from shared.journal.entry import Posting
from shared.journal.recording import Recording
from shared.rules.errors import Refused

SlipStep = pit.CarriedFill | pit.ReceivedFill | pit.CarriedCredit
FirstCount = pit.CountedTable | pit.CarriedTable
"""What may be the first count of a table."""


class TableKey(NamedTuple):
    """The name of a table."""

    property: str
    table: str


Books = dict[TableKey, list[tuple[datetime, int]]]
"""What moved (moment, cents) at tables that were never counted, rounds aside."""


class Round(RevisionView):
    """What a round did, by wager type."""

    totals: tuple[WagerTotals, ...]


@view_of(SettlementPosted)
class PostedRound(Round):
    """A round was settled."""

    closed_at: AwareDatetime


@view_of(SettlementReversed)
class ReversedRound(Round):
    """A round was taken back."""


@dataclass(slots=True)
class Known:
    """What is known of the slips and tables that a batch is about."""

    slips: dict[SlipKey, Slip] = field(default_factory=dict)
    books: Books = field(default_factory=dict)


def slip_of(data: SlipStep) -> SlipKey:
    """Return the slip that a pit event is about."""
    return SlipKey(data.property, "credit" if isinstance(data, pit.CarriedCredit) else "fill", data.number)


def record_pit(event: Event[Any], known: Known) -> Recording:
    """Return what is recorded of a pit event.

    Raises: Refused where its slip is not there, or a person stands for two steps.
    """
    data = event.data
    moved, postings = _money(data, event.time, known)
    book = known.books.get(TableKey(data.property, data.table))
    if moved is not None and book is not None:
        book.append((event.time, moved.cents))
    place = {name: getattr(data, name) for name in pit.PitData.model_fields}
    fact = PitRecorded(event=event.type, **place, moved=moved, data=data)
    return Recording(fact=fact, postings=postings)


_Money = tuple[Moved | None, tuple[Posting, ...]]


def _money(data: Any, at: datetime, known: Known) -> _Money:
    table = TableAccounts(data.property, data.table)
    match data:
        case pit.CountedTable() | pit.CarriedTable():
            return None, _first_count(data, at, table, known)
        case pit.CarriedFill() | pit.ReceivedFill() | pit.CarriedCredit():
            return _slip_step(data, at, table, known)
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
            return _moved("vigorish", 0, ())  # the settled round has counted in what it assessed, and no more
        case pit.CollectedTips():
            return None, table.transfer("tip_box", "tips_payable", data.cents)
        case _:
            return None, ()


def _moved(movement: Movement, cents: int, postings: tuple[Posting, ...], contents: Stacks | None = None) -> _Money:
    return Moved(movement=movement, cents=cents, contents=contents or None), postings


def _first_count(data: FirstCount, at: datetime, table: TableAccounts, known: Known) -> tuple[Posting, ...]:
    """Post with what the books of a table begin, at its first count; later counts are compared with them."""
    book = known.books.pop(TableKey(data.property, data.table), None)
    if book is None:
        return ()
    moved_cents = sum(cents for moment, cents in book if moment <= at)
    return table.transfer("inventory", "brought_forward", value_of(data.contents) - moved_cents)


def _slip_step(data: SlipStep, at: datetime, table: TableAccounts, known: Known) -> _Money:
    key = slip_of(data)
    slip = known.slips.get(key)
    if slip is None:
        raise Refused(f"{key} was never prepared", paragraph=FIVE_PEOPLE)
    if slip.table != data.table:
        raise Refused(f"{key} is for table {slip.table}, not {data.table}", paragraph=FIVE_PEOPLE)
    done = step_of(data, at)
    try:
        slip.require_free(**{step: done[step] for step in STEPS if step in done})
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
    """Return what a pit event changes of its slip, as columns and fields are named."""
    people = {step: person for step, person in data if step in STEPS}
    if not isinstance(data, pit.ReceivedFill):
        return {**people, "carried_at": at}
    received = {"received_contents": data.contents, "received_cents": value_of(data.contents)}
    return {**people, "received_at": at, **received}


def count_round(data: PostedRound | ReversedRound, closed_at: dict[RoundKey, datetime]) -> Recording:
    """Return what is recorded of a settled round: its chips, at the moment when it was closed.

    What is taken back is taken back at that moment too: the inventory never had it.
    Raises: Refused where that moment is not known yet.
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
    fact = RoundCounted(**key._asdict(), gaming_day=data.gaming_day, rounds=rounds, cents=cents)
    postings = TableAccounts(data.property, data.table).transfer("inventory", "rounds", cents)
    return Recording(fact=fact, postings=postings, occurred_at=at)
