"""A seat in play, and the paytable rows that hands win."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from shared.cards import StandardCard
from shared.cards.ranking import Category, category_of, rank_five

_LEAST_QUALIFYING: Final = Category.three_of_a_kind
_NAMES: Final = {category: category.name for category in Category}
_UNPAIRED: Final = {
    frozenset("AK"): ("ace_king_suited", "ace_king_unsuited"),
    frozenset("AQ"): ("ace_queen_or_ace_jack_suited", "ace_queen_or_ace_jack_unsuited"),
    frozenset("AJ"): ("ace_queen_or_ace_jack_suited", "ace_queen_or_ace_jack_unsuited"),
}

ACE_ACE: Final = "ace_ace"
ACE_ACE_BOTH: Final = "ace_ace_dealer_and_player"


@dataclass(frozen=True, slots=True)
class SeatInPlay:
    """A seat, with the data needed to settle its wagers: cents by wager, the player's cards and decisions.

    `abandoned` is the paragraph under which the wagers of a player who left are lost; None if the player stayed.
    """

    number: int
    wagers: Mapping[str, int]
    cards: tuple[StandardCard, ...]
    folded: bool
    abandoned: str | None


def five_card_category(cards: Sequence[StandardCard], flop: Sequence[StandardCard]) -> str | None:
    """Return the category of two cards and the Flop if it is three-of-a-kind or better; None for any lower hand.

    >>> five_card_category(("9c", "9d"), ("9h", "8h", "7h"))
    'three_of_a_kind'
    """
    category = category_of(rank_five((*cards, *flop)))
    return _NAMES[category] if category >= _LEAST_QUALIFYING else None


def two_card_category(cards: Sequence[StandardCard]) -> str | None:
    """Return the row of a player's two cards in the paytables of the Texas Hold 'Em Bonus Wager, or None.

    >>> two_card_category(("Jd", "Ad")), two_card_category(("Ks", "Qs"))
    ('ace_queen_or_ace_jack_suited', None)
    """
    (first, first_suit), (second, second_suit) = cards
    if first != second:
        names = _UNPAIRED.get(frozenset((first, second)))
        return None if names is None else names[first_suit != second_suit]
    if first == "A":
        return ACE_ACE
    return "king_king_queen_queen_or_jack_jack" if first in "KQJ" else "pair_of_tens_through_twos"
