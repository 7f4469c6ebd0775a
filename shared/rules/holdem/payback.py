"""The payback of the wager that the initial cards decide: exact, by counting the hands of a full deck."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Final, cast

from shared.cards import StandardCard, standard_deck
from shared.rules.game import Payback
from shared.rules.holdem.bonus import TEXAS_HOLDEM_BONUS
from shared.rules.holdem.hands import ACE_ACE, ACE_ACE_BOTH, two_card_category
from shared.rules.paytable import rows_by_category
from shared.rules.submission import Offer, Selection

_DECK: Final = cast("tuple[StandardCard, ...]", standard_deck())
# Two aces are left for the dealer's two cards when the player holds the other two.
_DEALER_HAS_ACES: Final = Fraction(1, comb(len(_DECK) - 2, 2))


def bonus_payback(selection: Selection, offer: Offer) -> Fraction:
    """Return what comes back of one cent of the Texas Hold 'Em Bonus Wager, its stake included."""
    del selection
    rows = rows_by_category(offer)
    back, hands = Fraction(0), 0
    for pair in combinations(_DECK, 2):
        hands += 1
        category = two_card_category(pair)
        if category is None:
            continue
        usual = rows[category].odds.returns
        back += usual
        if category == ACE_ACE and ACE_ACE_BOTH in rows:
            back += _DEALER_HAS_ACES * (rows[ACE_ACE_BOTH].odds.returns - usual)
    return back / hands


PAYBACKS: Final[Mapping[str, Payback]] = {TEXAS_HOLDEM_BONUS: bonus_payback}
