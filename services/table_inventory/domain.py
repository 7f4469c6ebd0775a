"""From what a pit reports, and from settled rounds, to journal entries. Pure: what is known comes in.

Every event leads to one entry that says what it did to the table inventory. § 465a.36(b) permits six movements; each
event type that moves chips is one of them, and tips are none.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple

from services.table_inventory.money import TableAccounts
from services.table_inventory.settlements import MovedEvent, SettlementEntry
from shared.contracts import pit_events
from shared.contracts.envelope import Event, as_json
from shared.contracts.inventory import Moved, Movement, PitRecorded, RoundCounted, SettlementPassed, SlipKind
from shared.contracts.pit import PitEvent, pit_source
from shared.contracts.pit import CarriedTable, Contents, CountedTable, Pieces, value_of
from shared.journal.entry import Draft, Posting
from shared.rules.errors import Refused

PIT_RECORDED: Final = "pit.recorded"
ROUND_COUNTED: Final = "round.counted"
SETTLEMENT_PASSED: Final = "settlement.passed"

COUNTS: Final[Mapping[str, str]] = {
    "table.opened": "opener",
    "table.closed": "closer",
    "table.carried": "carried",
}
"""The purpose of a count, by the event that reports it; `table.counted` says its own."""


class SlipKey(NamedTuple):
    """The name of a slip."""

    property: str
    slip: SlipKind
    number: int


class TableKey(NamedTuple):
    """The name of a table."""

    property: str
    table: str


class RoundKey(NamedTuple):
    """A posting of a round."""

    property: str
    table: str
    round_id: str
    revision: int


@dataclass(slots=True)
class Slip:
    """A prepared slip as far as it has come. `people` are those who did a step, by step."""

    table: str
    contents: Contents
    people: dict[str, str]
    void: bool = False

    def take(self, key: SlipKey, **people: str) -> None:
        """Somebody does a step. Raises: Refused where the slip is void, the step is done, or the person did another."""
        if self.void:
            raise Refused(f"{name_of(key)} is void")
        after = dict(self.people)
        for step, person in people.items():
            if step in after:
                raise Refused(f"{name_of(key)}: {after[step]} is '{step}' already")
            before = [other for other, who in after.items() if who == person]
            if before:
                raise Refused(
                    f"{person} is '{before[0]}' of {name_of(key)} and cannot be '{step}' too", paragraph=_FIVE
                )
            after[step] = person
        self.people = after


_FIVE: Final = "§ 465a.38"


def name_of(key: SlipKey) -> str:
    """A slip in words."""
    return f"{key.slip} slip {key.number} of {key.property}"


@dataclass(slots=True)
class Known:
    """What is known of the slips and tables that a batch is about, and where taken-back rounds were counted.

    `books` has what moved (moment, cents) at tables that were never counted, rounds aside; None for the others.
    """

    slips: dict[SlipKey, Slip] = field(default_factory=dict)
    books: dict[TableKey, list[tuple[datetime, int]] | None] = field(default_factory=dict)
    rounds: dict[RoundKey, datetime] = field(default_factory=dict)


def slip_of(event: PitEvent) -> SlipKey | None:
    """The slip that an event is about, if it is about one."""
    match event:
        case pit_events.FillCarried() | pit_events.FillReceived():
            return SlipKey(event.data.property, "fill", event.data.number)
        case pit_events.CreditCarried():
            return SlipKey(event.data.property, "credit", event.data.number)
        case _:
            return None


def record_pit(event: PitEvent, offset: int, known: Known) -> Draft:
    """The entry of a pit event.

    Raises: Refused where its stream is another table's, its slip is not there, or a person stands for two steps.
    """
    data = event.data
    expected = pit_source(data.property, data.table)
    if event.source != expected:
        raise Refused(f"'source' is {event.source!r}; the pit events of this table come from {expected!r}")
    moved, postings = _money(event, known)
    key = TableKey(data.property, data.table)
    if moved is not None and (book := known.books.get(key)) is not None:
        book.append((event.time, moved.cents))
    fact = PitRecorded(
        event=event.type,
        property=data.property,
        table=data.table,
        gaming_day=data.gaming_day,
        shift=data.shift,
        moved=moved,
        data=as_json(data),
    )
    return _draft(PIT_RECORDED, event, offset, fact.model_dump_json(exclude_none=True), event.time, data, postings)


_Money = tuple[Moved | None, tuple[Posting, ...]]


def _money(event: PitEvent, known: Known) -> _Money:
    data = event.data
    table = TableAccounts(data.property, data.table)
    match event:
        case (
            pit_events.TableOpened() | pit_events.TableClosed() | pit_events.TableCounted() | pit_events.TableCarried()
        ):
            return None, _first_count(event.data, event.time, table, known)
        case pit_events.FillCarried() | pit_events.FillReceived() | pit_events.CreditCarried():
            return _slip_step(event, table, known)
        case pit_events.ChipsSold(data=sold):
            return _moved("cash", -sold.cents, table.sold(sold.instrument, sold.cents), stacks(sold.contents, -1))
        case pit_events.CounterCheckIssued(data=check):
            postings = table.sold("counter_check", check.cents)
            return _moved("counter_check", -check.cents, postings, stacks(check.contents, -1))
        case pit_events.ChipsChanged(data=change):
            what = added(stacks(change.taken), stacks(change.given, -1))
            return _moved("change", 0, table.changed(value_of(change.taken)), what)
        case pit_events.CouponDropped(data=coupon):
            postings = table.coupon(coupon.coupon, coupon.cents, coupon.paid_cents)
            return _moved("wager", -coupon.paid_cents, postings)
        case pit_events.VigorishWaived(data=waived):
            return _moved("vigorish", -waived.cents, table.vigorish_waived(waived.cents))
        case pit_events.VigorishCollected() | pit_events.VigorishReturned():
            return _moved("vigorish", 0, ())  # the settled round has counted in what it assessed, and no more
        case pit_events.TipsCollected(data=tips):
            return None, table.tips(tips.cents)
        case _:
            return None, ()


def _moved(movement: Movement, cents: int, postings: tuple[Posting, ...], contents: "Stacks | None" = None) -> _Money:
    return Moved(movement=movement, cents=cents, contents=contents or None), postings


def _first_count(
    data: CountedTable | CarriedTable, at: datetime, table: TableAccounts, known: Known
) -> tuple[Posting, ...]:
    """The first count of a table says with what its books begin; later counts are compared with them."""
    key = TableKey(data.property, data.table)
    book = known.books.get(key)
    if book is None:
        return ()
    known.books[key] = None
    return table.began_with(value_of(data.contents) - sum(cents for moment, cents in book if moment <= at))


def _slip_step(
    event: pit_events.FillCarried | pit_events.FillReceived | pit_events.CreditCarried,
    table: TableAccounts,
    known: Known,
) -> _Money:
    key = slip_of(event)
    assert key is not None
    slip = known.slips.get(key)
    if slip is None:
        raise Refused(f"{name_of(key)} was never prepared", paragraph=_FIVE)
    if slip.table != event.data.table:
        raise Refused(f"{name_of(key)} is for table {slip.table}, not {event.data.table}", paragraph=_FIVE)
    match event:
        case pit_events.FillCarried(data=data):
            slip.take(key, carried_by=data.carried_by)
            return None, table.sent("fill", value_of(slip.contents))
        case pit_events.FillReceived(data=data):
            slip.take(key, received_by=data.received_by, observed_by=data.observed_by)
            cents = value_of(data.contents)
            return _moved("transfer", cents, table.arrived("fill", cents), stacks(data.contents))
        case pit_events.CreditCarried(data=data):
            slip.take(key, surrendered_by=data.surrendered_by, observed_by=data.observed_by, carried_by=data.carried_by)
            cents = value_of(slip.contents)
            return _moved("transfer", -cents, table.sent("credit", cents), stacks(slip.contents, -1))


def count_settlement(event: SettlementEntry, offset: int, known: Known) -> Draft:
    """The entry of a settlement event: the chips of a round, at the moment when it was closed.

    What is taken back is taken back at that moment too: the inventory never had it.
    Raises: Refused where that moment is not known yet.
    """
    if not isinstance(event, MovedEvent):
        fact = SettlementPassed(event=event.type)
        return _draft(SETTLEMENT_PASSED, event, offset, fact.model_dump_json(), event.time, None, ())
    data = event.data
    key = RoundKey(data.property, data.table, data.round_id, data.revision)
    posted = event.type == "settlement.posted"
    at = data.closed_at or known.rounds.get(key)
    if at is None:
        raise Refused(
            f"revision {data.revision} of round {data.round_id} is taken back, but was not counted: mend the record "
            "that posted it, then replay this one"
        )
    if posted:
        known.rounds[key] = at
    counted = RoundCounted(
        property=data.property,
        table=data.table,
        gaming_day=data.gaming_day,
        round_id=data.round_id,
        revision=data.revision,
        rounds=1 if posted else -1,
        cents=data.chips,
    )
    postings = TableAccounts(data.property, data.table).round(data.chips)
    return _draft(ROUND_COUNTED, event, offset, counted.model_dump_json(), at, data, postings)


def _draft(
    kind: str,
    event: Event[Any],
    offset: int,
    content: str,
    at: datetime,
    data: Any,
    postings: tuple[Posting, ...],
) -> Draft:
    return Draft(
        kind=kind,
        source=event.source,
        sequence=event.sequence,
        event_id=event.id,
        offset=offset,
        gaming_day=None if data is None else data.gaming_day,
        occurred_at=at,
        data=content.encode(),
        postings=postings,
    )


Stacks = dict[str, int]
"""Counts by denomination, the denomination as `chip:2500`; negative counts went out."""


def stacks(contents: Iterable[Pieces], sign: int = 1) -> Stacks:
    """Contents as counts by denomination.

    >>> stacks((Pieces(cents=500, count=3),), -1)
    {'chip:500': -3}
    """
    return {f"{pieces.kind}:{pieces.cents}": sign * pieces.count for pieces in contents}


def added(*parts: Mapping[str, int]) -> Stacks:
    """The sum of counts by denomination, without those that are zero, in the order of the denominations."""
    total: Stacks = {}
    for part in parts:
        for name, count in part.items():
            total[name] = total.get(name, 0) + count
    return {name: total[name] for name in sorted(total, key=_denomination) if total[name]}


def _denomination(name: str) -> tuple[str, int]:
    kind, _, cents = name.partition(":")
    return kind, int(cents)
