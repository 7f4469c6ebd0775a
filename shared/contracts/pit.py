"""The events of a table's pit. Amounts are cents.

Pit events can be voided and corrected like rounds: a later event of the same stream has the sequence of the changed
event, the reason and two people. Of all statements about an event, the latest counts.
"""

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Self, TypeAlias

from pydantic import Field, create_model, model_validator

from shared.contracts.agents import OnBehalf
from shared.contracts.chips import Contents, value_of
from shared.contracts.envelope import (
    Contract,
    Correction,
    DocumentNumber,
    Event,
    Identifier,
    Name,
    Patron,
    Person,
    Reason,
    Sequence,
    WrittenDay,
    WrittenMoment,
    pit_source,
)
from shared.contracts.facts import KINDS, envelope, event
from shared.contracts.people import held_twice
from shared.contracts.rounds import SEATS_MAX, Cents
from shared.contracts.topic_reader import Reader, Skipped
from shared.contracts.topics import PIT_EVENTS
from shared.rules.errors import Refused

SlipNumber = Annotated[int, Field(strict=True, ge=1, le=2**31 - 1)]
Seat = Annotated[int, Field(strict=True, ge=1, le=SEATS_MAX)]


class PitData(Contract):
    """The place and time of an event: the fields common to all events of a pit stream. `shift` is the current shift."""

    DIFFERENT: ClassVar[tuple[str, ...]] = ()
    """The fields that must name different people."""

    property: Name
    table: Name
    gaming_day: WrittenDay
    shift: Name

    @model_validator(mode="after")
    def _done_by_different_people(self) -> Self:
        if (found := held_twice((step, getattr(self, step)) for step in self.DIFFERENT)) is not None:
            person, one, other = found
            raise ValueError(f"{person} is both '{one}' and '{other}'; it takes two people")
        return self


class CountedTable(PitData):
    """A table inventory counted by the dealer while the floorperson observed; both signed the slip."""

    DIFFERENT = ("dealer", "floorperson")

    contents: Contents
    dealer: Person
    floorperson: Person


@event("table.opened", PIT_EVENTS)
class OpenedTable(CountedTable):
    """The opener: the table's inventory as counted when it opened (58 Pa. Code § 465a.37), and its equipment."""

    game: Name
    regulation: Name | None = None
    card_reader: bool = False
    dice: bool = False


@event("table.closed", PIT_EVENTS)
class ClosedTable(CountedTable):
    """The closer: the table's inventory as counted when it closed (58 Pa. Code § 465a.42)."""


class NextShift(Contract):
    """The gaming day and shift that begin with a count."""

    gaming_day: WrittenDay
    shift: Name


@event("table.counted", PIT_EVENTS)
class CountedOpenTable(CountedTable):
    """A count while the table stays open: it ends one shift and begins the next (58 Pa. Code §§ 465a.41, 465a.44).

    A `spot` count does neither.
    """

    purpose: Literal["shift", "drop", "spot"]
    begins: NextShift | None = None

    @model_validator(mode="after")
    def _begins_something(self) -> Self:
        if (self.begins is None) != (self.purpose == "spot"):
            raise ValueError("'begins' says what a 'shift' or 'drop' count begins; a 'spot' count begins nothing")
        return self


@event("table.carried", PIT_EVENTS)
class CarriedTable(PitData):
    """The inventory of a table that did not open on a gaming day, according to its slip (58 Pa. Code § 465a.36)."""

    DIFFERENT = ("recorded_by", "checked_by")

    contents: Contents
    recorded_by: Person
    checked_by: Person


@event("fill.carried", PIT_EVENTS)
class CarriedFill(PitData):
    """Security collected the chips of a fill slip from the cage."""

    number: SlipNumber
    carried_by: Person


@event("fill.received", PIT_EVENTS)
class ReceivedFill(PitData):
    """The dealer received a fill, observed by the floorperson; `contents` is what arrived."""

    DIFFERENT = ("received_by", "observed_by")

    number: SlipNumber
    contents: Contents
    received_by: Person
    observed_by: Person


@event("credit.carried", PIT_EVENTS)
class CarriedCredit(PitData):
    """Security collected the chips of a credit slip from the dealer, observed by the floorperson."""

    DIFFERENT = ("surrendered_by", "observed_by", "carried_by")

    number: SlipNumber
    surrendered_by: Person
    observed_by: Person
    carried_by: Person


class GivenChips(PitData):
    """Chips given in exchange for a value of `cents`. `contents`, if known, lists the chips."""

    cents: Cents
    contents: Contents = ()
    dealer: Person

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        if self.contents and value_of(self.contents) != self.cents:
            raise ValueError(f"'contents' is worth {value_of(self.contents)} cents; 'cents' says {self.cents}")
        return self


