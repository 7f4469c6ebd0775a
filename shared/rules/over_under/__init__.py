"""Over/Under under 58 Pa. Code ch. 686a."""

from typing import Final

from shared.rules.game import Game
from shared.rules.over_under.payback import COUNTS, PLAYS
from shared.rules.over_under.record import OverUnderRound, OverUnderSeat
from shared.rules.over_under.rules import OverUnderRules

GAME: Final = Game(title="Over/Under", round_type=OverUnderRound, compile=OverUnderRules, counts=COUNTS, plays=PLAYS)

__all__ = ["GAME", "OverUnderRound", "OverUnderSeat"]
