"""What a table's pit reports on `pit.events`: counts, slips carried, exchanges, boxes, tips, vigorish, equipment.

A table has this stream beside the stream of its rounds, with a dense sequence of its own. Amounts are cents.
"""

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from shared.contracts.envelope import Event
from shared.contracts.pit_facts import (
    CarriedCredit,
    CarriedFill,
    CarriedTable,
    ChangedCards,
    ChangedChips,
    ChangedDice,
    ClosedTable,
    CollectedTips,
    CollectedVigorish,
    CountedOpenTable,
    CountedStub,
    DroppedCoupon,
    ExchangedBox,
    InspectedCardReader,
    IssuedCounterCheck,
    OpenedTable,
    ReceivedFill,
    ReturnedVigorish,
    SoldChips,
    TransportedBox,
    WaivedVigorish,
)
from shared.rules.errors import refused_by_validation

TOPIC = "pit.events"


def pit_source(property_name: str, table: str) -> str:
    """The pit stream of a table: CloudEvents source and Kafka key of everything in this module."""
    return f"/properties/{property_name}/tables/{table}/pit"


class TableOpened(Event[OpenedTable]):
    """A table opened."""

    type: Literal["table.opened"]


class TableClosed(Event[ClosedTable]):
    """A table closed."""

    type: Literal["table.closed"]


class TableCounted(Event[CountedOpenTable]):
    """The inventory of an open table was counted."""

    type: Literal["table.counted"]


class TableCarried(Event[CarriedTable]):
    """A table did not open on a gaming day."""

    type: Literal["table.carried"]


class FillCarried(Event[CarriedFill]):
    """A fill left the cage."""

    type: Literal["fill.carried"]


class FillReceived(Event[ReceivedFill]):
    """A fill arrived at the table."""

    type: Literal["fill.received"]


class CreditCarried(Event[CarriedCredit]):
    """A credit left the table."""

    type: Literal["credit.carried"]


class ChipsSold(Event[SoldChips]):
    """A player bought chips."""

    type: Literal["chips.sold"]


class CounterCheckIssued(Event[IssuedCounterCheck]):
    """A player received chips for a counter check."""

    type: Literal["counter_check.issued"]


class ChipsChanged(Event[ChangedChips]):
    """Chips were changed."""

    type: Literal["chips.changed"]


class CouponDropped(Event[DroppedCoupon]):
    """A coupon went into the drop box."""

    type: Literal["coupon.dropped"]


class BoxExchanged(Event[ExchangedBox]):
    """The drop box was exchanged."""

    type: Literal["box.exchanged"]


class BoxTransported(Event[TransportedBox]):
    """A drop box reached the count room."""

    type: Literal["box.transported"]


class TipsCollected(Event[CollectedTips]):
    """Tips were collected."""

    type: Literal["tips.collected"]


class VigorishCollected(Event[CollectedVigorish]):
    """Vigorish was collected."""

    type: Literal["vigorish.collected"]


class VigorishWaived(Event[WaivedVigorish]):
    """Vigorish was waived."""

    type: Literal["vigorish.waived"]


class VigorishReturned(Event[ReturnedVigorish]):
    """Vigorish was given back."""

    type: Literal["vigorish.returned"]


class CardsChanged(Event[ChangedCards]):
    """The cards were changed."""

    type: Literal["cards.changed"]


class DiceChanged(Event[ChangedDice]):
    """The dice were changed."""

    type: Literal["dice.changed"]


class CardReaderInspected(Event[InspectedCardReader]):
    """The card reader was inspected."""

    type: Literal["card_reader.inspected"]


class StubCounted(Event[CountedStub]):
    """The stub was counted."""

    type: Literal["stub.counted"]


PitEvent = (
    TableOpened
    | TableClosed
    | TableCounted
    | TableCarried
    | FillCarried
    | FillReceived
    | CreditCarried
    | ChipsSold
    | CounterCheckIssued
    | ChipsChanged
    | CouponDropped
    | BoxExchanged
    | BoxTransported
    | TipsCollected
    | VigorishCollected
    | VigorishWaived
    | VigorishReturned
    | CardsChanged
    | DiceChanged
    | CardReaderInspected
    | StubCounted
)

_adapter: TypeAdapter[PitEvent] = TypeAdapter(Annotated[PitEvent, Field(discriminator="type")])


def decode(raw: bytes) -> PitEvent:
    """The event in the bytes of a Kafka record.

    Raises: Refused, naming the first field that is wrong.
    """
    try:
        return _adapter.validate_json(raw)
    except ValidationError as error:
        raise refused_by_validation(error, None) from error


def encode(event: Event[Any]) -> bytes:
    """The bytes of an event as they go to Kafka."""
    return event.model_dump_json(exclude_none=True).encode()