@event("chips.sold", PIT_EVENTS)
class SoldChips(GivenChips, OnBehalf):
    """Chips sold for currency, which went into the drop box, or for a prepaid access instrument.

    `patron` is the buyer by reference, if known to the pit, because currency is totaled by person. A `money_play` is a
    wager of currency that went into the drop box: its value counts as chips that were sold and wagered.
    """

    CONDUCTED_BY = "patron"

    patron: Patron | None = None
    instrument: Literal["currency", "prepaid_access"]
    money_play: bool | None = None

    @model_validator(mode="after")
    def _plays_money(self) -> Self:
        if self.money_play and self.instrument != "currency":
            raise ValueError("a 'money_play' is a wager of currency")
        return self


@event("counter_check.issued", PIT_EVENTS)
class IssuedCounterCheck(GivenChips):
    """Chips given for the issuance copy of a counter check, which went into the drop box.

    `drawer` is the patron who owes the check, by reference, if the pit system knows the patron.
    """

    DIFFERENT = ("dealer", "floorperson")

    serial: DocumentNumber
    drawer: Patron | None = None
    floorperson: Person


@event("chips.changed", PIT_EVENTS)
class ChangedChips(PitData):
    """Chips, coins or plaques exchanged for others of equal value."""

    taken: Contents
    given: Contents
    dealer: Person

    @model_validator(mode="after")
    def _equal_value(self) -> Self:
        if value_of(self.taken) != value_of(self.given):
            raise ValueError(
                f"'taken' is worth {value_of(self.taken)} cents and 'given' {value_of(self.given)}; "
                "a change is of equal value (§ 465a.36(b))"
            )
        return self


@event("coupon.dropped", PIT_EVENTS)
class DroppedCoupon(PitData):
    """A match play or other coupon dropped after the wager was decided, won or lost.

    `cents` is its stated value, `paid_cents` the chips paid for it that are not in the round record.
    """

    coupon: Name
    cents: Cents
    paid_cents: Annotated[int, Field(strict=True, ge=0, le=10**12)] = 0
    serial: DocumentNumber | None = None
    round_id: Identifier | None = None
    seat: Seat | None = None
    dealer: Person


@event("box.exchanged", PIT_EVENTS)
class ExchangedBox(PitData):
    """The drop box of the gaming day and shift was removed from the table, and an empty one placed."""

    DIFFERENT = ("removed_by", "witnessed_by")

    removed_box: Name
    placed_box: Name | None = None
    removed_by: Person
    witnessed_by: Person

    @model_validator(mode="after")
    def _another_box(self) -> Self:
        if self.removed_box == self.placed_box:
            raise ValueError(f"box {self.removed_box} cannot take its own place")
        return self


@event("box.transported", PIT_EVENTS)
class TransportedBox(PitData):
    """A drop box was carried to the count room and taken into custody there."""

    DIFFERENT = ("carried_by", "received_by")

    box: Name
    carried_by: Person
    received_by: Person


@event("tips.collected", PIT_EVENTS)
class CollectedTips(PitData):
    """The dealers' tips of a table were collected from their locked box. They never belong to its inventory."""

    DIFFERENT = ("collected_by", "observed_by")

    cents: Cents
    collected_by: Person
    observed_by: Person


@event("time.collected", PIT_EVENTS)
class CollectedTime(PitData):
    """Time was collected at a non-banking table: `cents_per_seat` from each of `seats` seats, for a period of play.

    The chips went into the drop box. They are part of the rake counted in that box; only the counted rake is revenue.
    """

    seats: Seat
    cents_per_seat: Cents
    minutes: Annotated[int, Field(strict=True, ge=1, le=1440)] = 30
    dealer: Person


class VigorishOfRound(PitData):
    """Vigorish of a seat in a round; `bank` is true if it is owed as the bank or a co-bank, not as a player."""

    round_id: Identifier
    seat: Seat
    dealer_id: Person | None = None
    cents: Cents
    bank: bool = False
    by: Person


@event("vigorish.collected", PIT_EVENTS)
class CollectedVigorish(VigorishOfRound):
    """Vigorish was collected into the table inventory."""


@event("vigorish.waived", PIT_EVENTS)
class WaivedVigorish(VigorishOfRound):
    """Vigorish that a round assessed was not collected, for a reason."""

    reason: Reason


@event("vigorish.returned", PIT_EVENTS)
class ReturnedVigorish(VigorishOfRound):
    """Vigorish was returned to the player from the table inventory: too much was collected, or its round changed."""

    reason: Reason


@event("cards.changed", PIT_EVENTS)
class ChangedCards(PitData):
    """New cards were put on the table. The dealing method determines when they must be changed again."""

    regulation: Name
    dealing: Literal["hand", "shoe"]
    decks: Annotated[int, Field(strict=True, ge=1, le=12)]
    counting_shuffler: bool = False
    changed_by: Person
    observed_by: Person | None = None


