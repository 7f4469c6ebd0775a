"""The payback of the Bonus Wager: exact, by counting the three cards dealt from six full decks."""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb
from typing import Final

from shared.rules.game import Payback
from shared.rules.over_under.totals import BONUS, CARDS_IN_HAND, VALUES, bonus_category
from shared.rules.paytable import rows_by_category
from shared.rules.submission import Offer, Selection


def bonus_payback(selection: Selection, offer: Offer) -> Fraction:
    """Return what comes back of one cent of the Bonus Wager, its stake included."""
    assert selection.decks is not None
    rows, counts = rows_by_category(offer), totals(selection.decks)
    back = Fraction(0)
    for points, ways in counts.items():
        row = rows.get(bonus_category(points))
        if row is not None:
            back += ways * row.odds.returns
    return back / counts.total()


def totals(decks: int) -> Counter[int]:
    """Return in how many ways three cards from full decks make each total."""
    cards = Counter(VALUES.values())
    found: Counter[int] = Counter()
    for values in combinations_with_replacement(sorted(cards), CARDS_IN_HAND):
        ways = 1
        for value, copies in Counter(values).items():
            ways *= comb(cards[value] * decks, copies)
        found[sum(values)] += ways
    return found


PAYBACKS: Final[Mapping[str, Payback]] = {BONUS: bonus_payback}
