"""The returns of the wager decided by the initial cards: exact, by counting the hands of a full deck."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Final, cast

from shared.cards import StandardCard, standard_deck
from shared.rules.game import CountReturns
from shared.rules.holdem.bonus import TEXAS_HOLDEM_BONUS
from shared.rules.holdem.hands import ACE_ACE, ACE_ACE_BOTH, two_card_category
from shared.rules.paytable import Row, count_returns, rows_by_category
from shared.rules.returns import Returns
from shared.rules.submission import Offer, Selection

_DECK: Final = cast("tuple[StandardCard, ...]", standard_deck())
# The player's two aces leave two aces for the dealer's two cards.
_DEALER_HAS_ACES: Final = Fraction(1, comb(len(_DECK) - 2, 2))


def bonus_returns(selection: Selection, offer: Offer) -> Returns:
    """Return the distribution of the Texas Hold 'Em Bonus Wager's return per unit staked, the stake included."""
    del selection
    return count_returns(_hands(rows_by_category(offer)))


def _hands(rows: Mapping[str, Row]) -> Iterator[tuple[int | Fraction, Row | None]]:
    for pair in combinations(_DECK, 2):
        category = two_card_category(pair)
        if category == ACE_ACE and ACE_ACE_BOTH in rows:
            yield _DEALER_HAS_ACES, rows[ACE_ACE_BOTH]
            yield 1 - _DEALER_HAS_ACES, rows[ACE_ACE]
        else:
            yield 1, None if category is None else rows[category]


COUNTS: Final[Mapping[str, CountReturns]] = {TEXAS_HOLDEM_BONUS: bonus_returns}
