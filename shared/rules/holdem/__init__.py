"""Texas Hold 'Em Bonus Poker under 58 Pa. Code ch. 647a."""

from typing import Final

from shared.rules.game import Game
from shared.rules.holdem.payback import payback
from shared.rules.holdem.record import HoldemDealer, HoldemRound, HoldemSeat
from shared.rules.holdem.rules import HoldemRules

HOLDEM: Final = Game(round_type=HoldemRound, compile=HoldemRules, payback=payback)

__all__ = ["HOLDEM", "HoldemDealer", "HoldemRound", "HoldemSeat"]
