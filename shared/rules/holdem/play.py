"""The result of the Ante Wager with the Flop, Turn and River Wagers under optimal play: exact, from all deals.

The Turn and the River Wager are further stakes at even money. Each is made if the cards known by then win against the
dealer's more often than they lose, regardless of the paytables. The deals are therefore stored next to this module,
counted by the player's two cards and by whether those wagers are made. Only the decision on which two cards to fold is
made in this module.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Final, cast

from shared.cards.ranking import Category
from shared.rules.game import CountPlay
from shared.rules.holdem.main_wagers import ANTE, MAIN_WAGERS
from shared.rules.packaged import packaged
from shared.rules.paytable import rows_by_category
from shared.rules.play import End, Play
from shared.rules.submission import Offer, Selection

COUNTS: Final = "deals.yaml"
OUTCOMES: Final = ("lose", "tie", *(category.name for category in Category if category < Category.five_of_a_kind))
"""The results of a deal for the player, in the order of the counts: lost, tied, or won with a hand of that category."""

_ASSUMED: Final = (
    "each wager is made, and two cards are folded, where that is worth more, by the player's own cards and the "
    "community cards dealt by then; no other card is known"
)
_FLOP_WAGER: Final = 2
"""The Flop Wager is twice the Ante Wager, § 647a.11(b); the Turn and the River Wager equal it, (d) and (f)."""
_LOST, _TIED = OUTCOMES[:2]

_Ends = dict[End, int]


@cache
def deals() -> Mapping[str, tuple[tuple[int, ...], ...]]:
    """Return the numbers of deals, keyed by the player's two cards such as `AKs`: four rows by `OUTCOMES`.

    The rows are for deals with neither the Turn nor the River Wager, only the River, only the Turn, and both.
    """
    counted = cast("dict[str, list[list[int]]]", packaged(__package__, COUNTS)["hands"])
    return {hand: tuple(tuple(row) for row in rows) for hand, rows in counted.items()}


def play_ante(selection: Selection, offer: Offer) -> Play:
    """Return the result of the Ante Wager and the wagers added to it, or of folding."""
    hands = (decided for ends in _by_hand(selection, offer).values() for decided in _decide(ends).items())
    return Play.counted(MAIN_WAGERS, _ASSUMED, ((deals, end) for end, deals in hands))


def folded(selection: Selection, offer: Offer) -> frozenset[str]:
    """Return the two-card hands that are folded, such as `32o`."""
    return frozenset(hand for hand, ends in _by_hand(selection, offer).items() if _decide(ends) is not ends)


def _decide(ends: _Ends) -> _Ends:
    """Return the results of a hand if it is played, or of folding if that is worth more."""
    fold = {End("folded", Fraction(1), Fraction(0)): sum(ends.values())}
    return ends if _worth(ends) > _worth(fold) else fold


def _worth(ends: _Ends) -> Fraction:
    return sum((deals * (end.back - end.staked) for end, deals in ends.items()), Fraction(0))


def _by_hand(selection: Selection, offer: Offer) -> dict[str, _Ends]:
    pays_from = Category[cast("str", selection.options["ante_pays_on"])]
    odds = {
        wager: rows_by_category(selection.offers[wager] if wager != ANTE else offer)["win"].odds
        for wager in MAIN_WAGERS
    }
    assert odds["turn"].returns == odds["river"].returns == 2, "the counts are those of wagers at even money"
    ends = {
        (row, place): end
        for row in range(4)
        for place, end in enumerate(_ends({wager: odds[wager].returns for wager in MAIN_WAGERS}, row, pays_from))
    }
    found: dict[str, _Ends] = {}
    for hand, rows in deals().items():
        found[hand] = {}
        for row, counts in enumerate(rows):
            for place, count in enumerate(counts):
                end = ends[row, place]
                found[hand][end] = found[hand].get(end, 0) + count
    return found


def _ends(back: Mapping[str, Fraction], row: int, pays_from: Category) -> Iterator[End]:
    """Yield the result of each of `OUTCOMES` if the Turn and River Wagers are made as in this row of `deals`."""
    turn, river = row // 2, row % 2
    added = _FLOP_WAGER * back["flop"] + turn * back["turn"] + river * back["river"]
    staked = Fraction(1 + _FLOP_WAGER + turn + river)
    for outcome in OUTCOMES:
        if outcome == _LOST:
            yield End("lost", staked, Fraction(0))
        elif outcome == _TIED:
            yield End("tied", staked, staked)
        elif Category[outcome] < pays_from:
            yield End("won_ante_returned", staked, 1 + added)
        else:
            yield End("won", staked, back[ANTE] + added)


PLAYS: Final[Mapping[str, CountPlay]] = {ANTE: play_ante}
