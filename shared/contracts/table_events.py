"""What a table reports on `table.events`: rounds completed, voided and corrected."""

from datetime import date
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model
from pydantic_core import from_json

from shared.contracts.envelope import Contract, Event, Identifier, Name, Person, Reason, Sequence, Source
from shared.rules import REGULATIONS, Round, game_of, games, parse_round
from shared.rules.errors import refused_by_validation

TOPIC = "table.events"

Cents = Annotated[int, Field(strict=True, gt=0, le=10**12)]


class AccountFunding(Contract):
    """The part of a wager that was taken from a player's electronic game account (58 Pa. Code § 605a.2)."""

    seat: Annotated[int, Field(ge=1, le=12)]
    wager: Name
    account: Identifier
    cents: Cents


class TableData(Contract):
    """Where and when: the part that all table events share."""

    property: Name
    table: Name
    game: Name
    gaming_day: date
    round_id: Identifier


class PlayedRound(TableData):
    """A round of play as it was dealt, with the wagers that came from electronic accounts.

    What tables report is a model of its own for each game: the regulations that authorize it, and its round record.
    """

    opened_at: AwareDatetime
    closed_at: AwareDatetime
    dealer_id: Person | None = None
    account_funded: tuple[AccountFunding, ...] = Field(default=(), max_length=100)
    regulation: str
    round: Round


class Correction(Contract):
    """Why a posted round changes, and the two people who stand for it."""

    reason: Reason
    entered_by: Person
    approved_by: Person


class CorrectedRound(PlayedRound):
    """A whole record of a round as it should have been; it replaces what was posted."""

    correction: Correction


class VoidedRound(TableData):
    """A round that does not count: every wager goes back."""

    correction: Correction


def _of_each_game(base: type[PlayedRound], what: str) -> Any:
    """Return the models of what tables report of each game, told apart by the regulation."""
    models = []
    for name, game in games().items():
        regulations = tuple(regulation for regulation in REGULATIONS if game_of(regulation) is game)
        fields: dict[str, Any] = {"regulation": (Literal[regulations], ...), "round": (game.round_type, ...)}
        model = f"{what}{name.title().replace('_', '')}"
        models.append(
            create_model(model, __base__=base, __doc__=f"A round of {game.title} as it was {what.lower()}.", **fields)
        )
    return Annotated[reduce(or_, models), Field(discriminator="regulation")]


# The type checker sees what all games have alike.
if TYPE_CHECKING:
    Played: TypeAlias = PlayedRound
    Corrected: TypeAlias = CorrectedRound
else:
    Played = _of_each_game(PlayedRound, "Played")
    Corrected = _of_each_game(CorrectedRound, "Corrected")


class RoundCompleted(Event[Played]):
    """A round was played to its end."""

    type: Literal["round.completed"]


class RoundCorrected(Event[Corrected]):
    """A posted round is replaced by another record of it."""

    type: Literal["round.corrected"]


class RoundVoided(Event[VoidedRound]):
    """A round is void."""

    type: Literal["round.voided"]


TableEvent = RoundCompleted | RoundCorrected | RoundVoided

_adapter: TypeAdapter[TableEvent] = TypeAdapter(Annotated[TableEvent, Field(discriminator="type")])


def decode(raw: bytes) -> TableEvent:
    """The event in the bytes of a Kafka record.

    Raises: Refused, naming what is wrong; in the record of a round with its seat and the paragraph.
    """
    try:
        return _adapter.validate_json(raw)
    except ValidationError as error:
        document = _document(raw)
        _check_round(document)
        raise refused_by_validation(error, document) from error


def _document(raw: bytes) -> object:
    try:
        return from_json(raw)
    except ValueError:
        return None


def _check_round(document: object) -> None:
    """Raises Refused where the record of the round itself is at fault: the rules say that better than the envelope."""
    match document:
        case {"data": {"regulation": str(regulation), "round": dict(played)}} if regulation in REGULATIONS:
            parse_round(regulation, played)


class Position(BaseModel):
    """As much of an event as is needed to know its place in its stream, whatever else is wrong with it."""

    model_config = ConfigDict(extra="ignore", strict=True)

    source: Source
    sequence: Sequence


def position(raw: bytes) -> Position | None:
    """The place that a record claims in its stream, or None where not even that can be read."""
    try:
        return Position.model_validate_json(raw)
    except ValidationError:
        return None


def encode(event: Event[Any]) -> bytes:
    """The bytes of an event as they go to Kafka."""
    return event.model_dump_json(exclude_none=True).encode()
