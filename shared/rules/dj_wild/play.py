"""The result of DJ Wild's Ante and Blind Wagers, raised or folded: exact, from the counts of all deals.

`stands.yaml` has the hands worth raising and the hands worth folding, with the number of dealer's hands that they beat
and lose to. It assumes that a winning Blind Wager is only returned. That is always so below a straight, and no
straight or higher hand is folded, so the counts hold for any Blind paytable that pays nothing below a straight.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from math import comb
from typing import Final, NamedTuple

from shared.rules.dj_wild.classes import HAND
from shared.rules.game import CountPlay
from shared.rules.packaged import packaged
from shared.rules.paytable import Row, rows_by_category
from shared.rules.play import End, Play
from shared.rules.submission import Offer, Selection

COUNTS: Final = "stands.yaml"
ANTE: Final = "ante"
_BLIND: Final = "blind"
_RAISE: Final = "raise"
_RAISED: Final = 2
"""The Raise Wager is twice the Ante Wager, § 687a.7(d)(1)."""
_DEALERS: Final = comb(53 - HAND, HAND)
_ASSUMED: Final = (
    "the Blind Wager equals the Ante Wager; a hand is raised or folded, whichever is worth more; no other card is known"
)


class Stand(NamedTuple):
    """Hands of one category: their number, and the number of deals in which they beat and lose to the dealer's hand."""

    hands: int
    wins: int
    losses: int


@cache
def stands() -> tuple[Mapping[str, Stand], Mapping[str, Stand]]:
    """Return the raised hands and the folded hands, by category."""
    counted: dict[str, dict[str, list[int]]] = packaged(__package__, COUNTS)
    raised, folded = (
        {category: Stand(*row) for category, row in counted[decision].items()} for decision in ("raised", "folded")
    )
    return raised, folded


def play_ante(selection: Selection, offer: Offer) -> Play:
    """Return the result of the Ante and Blind Wagers, either with the Raise Wager or folded."""
    (ante,), (raise_,) = (rows_by_category(one).values() for one in (offer, selection.offers[_RAISE]))
    assert ante.odds.returns == raise_.odds.returns == _EVEN, "the counts are those of wagers at even money"
    blind = rows_by_category(selection.offers[_BLIND])
    return Play.counted([ANTE, _BLIND, _RAISE], _ASSUMED, _ends(blind))


_EVEN: Final = 2
_ALL: Final = Fraction(2 + _RAISED)


def _ends(blind: Mapping[str, Row]) -> Iterator[tuple[int, End]]:
    raised, folded = stands()
    for category, stand in raised.items():
        row = blind.get(category)
        back = _EVEN * (1 + _RAISED) + (Fraction(1) if row is None else row.odds.returns)
        yield stand.wins, End("won" if row is None else f"won_with_{category}", _ALL, back)
        yield stand.losses, End("lost", _ALL, Fraction(0))
        yield stand.hands * _DEALERS - stand.wins - stand.losses, End("tied", _ALL, _ALL)
    for category, stand in folded.items():
        assert category not in blind, "a hand that is folded has no row of its own"
        yield stand.hands * _DEALERS, End("folded", Fraction(2), Fraction(0))


PLAYS: Final[Mapping[str, CountPlay]] = {ANTE: play_ante}
