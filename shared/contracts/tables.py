"""The events on `table.events`: rounds completed, voided and corrected, and corrections approved by people.

A counted table has no rounds there, but may report the results of its games, and void them: no wagers, and no money.
"""

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias

from pydantic import Field, ValidationError, create_model, model_validator
from pydantic_core import from_json

from shared.cards import Card
from shared.contracts.corrections import RoundCorrectionApproved
from shared.contracts.envelope import (
    Contract,
    Correction,
    Event,
    Identifier,
    Name,
    Person,
    Sequence,
    WrittenDay,
    WrittenMoment,
)
from shared.contracts.facts import envelope, event
from shared.contracts.rounds import AccountFunding, TableData
from shared.contracts.topic_reader import Reader
from shared.contracts.topics import TABLE_EVENTS
from shared.rules import REGULATIONS, Round, game_of, games, parse_round
from shared.rules.errors import Refused, refused_by_validation


@event("result.recorded", TABLE_EVENTS)
class RecordedResult(Contract):
    """The result of a game at a counted table: its outcome, or the cards of its hands; no wagers, and no money.

    Its position in the table's stream identifies it. `shoe` is the shoe from which it was dealt, and `last_of_shoe` is
    true if the shoe ended with it.
    """

    property: Name
    table: Name
    game: Name
    gaming_day: WrittenDay
    opened_at: WrittenMoment
    closed_at: WrittenMoment
    dealer_id: Person | None = None
    outcome: Annotated[
        Identifier | None,
        Field(description="the outcome in the terms of the game: banker; 17; 4-3", examples=["banker"]),
    ] = None
    hands: dict[Name, Annotated[tuple[Card, ...], Field(max_length=52)]] = Field(
        default_factory=dict, max_length=20, description="cards by hand: player, banker"
    )
    shoe: Identifier | None = None
    last_of_shoe: bool = False

    @model_validator(mode="after")
    def _says_a_result(self) -> Self:
        if self.outcome is None and not self.hands:
            raise ValueError("say the 'outcome', or the cards of the 'hands': without either there is no result")
        return self


@event("result.voided", TABLE_EVENTS)
class VoidedResult(Contract):
    """A result that was recorded by mistake does not count. If there was a different result, it is recorded separately.

    `voids` is the result's position in the table's stream, which is before this event.
    """

    property: Name
    table: Name
    voids: Sequence
    correction: Correction


class PlayedRound(TableData):
    """A round as it was dealt, with the wagers funded by electronic accounts.

    Each game has a model of its own with its regulations and its round record.
    """

    opened_at: WrittenMoment
    closed_at: WrittenMoment
    dealer_id: Person | None = None
    account_funded: tuple[AccountFunding, ...] = Field(default=(), max_length=100)
    regulation: str
    round: Round


class CorrectedRound(PlayedRound):
    """The complete corrected record of a round; it replaces the posted record."""

    correction: Correction


class VoidedRound(TableData):
    """A voided round: every wager is returned."""

    correction: Correction


def _of_each_game(base: type[PlayedRound], what: str) -> Any:
    """Return the event models of each game, discriminated by the regulation."""
    models = []
    for name, game in games().items():
        regulations = tuple(regulation for regulation in REGULATIONS if game_of(regulation) is game)
        fields: dict[str, Any] = {"regulation": (Literal[regulations], ...), "round": (game.round_type, ...)}
        model = f"{what}{name.title().replace('_', '')}"
        models.append(
            create_model(model, __base__=base, __doc__=f"A round of {game.title} as it was {what.lower()}.", **fields)
        )
    return Annotated[reduce(or_, models), Field(discriminator="regulation")]


# The type checker sees only the fields that all games have in common.
if TYPE_CHECKING:
    Played: TypeAlias = PlayedRound
    Corrected: TypeAlias = CorrectedRound
else:
    Played = _of_each_game(PlayedRound, "Played")
    Corrected = _of_each_game(CorrectedRound, "Corrected")


@envelope(TABLE_EVENTS)
class RoundCompleted(Event[Played]):
    """A round was played to its end."""

    type: Literal["round.completed"]


@envelope(TABLE_EVENTS)
class RoundCorrected(Event[Corrected]):
    """A posted round is replaced by a corrected record."""

    type: Literal["round.corrected"]


@envelope(TABLE_EVENTS)
class RoundVoided(Event[VoidedRound]):
    """A round is void."""

    type: Literal["round.voided"]


TableEvent = RoundCompleted | RoundCorrected | RoundVoided


class _TableEvents(Reader):
    """Reads table events; faults of a round record are reported by the rules, with seat and paragraph."""

    def refused(self, raw: bytes, error: ValidationError) -> Refused:
        document = _document(raw)
        try:
            _check_round(document)
        except Refused as refused:
            return refused
        return refused_by_validation(error, document)


READER = _TableEvents(
    TABLE_EVENTS, RoundCompleted, RoundCorrected, RoundVoided, RoundCorrectionApproved, RecordedResult, VoidedResult
)


def _document(raw: bytes) -> object:
    try:
        return from_json(raw)
    except ValueError:
        return None


def _check_round(document: object) -> None:
    """Raise Refused if the round record itself is at fault, because the rules report its faults more precisely."""
    match document:
        case {"data": {"regulation": str(regulation), "round": dict(played)}} if regulation in REGULATIONS:
            parse_round(regulation, played)
