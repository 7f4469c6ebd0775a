"""The sampled result of the Face Up Pai Gow Poker Wager, with the player's hand set against the dealer's visible one.

`sample.yaml` has the results of seeded deals; `pitledger payback recompute face-up` repeats the sampling.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any, Final

from shared.rules.face_up_pai_gow.record import MAIN
from shared.rules.game import CountPlay
from shared.rules.packaged import packaged
from shared.rules.paytable import rows_by_category
from shared.rules.play import End, Play
from shared.rules.set_hands.sampled import PAIRS, check_way, read_moments
from shared.rules.submission import Offer, Selection

SAMPLE: Final = "sample.yaml"
_ASSUMED: Final = (
    "the dealer's hand is set by the documented house way, and the player, who sees it, sets to win or else to tie; "
    "sampled, with the standard error that is stated"
)


@cache
def sample() -> Mapping[str, Any]:
    """Return the stored sample."""
    found: dict[str, Any] = packaged(__package__, SAMPLE)["sample"]
    return found


def play_main(selection: Selection, offer: Offer) -> Play:
    """Return the result of the wager; raise `Refused` if the submission has a house way of its own."""
    check_way(selection)
    (row,) = rows_by_category(offer).values()
    one = Fraction(1)
    back = {"win": row.odds.returns, "push": one, "dealer_ace_high": one, "lose": Fraction(0)}
    hands = ((pairs, End(how, one, back[how])) for how, pairs in sample()["ended"].items())
    error = read_moments(sample()["pairs"]).error(row.odds.ratio) / PAIRS
    return Play.counted([MAIN], _ASSUMED, hands, standard_error=error)


PLAYS: Final[Mapping[str, CountPlay]] = {MAIN: play_main}
