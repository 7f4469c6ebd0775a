"""Face Up Pai Gow Poker under 58 Pa. Code ch. 688a."""

from typing import Final

from shared.rules.face_up_pai_gow.payback import payback
from shared.rules.face_up_pai_gow.record import FaceUpRound, FaceUpSeat
from shared.rules.face_up_pai_gow.rules import FaceUpPaiGowRules
from shared.rules.game import Game

FACE_UP_PAI_GOW: Final = Game(round_type=FaceUpRound, compile=FaceUpPaiGowRules, payback=payback)

__all__ = ["FACE_UP_PAI_GOW", "FaceUpRound", "FaceUpSeat"]
