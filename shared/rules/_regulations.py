"""The public functions of the rules: find a regulation by its id, settle rounds under it, compute paybacks.

Regulations and games are not listed here: each catalogue names its game, and the game is the package of that name next
to this module.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import Any, Final

from pydantic import ValidationError

from shared.rules.catalogue import catalogue, known_regulations
from shared.rules.errors import Refused, refused_by_validation
from shared.rules.game import Game, Rules
from shared.rules.play import Play
from shared.rules.record import Round, Submission
from shared.rules.returns import Returns
from shared.rules.settlement import Settlement
from shared.rules.submission import select

REGULATIONS: Final[tuple[str, ...]] = known_regulations()
"""The ids of the regulations, such as `pa-633a-2024`."""


def games() -> Mapping[str, Game[Any]]:
    """Return the games of all catalogues, keyed by name, such as `blackjack`."""
    return {name: _game(name) for name in sorted({catalogue(regulation).game for regulation in REGULATIONS})}


def game_of(regulation: str) -> Game[Any]:
    """Return the game that a regulation authorizes; raise `Refused` for an unknown id."""
    return _game(catalogue(regulation).game)


def round_type(regulation: str) -> type[Round]:
    """Return the model of a round record under this regulation; raise `Refused` for an unknown id."""
    model: type[Round] = game_of(regulation).round_type
    return model


def parse_round(regulation: str, raw: Mapping[str, Any]) -> Round:
    """Return the round record in a document; raise `Refused` for a malformed one, naming seat, field and value."""
    try:
        return round_type(regulation).model_validate(raw)
    except ValidationError as error:
        raise refused_by_validation(error, raw, paragraphs=catalogue(regulation).record) from None


def validate_submission(regulation: str, submission: Submission) -> None:
    """Raise `Refused` if a submission's selections are not allowed by the regulation or are invalid for its game."""
    compile_rules(regulation, submission)


def compile_rules(regulation: str, submission: Submission) -> Rules[Any]:
    """Check a submission and resolve its selections; raise `Refused` if the regulation does not allow them."""
    rules: Rules[Any] = game_of(regulation).compile(select(catalogue(regulation), submission))
    return rules


def settle(regulation: str, round_: Round, submission: Submission) -> Settlement:
    """Settle one round; raise `Refused` if the submission is not allowed or the record is impossible.

    For many rounds, compile the submission first with `compile_rules`.
    """
    model = round_type(regulation)
    if not isinstance(round_, model):
        raise Refused(f"a {type(round_).__name__} is not a round under {regulation}, which is a {model.__name__}")
    return compile_rules(regulation, submission).settle(round_)


def payback(regulation: str, wager: str, submission: Submission) -> Fraction:
    """Return the exact expected return of a wager per unit staked, the stake included.

    The payback is counted over all initial cards from full decks, at full odds without a payout limit. Raise `Refused`
    for a wager that is not offered, and for a wager whose payback depends on how hands are played or on a meter.
    """
    return returns(regulation, wager, submission).mean


def returns(regulation: str, wager: str, submission: Submission) -> Returns:
    """Return the exact distribution of a wager's return per unit staked, by the winning row.

    The mean is the payback. Returns are counted as by `payback`, without Envy Bonuses. Raise `Refused` for the same
    wagers as `payback`.
    """
    return game_of(regulation).returns(select(catalogue(regulation), submission), wager)


def play(regulation: str, wager: str, submission: Submission) -> Play:
    """Return the exact result of a wager, with all wagers added to it, under the player's optimal decisions.

    The result of a wager decided by the cards alone is the same as `returns`. All results are counted at full odds,
    without a payout limit or Envy Bonuses. Raise `Refused` for a wager that is not offered, or was never counted.
    """
    return game_of(regulation).play(select(catalogue(regulation), submission), wager)


@cache
def _game(name: str) -> Game[Any]:
    game = getattr(import_module(f"shared.rules.{name}"), "GAME", None)
    assert isinstance(game, Game), f"the package shared/rules/{name} of a catalogue's game must define GAME"
    return game
