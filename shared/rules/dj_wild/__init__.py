"""DJ Wild Stud Poker under 58 Pa. Code ch. 687a."""

from typing import Final

from shared.rules.dj_wild.payback import COUNTS, PROGRESSIVES, progressive_at_reset
from shared.rules.dj_wild.play import PLAYS
from shared.rules.dj_wild.record import Dealer, DjWildRound, DjWildSeat
from shared.rules.dj_wild.rules import DjWildRules
from shared.rules.game import Game

GAME: Final = Game(
    title="DJ Wild Stud Poker",
    round_type=DjWildRound,
    compile=DjWildRules,
    counts=COUNTS,
    plays=PLAYS,
    progressives=PROGRESSIVES,
)

__all__ = ["GAME", "Dealer", "DjWildRound", "DjWildSeat", "progressive_at_reset"]
