"""Texas Hold 'Em Bonus Poker under 58 Pa. Code ch. 647a."""

from typing import Final

from shared.rules.game import Game
from shared.rules.holdem.payback import COUNTS
from shared.rules.holdem.play import PLAYS
from shared.rules.holdem.progressive_payback import PROGRESSIVES
from shared.rules.holdem.record import HoldemDealer, HoldemRound, HoldemSeat
from shared.rules.holdem.rules import HoldemRules

GAME: Final = Game(
    title="Texas Hold 'Em Bonus Poker",
    round_type=HoldemRound,
    compile=HoldemRules,
    counts=COUNTS,
    plays=PLAYS,
    progressives=PROGRESSIVES,
)

__all__ = ["GAME", "HoldemDealer", "HoldemRound", "HoldemSeat"]
