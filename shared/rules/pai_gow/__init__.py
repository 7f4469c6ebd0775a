"""Pai Gow Poker under 58 Pa. Code ch. 645a and Section 6 of Rhode Island's table game rules."""

from typing import Final

from shared.rules.game import Game
from shared.rules.pai_gow.payback import payback
from shared.rules.pai_gow.record import Bank, PaiGowRound, PaiGowSeat
from shared.rules.pai_gow.rules import PaiGowRules

PAI_GOW: Final = Game(round_type=PaiGowRound, compile=PaiGowRules, payback=payback)

__all__ = ["PAI_GOW", "Bank", "PaiGowRound", "PaiGowSeat"]
