"""The payback of the wager that the initial cards decide: exact, by counting the hands of a full deck."""

from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Final, cast

from shared.cards import StandardCard, standard_deck
from shared.rules.errors import Refused
from shared.rules.holdem.bonus import TEXAS_HOLDEM_BONUS
from shared.rules.holdem.hands import ACE_ACE, ACE_ACE_BOTH, two_card_category
from shared.rules.odds import Odds
from shared.rules.paytable import rows_by_category
from shared.rules.submission import Selection

_DECK: Final = cast("tuple[StandardCard, ...]", standard_deck())
# Two aces are left for the dealer's two cards when the player holds the other two.
_DEALER_HAS_ACES: Final = Fraction(1, comb(len(_DECK) - 2, 2))


def payback(selection: Selection, wager: str) -> Fraction:
    """The expected return of one cent of `wager`, its stake included, without the payout limit.

    Raises `Refused` for a wager that is not offered, and for one that is not decided by the initial cards.
    """
    if wager not in selection.offers:
        raise Refused(
            f"wager '{wager}' is not offered; there are: {', '.join(selection.offers)}",
            paragraph=selection.catalogue.offered,
        )
    offer = selection.offers[wager]
    if wager != TEXAS_HOLDEM_BONUS:
        raise Refused(
            f"the payback of '{wager}' depends on how hands are played or on a meter; it is counted for "
            f"{TEXAS_HOLDEM_BONUS}",
            paragraph=offer.wager.decided,
        )
    rows = rows_by_category(offer)
    back, hands = Fraction(0), 0
    for pair in combinations(_DECK, 2):
        hands += 1
        category = two_card_category(pair)
        if category is None:
            continue
        usual = _comes_back(rows[category].odds)
        back += usual
        if category == ACE_ACE and ACE_ACE_BOTH in rows:
            back += _DEALER_HAS_ACES * (_comes_back(rows[ACE_ACE_BOTH].odds) - usual)
    return back / hands


def _comes_back(odds: Odds) -> Fraction:
    return odds.ratio + (1 if odds.stake_returned else 0)
