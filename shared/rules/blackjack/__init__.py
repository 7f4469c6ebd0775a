"""Blackjack under 58 Pa. Code ch. 633a."""

from typing import Final

from shared.rules.blackjack.payback import COUNTS
from shared.rules.blackjack.play import PLAYS
from shared.rules.blackjack.progressive_payback import PROGRESSIVES
from shared.rules.blackjack.record import BlackjackHand, BlackjackRound, BlackjackSeat, Dealer
from shared.rules.blackjack.rules import BlackjackRules
from shared.rules.blackjack.strategy_card import STRATEGIES
from shared.rules.game import Game

GAME: Final = Game(
    title="Blackjack",
    round_type=BlackjackRound,
    compile=BlackjackRules,
    counts=COUNTS,
    plays=PLAYS,
    progressives=PROGRESSIVES,
    strategies=STRATEGIES,
)

__all__ = ["GAME", "BlackjackHand", "BlackjackRound", "BlackjackSeat", "Dealer"]
