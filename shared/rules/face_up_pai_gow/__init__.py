"""Face Up Pai Gow Poker under 58 Pa. Code ch. 688a."""

from typing import Final

from shared.rules.face_up_pai_gow.payback import COUNTS, PROGRESSIVES
from shared.rules.face_up_pai_gow.play import PLAYS
from shared.rules.face_up_pai_gow.record import FaceUpRound, FaceUpSeat
from shared.rules.face_up_pai_gow.rules import FaceUpPaiGowRules
from shared.rules.game import Game

GAME: Final = Game(
    title="Face Up Pai Gow Poker",
    round_type=FaceUpRound,
    compile=FaceUpPaiGowRules,
    counts=COUNTS,
    plays=PLAYS,
    progressives=PROGRESSIVES,
)

__all__ = ["GAME", "FaceUpRound", "FaceUpSeat"]
