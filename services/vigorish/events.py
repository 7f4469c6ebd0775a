"""What the vigorish ledger reads of settlement events and pit events; the rest of them is passed over."""

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, Field, TypeAdapter, ValidationError

from shared.contracts import pit_events
from shared.contracts.envelope import Event
from shared.contracts.pit_events import VigorishCollected, VigorishReturned, VigorishWaived
from shared.contracts.settlement_events import SettledRound
from shared.contracts.settlement_reading import PASS_OVER, EntryOfPublisher, Explained, NoMoney, Under
from shared.rules.errors import Refused, refused_by_validation


class SettledLine(BaseModel):
    """As much of a settlement line as vigorish needs, cents."""

    model_config = PASS_OVER

    seat: int
    wager: str
    hand: int | None = None
    stake: int = 0
    payout: int = 0
    vigorish: int = 0
    paid_by: str = "house"
    house_share: int | None = None
    paragraph: str = ""


class PostedRound(SettledRound):
    """A round whose money was posted."""

    model_config = PASS_OVER

    regulation: str
    closed_at: AwareDatetime
    dealer_id: str | None = None
    submission: Under
    revision: int
    lines: tuple[SettledLine, ...]


class TakenTotal(BaseModel):
    """The vigorish of a wager type in a round that is taken back, cents, below zero."""

    model_config = PASS_OVER

    vigorish: int = 0


class ReversedRound(SettledRound):
    """A round whose money was taken back."""

    model_config = PASS_OVER

    revision: int
    correction: Explained
    totals: tuple[TakenTotal, ...]


class Posted(EntryOfPublisher[PostedRound]):
    """A round was settled."""

    type: Literal["settlement.posted"]


class Reversed(EntryOfPublisher[ReversedRound]):
    """A posted round was taken back."""

    type: Literal["settlement.reversed"]


_settlements: TypeAdapter[Posted | Reversed | NoMoney] = TypeAdapter(
    Annotated[Posted | Reversed | NoMoney, Field(discriminator="type")]
)


AtTables = VigorishCollected | VigorishWaived | VigorishReturned
"""What tables do with vigorish."""


class Shift(BaseModel):
    """A gaming day and shift that begin."""

    model_config = PASS_OVER

    gaming_day: date
    shift: str


class AtTable(Shift):
    """Where and when something happened; `begins` where a count began another shift."""

    property: str
    table: str
    begins: Shift | None = None


class Pit(Event[AtTable]):
    """Any other event of a pit: it says which shift was at work."""


def decode_settlement(raw: bytes) -> EntryOfPublisher[Any]:
    """The event in the bytes of a record of `settlements`. Raises: Refused."""
    event: EntryOfPublisher[Any] = _decoded(_settlements, raw)
    return event


def decode_pit(raw: bytes) -> AtTables | Pit:
    """The event in the bytes of a record of `pit.events`. Raises: Refused."""
    event: AtTables | Pit = _decoded(_pit, raw)
    if event.type in ("vigorish.collected", "vigorish.waived", "vigorish.returned"):
        event = _decoded(_vigorish, raw)
    source = pit_events.pit_source(event.data.property, event.data.table)
    if event.source != source:
        raise Refused(f"'source' is {event.source!r}; the pit events of this table come from {source!r}")
    return event


_pit: TypeAdapter[Any] = TypeAdapter(Pit)
_vigorish: TypeAdapter[Any] = TypeAdapter(Annotated[AtTables, Field(discriminator="type")])


def _decoded(adapter: TypeAdapter[Any], raw: bytes) -> Any:
    try:
        return adapter.validate_json(raw)
    except ValidationError as error:
        raise refused_by_validation(error, None) from error