@event("dice.changed", PIT_EVENTS)
class ChangedDice(PitData):
    """New dice were put into the dice shaker."""

    changed_by: Person
    observed_by: Person | None = None


@event("card_reader.inspected", PIT_EVENTS)
class InspectedCardReader(PitData):
    """The card reader device was inspected at the beginning of the gaming day."""

    passed: bool
    inspected_by: Person


@event("stub.counted", PIT_EVENTS)
class CountedStub(PitData):
    """The dealer counted the stub: `cards` were in the deck, `expected` is the proper number."""

    cards: Annotated[int, Field(strict=True, ge=0, le=1000)]
    expected: Annotated[int, Field(strict=True, ge=1, le=1000)]
    round_id: Identifier | None = None
    dealer: Person


EVENTS: Final = tuple(kind.model for kind in KINDS.on(PIT_EVENTS))
"""The data models of all pit events that can be voided and corrected."""


class SaidAtDesk(Contract):
    """The change, approved by people in table inventory, that a fact about a pit event records, if any.

    The change takes effect directly after position `behind` in the pit stream, which was the position of the last
    statement about the event when the change was approved. Statements that the pit makes later come after the change.
    """

    property: Name
    table: Name
    desk_change: Sequence | None = None
    behind: Sequence | None = None


class PitChange(Contract):
    """The event to change in the table's pit stream: `sequence` is its position, `event` its type.

    A corrected event keeps its position, so a further change names the position of the first record of the event.
    """

    property: Name
    table: Name
    event: Name
    sequence: Sequence
    correction: Correction


@event("pit_event.voided", PIT_EVENTS)
class VoidedPitEvent(PitChange):
    """A pit event did not happen, or not at this table; no event replaces it."""


class CorrectedPitEvent(PitChange):
    """The complete corrected data of a pit event, and its corrected time; both replace those of the event.

    There is one model per type of event; a correction cannot change the type.
    """

    at: WrittenMoment
    instead: PitData

    @model_validator(mode="after")
    def _of_the_same_table(self) -> Self:
        if (self.instead.property, self.instead.table) != (self.property, self.table):
            raise ValueError(
                f"'instead' is of table {self.instead.table} of {self.instead.property}: what happened at another "
                "table is reported there, and voided here"
            )
        return self


def _of_each_kind() -> Any:
    """Return the models of corrections, discriminated by the type of the event."""
    models = []
    for kind in KINDS.on(PIT_EVENTS):
        if kind.model in EVENTS:
            fields: dict[str, Any] = {"event": (Literal[kind.name], ...), "instead": (kind.model, ...)}
            name, said = f"Corrected{kind.model.__name__}", f"What `{kind.name}` should have said."
            models.append(create_model(name, __base__=CorrectedPitEvent, __doc__=said, **fields))
    return Annotated[reduce(or_, models), Field(discriminator="event")]


# The type checker sees only the fields that all kinds have in common.
if TYPE_CHECKING:
    Corrected: TypeAlias = CorrectedPitEvent
else:
    Corrected = _of_each_kind()


@envelope(PIT_EVENTS)
class PitEventCorrected(Event[Corrected]):
    """A pit event is replaced by its correction."""

    type: Literal["pit_event.corrected"]


CHANGES: Final = (VoidedPitEvent, PitEventCorrected)
"""Events that void or replace a pit event."""


@event("pit_event.change_approved", PIT_EVENTS)
class PitChangeApproval(Contract):
    """An approved change to a pit event takes effect; only table inventory publishes this.

    `change` is its number within the property: its content is in the journal of table inventory.
    """

    property: Name
    table: Name
    change: Sequence


def desk_source(property_name: str, table: str) -> str:
    """Return the desk stream of a table: the changes of its pit events that people approved in table inventory."""
    return f"{pit_source(property_name, table)}/desk"


def goes_with(event: Event[Any]) -> str | None:
    """Return the pit stream that an event of a desk stream changes; None for an event of the pit itself."""
    data = event.data
    return pit_source(data.property, data.table) if isinstance(data, PitChangeApproval) else None


class PitReader(Reader):
    """Reads pit events, whose source must be the pit stream of their table, or its desk stream."""

    def decode(self, raw: bytes) -> Event[Any]:
        """Return the event in the bytes of a record. Raises: Refused."""
        event = super().decode(raw)
        if not isinstance(event.data, Skipped):
            stream = desk_source if isinstance(event.data, PitChangeApproval) else pit_source
            source = stream(event.data.property, event.data.table)
            if event.source != source:
                raise Refused(f"'source' is {event.source!r}; the pit events of this table come from {source!r}")
        return event
