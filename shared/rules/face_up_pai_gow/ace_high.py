"""The dealer's Ace High Pai Gow, and the Ace High Bonus Wager, § 688a.6(d) and § 688a.11(h)(1)."""

from typing import Final

from shared.cards import JOKER
from shared.cards.ranking.pai_gow import CardSet, card_set, formed, top_value
from shared.cards.ranking.standard import ACE
from shared.rules.paytable import Row, rows_by_category
from shared.rules.submission import Offer

_JOKER: Final = card_set([JOKER])


def is_ace_high(seven: CardSet) -> bool:
    """Return whether seven cards have an ace, or the joker as one, and form no pair, straight or flush, § 688a.1."""
    return top_value(seven) == ACE and not formed(seven)


class AceHighBonus:
    """The rows of the Ace High Bonus Wager's selected paytable, § 688a.12(b)."""

    def __init__(self, offer: Offer) -> None:
        """Read the terms of the offered wager and its selected paytable."""
        rows = rows_by_category(offer)
        self.both: Final = rows["both_dealer_and_player_ace_high"]
        self.with_joker: Final = rows["only_dealer_ace_high_with_joker"]
        self.no_joker: Final = rows["only_dealer_ace_high_no_joker"]

    def row(self, dealer: CardSet, player: CardSet) -> Row:
        """Return the row that is paid if the dealer's seven cards are an Ace High Pai Gow.

        Interpretation: the row for both hands applies regardless of who has the joker. In the other rows, the joker
        must be in the dealer's hand.
        """
        if is_ace_high(player):
            return self.both
        return self.with_joker if dealer & _JOKER else self.no_joker
