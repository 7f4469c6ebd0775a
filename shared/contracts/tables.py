"""What a table reports on `table.events`: rounds completed, voided and corrected."""

from datetime import date
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, ValidationError
from pydantic_core import from_json

from shared.contracts.envelope import Contract, Correction, Event, Identifier, Name, Person
from shared.contracts.facts import envelope
from shared.contracts.reading import Reader
from shared.contracts.topics import TABLE_EVENTS
from shared.rules import REGULATIONS, parse_round
from shared.rules.blackjack.record import BlackjackRound
from shared.rules.dj_wild.record import DjWildRound
from shared.rules.errors import Refused, refused_by_validation
from shared.rules.face_up_pai_gow.record import FaceUpRound
from shared.rules.holdem.record import HoldemRound
from shared.rules.over_under.record import OverUnderRound
from shared.rules.pai_gow.record import PaiGowRound

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
    """A round of play as it was dealt, with the wagers that came from electronic accounts."""

    opened_at: AwareDatetime
    closed_at: AwareDatetime
    dealer_id: Person | None = None
    account_funded: tuple[AccountFunding, ...] = Field(default=(), max_length=100)


class PlayedBlackjack(PlayedRound):
    """Blackjack, under one of the two texts of chapter 633a."""

    regulation: Literal["pa-633a-2011", "pa-633a-2024"]
    round: BlackjackRound


class PlayedPaiGow(PlayedRound):
    """Pai Gow Poker, in Pennsylvania or Rhode Island."""

    regulation: Literal["pa-645a-2011", "ri-pai-gow"]
    round: PaiGowRound


class PlayedFaceUpPaiGow(PlayedRound):
    """Face Up Pai Gow Poker."""

    regulation: Literal["pa-688a"]
    round: FaceUpRound


class PlayedHoldem(PlayedRound):
    """Texas Hold 'Em Bonus Poker."""

    regulation: Literal["pa-647a"]
    round: HoldemRound


class PlayedDjWild(PlayedRound):
    """DJ Wild Stud Poker."""

    regulation: Literal["pa-687a"]
    round: DjWildRound


class PlayedOverUnder(PlayedRound):
    """Over/Under."""

    regulation: Literal["pa-686a"]
    round: OverUnderRound


class _Corrected(Contract):
    """A whole record of a round as it should have been; it replaces what was posted."""

    correction: Correction


class CorrectedBlackjack(PlayedBlackjack, _Corrected):
    """Blackjack, corrected."""


class CorrectedPaiGow(PlayedPaiGow, _Corrected):
    """Pai Gow Poker, corrected."""


class CorrectedFaceUpPaiGow(PlayedFaceUpPaiGow, _Corrected):
    """Face Up Pai Gow Poker, corrected."""


class CorrectedHoldem(PlayedHoldem, _Corrected):
    """Texas Hold 'Em Bonus Poker, corrected."""


class CorrectedDjWild(PlayedDjWild, _Corrected):
    """DJ Wild Stud Poker, corrected."""


class CorrectedOverUnder(PlayedOverUnder, _Corrected):
    """Over/Under, corrected."""


class VoidedRound(TableData):
    """A round that does not count: every wager goes back."""

    correction: Correction


Played = Annotated[
    PlayedBlackjack | PlayedPaiGow | PlayedFaceUpPaiGow | PlayedHoldem | PlayedDjWild | PlayedOverUnder,
    Field(discriminator="regulation"),
]

Corrected = Annotated[
    CorrectedBlackjack
    | CorrectedPaiGow
    | CorrectedFaceUpPaiGow
    | CorrectedHoldem
    | CorrectedDjWild
    | CorrectedOverUnder,
    Field(discriminator="regulation"),
]


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


READER = _TableEvents(TABLE_EVENTS, RoundCompleted, RoundCorrected, RoundVoided)


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
