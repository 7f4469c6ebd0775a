"""The returns of the Bonus Wager: exact, by counting the three cards dealt from six full decks."""

from collections import Counter
from collections.abc import Mapping
from itertools import combinations_with_replacement
from math import comb, prod
from typing import Final

from shared.rules.game import CountReturns
from shared.rules.over_under.totals import BONUS, CARDS_IN_HAND, VALUES, bonus_category
from shared.rules.paytable import count_returns, rows_by_category
from shared.rules.returns import Returns
from shared.rules.submission import Offer, Selection


def bonus_returns(selection: Selection, offer: Offer) -> Returns:
    """Return what comes back of one cent of the Bonus Wager, its stake included, and how often."""
    assert selection.decks is not None
    rows, counts = rows_by_category(offer), totals(selection.decks)
    return count_returns((ways, rows.get(bonus_category(points))) for points, ways in counts.items())


def totals(decks: int) -> Counter[int]:
    """Return in how many ways three cards from full decks make each total."""
    cards = Counter(VALUES.values())
    found: Counter[int] = Counter()
    for values in combinations_with_replacement(sorted(cards), CARDS_IN_HAND):
        found[sum(values)] += prod(comb(cards[value] * decks, copies) for value, copies in Counter(values).items())
    return found


COUNTS: Final[Mapping[str, CountReturns]] = {BONUS: bonus_returns}
