"""The payback of the Bonus Wager: exact, by counting the three cards dealt from six full decks."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb

from shared.rules.errors import Refused
from shared.rules.over_under.totals import CARDS_IN_HAND, VALUES, bonus_category
from shared.rules.paytable import rows_by_category
from shared.rules.submission import Selection

_BONUS = "bonus"


def payback(selection: Selection, wager: str) -> Fraction:
    """The expected return of one cent of `wager`, its stake included.

    Raises `Refused` for a wager that is not offered, and for those that a player's decision decides.
    """
    if wager not in selection.offers:
        raise Refused(
            f"wager '{wager}' is not offered; there are: {', '.join(selection.offers)}",
            paragraph=selection.catalogue.offered,
        )
    offer = selection.offers[wager]
    if wager != _BONUS:
        raise Refused(
            f"the payback of '{wager}' depends on the player's decision; it is counted for {_BONUS}",
            paragraph=offer.wager.decided,
        )
    assert selection.decks is not None
    rows = rows_by_category(offer)
    ways, back = 0, Fraction(0)
    for points, count in totals(selection.decks).items():
        ways += count
        row = rows.get(bonus_category(points))
        if row is not None:
            back += count * (row.odds.ratio + 1)
    return back / ways


def totals(decks: int) -> Counter[int]:
    """In how many ways three cards from full decks make each total."""
    cards = Counter(VALUES.values())
    found: Counter[int] = Counter()
    for values in combinations_with_replacement(sorted(cards), CARDS_IN_HAND):
        ways = 1
        for value, copies in Counter(values).items():
            ways *= comb(cards[value] * decks, copies)
        found[sum(values)] += ways
    return found
