"""What is on `table.events`: rounds completed, voided and corrected, and corrections approved at the desk."""

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import Field, ValidationError, create_model
from pydantic_core import from_json

from shared.contracts.corrections import RoundCorrectionApproved
from shared.contracts.envelope import Correction, Event, Person, WrittenMoment
from shared.contracts.facts import envelope
from shared.contracts.rounds import AccountFunding, TableData
from shared.contracts.topic_reader import Reader
from shared.contracts.topics import TABLE_EVENTS
from shared.rules import REGULATIONS, Round, game_of, games, parse_round
from shared.rules.errors import Refused, refused_by_validation


class PlayedRound(TableData):
    """A round of play as it was dealt, with the wagers that came from electronic accounts.

    What tables report is a model of its own for each game: the regulations that authorize it, and its round record.
    """

    opened_at: WrittenMoment
    closed_at: WrittenMoment
    dealer_id: Person | None = None
    account_funded: tuple[AccountFunding, ...] = Field(default=(), max_length=100)
    regulation: str
    round: Round


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


@envelope(TABLE_EVENTS)
class RoundCompleted(Event[Played]):
    """A round was played to its end."""

    type: Literal["round.completed"]


@envelope(TABLE_EVENTS)
class RoundCorrected(Event[Corrected]):
    """A posted round is replaced by another record of it."""

    type: Literal["round.corrected"]


@envelope(TABLE_EVENTS)
class RoundVoided(Event[VoidedRound]):
    """A round is void."""

    type: Literal["round.voided"]


TableEvent = RoundCompleted | RoundCorrected | RoundVoided


class _TableEvents(Reader):
    """Reads table events; what is wrong with the record of a round is said by the rules, with seat and paragraph."""

    def refused(self, raw: bytes, error: ValidationError) -> Refused:
        document = _document(raw)
        try:
            _check_round(document)
        except Refused as refused:
            return refused
        return refused_by_validation(error, document)


READER = _TableEvents(TABLE_EVENTS, RoundCompleted, RoundCorrected, RoundVoided, RoundCorrectionApproved)


def _document(raw: bytes) -> object:
    try:
        return from_json(raw)
    except ValueError:
        return None


def _check_round(document: object) -> None:
    """Raise Refused where the record of the round itself is at fault: the rules say that better than the envelope."""
    match document:
        case {"data": {"regulation": str(regulation), "round": dict(played)}} if regulation in REGULATIONS:
            parse_round(regulation, played)
