"""What the vigorish ledger publishes on `vigorish`: assessed, taken back, collected, waived, returned."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, TypeAdapter, ValidationError

from shared.contracts.envelope import Contract, Identifier, Name, Person, Reason
from shared.contracts.pit_facts import VigorishOfRound
from shared.contracts.settlement_events import (
    DismissedEvent,
    EntryEvent,
    GapFilledEvent,
    GapOpenedEvent,
    MendedEvent,
    QuarantinedEvent,
    SettledRound,
)
from shared.contracts.submission_events import Digest
from shared.rules.errors import refused_by_validation

TOPIC = "vigorish"

VigorishClass = Literal["player", "player_against_bank", "bank", "co_bank"]
"""Who owes it: a player whom the house paid, a player whom a bank paid, the bank, or who banked with the house."""

Rounding = Literal["none", "quarter_up"]
"""As the rules submission says: a share of a cent is dropped, or up to 25 cents or the next highest multiple."""


class AssessedLine(Contract):
    """Vigorish that a settlement line assessed, cents: `rate` of `base_cents`, rounded as said, is `cents`.

    `paragraph` is the settlement line's, `rate_paragraph` where the rate stands. `agrees` is false where rate and
    rounding come to something else than was settled.
    """

    seat: int
    wager: Name
    hand: int | None = None
    owed_by: VigorishClass
    stake_cents: int
    base_cents: int
    rate: str
    rounding: Rounding
    cents: int
    paragraph: str
    rate_paragraph: str
    agrees: bool = True


class VigorishAssessed(SettledRound):
    """What a settled round assessed."""

    revision: int
    closed_at: AwareDatetime
    dealer_id: Person | None = None
    submission: Digest
    lines: tuple[AssessedLine, ...]


class VigorishTakenBack(SettledRound):
    """What a revision of a round had assessed was taken back: it was voided or corrected. Cents are positive."""

    revision: int
    entered_by: Person
    approved_by: Person
    reason: Reason
    lines: tuple[AssessedLine, ...]


class VigorishCollection(VigorishOfRound):
    """A table collected vigorish."""

    event: Identifier
    at: AwareDatetime


class VigorishWaiver(VigorishOfRound):
    """A table waived vigorish, for a reason."""

    event: Identifier
    at: AwareDatetime
    reason: Reason


class VigorishReturn(VigorishOfRound):
    """A table gave vigorish back, for a reason."""

    event: Identifier
    at: AwareDatetime
    reason: Reason


class AssessedEvent(EntryEvent[VigorishAssessed]):
    """A round assessed vigorish."""

    type: Literal["vigorish.assessed"]


class TakenBackEvent(EntryEvent[VigorishTakenBack]):
    """What a round had assessed was taken back."""

    type: Literal["vigorish.taken_back"]


class CollectionEvent(EntryEvent[VigorishCollection]):
    """Vigorish was collected."""

    type: Literal["vigorish.collection"]


class WaiverEvent(EntryEvent[VigorishWaiver]):
    """Vigorish was waived."""

    type: Literal["vigorish.waiver"]


class ReturnEvent(EntryEvent[VigorishReturn]):
    """Vigorish was given back."""

    type: Literal["vigorish.return"]


VigorishEvent = (
    AssessedEvent
    | TakenBackEvent
    | CollectionEvent
    | WaiverEvent
    | ReturnEvent
    | GapOpenedEvent
    | GapFilledEvent
    | QuarantinedEvent
    | MendedEvent
    | DismissedEvent
)

_adapter: TypeAdapter[VigorishEvent] = TypeAdapter(Annotated[VigorishEvent, Field(discriminator="type")])


def decode(raw: bytes) -> VigorishEvent:
    """The event in the bytes of a Kafka record. Raises: Refused."""
    try:
        return _adapter.validate_json(raw)
    except ValidationError as error:
        raise refused_by_validation(error, None) from error
