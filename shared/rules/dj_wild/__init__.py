"""DJ Wild Stud Poker under 58 Pa. Code ch. 687a."""

from typing import Final

from shared.rules.dj_wild.payback import payback, progressive_at_reset
from shared.rules.dj_wild.record import Dealer, DjWildRound, DjWildSeat
from shared.rules.dj_wild.rules import DjWildRules
from shared.rules.game import Game

DJ_WILD: Final = Game(round_type=DjWildRound, compile=DjWildRules, payback=payback)

__all__ = ["DJ_WILD", "Dealer", "DjWildRound", "DjWildSeat", "progressive_at_reset"]
