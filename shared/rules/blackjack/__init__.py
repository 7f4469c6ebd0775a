"""Blackjack under 58 Pa. Code ch. 633a."""

from typing import Final

from shared.rules.blackjack.payback import payback
from shared.rules.blackjack.record import BlackjackHand, BlackjackRound, BlackjackSeat, Dealer
from shared.rules.blackjack.rules import BlackjackRules
from shared.rules.game import Game

BLACKJACK: Final = Game(round_type=BlackjackRound, compile=BlackjackRules, payback=payback)

__all__ = ["BLACKJACK", "BlackjackHand", "BlackjackRound", "BlackjackSeat", "Dealer"]
