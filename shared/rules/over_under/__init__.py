"""Over/Under under 58 Pa. Code ch. 686a."""

from typing import Final

from shared.rules.game import Game
from shared.rules.over_under.payback import payback
from shared.rules.over_under.record import OverUnderRound, OverUnderSeat
from shared.rules.over_under.rules import OverUnderRules

OVER_UNDER: Final = Game(round_type=OverUnderRound, compile=OverUnderRules, payback=payback)

__all__ = ["OVER_UNDER", "OverUnderRound", "OverUnderSeat"]
