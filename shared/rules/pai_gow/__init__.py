"""Pai Gow Poker under 58 Pa. Code ch. 645a and Section 6 of Rhode Island's table game rules."""

from typing import Final

from shared.rules.game import Game
from shared.rules.pai_gow.payback import COUNTS
from shared.rules.pai_gow.play import PLAYS, VARIANTS
from shared.rules.pai_gow.progressive_payback import PROGRESSIVES
from shared.rules.pai_gow.record import Bank, PaiGowRound, PaiGowSeat
from shared.rules.pai_gow.rules import PaiGowRules

GAME: Final = Game(
    title="Pai Gow Poker",
    round_type=PaiGowRound,
    compile=PaiGowRules,
    counts=COUNTS,
    plays=PLAYS,
    progressives=PROGRESSIVES,
    variants=VARIANTS,
)

__all__ = ["GAME", "Bank", "PaiGowRound", "PaiGowSeat"]
