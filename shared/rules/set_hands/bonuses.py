"""Bonus wagers on the combinations that seven cards can form: the row that is paid."""

from collections.abc import Iterable
from typing import Final

from shared.cards.ranking.pai_gow import Formed
from shared.rules.paytable import Row, rows_by_category
from shared.rules.submission import Offer

_MATCHED: Final = "royal_flush_and_royal_match"
_WITHOUT_JOKER: Final = "seven_card_straight_flush"
_WITH_JOKER: Final = "seven_card_straight_flush_with_joker"

_FORMED_FOR: Final = {
    "royal_flush_and_ace_king_suited": Formed.royal_flush_and_ace_king,
    "seven_card_natural_straight_flush": Formed.seven_card_straight_flush,
    "seven_card_wild_straight_flush": Formed.seven_card_straight_flush_with_joker,
}


class BonusRows(dict[int, Row | None]):
    """The row that a paytable pays, keyed by the flags of `Formed` that the cards have; None if no row is paid.

    The first row of the paytable that the hand can form is paid, because the rows are in the order of their rank.
    """

    def __init__(self, offer: Offer, *, royal_match: Formed = Formed.royal_flush_and_king_queen) -> None:
        """Read the selected paytable of an offer; `royal_match` is the combination for its Royal Match."""
        rows = rows_by_category(offer)
        self._rows: Final = tuple(
            (int(_formed_for(category, rows, royal_match)), row) for category, row in rows.items()
        )

    def __missing__(self, formed: int) -> Row | None:
        found = next((row for flags, row in self._rows if formed & flags), None)
        self[formed] = found
        return found


def _formed_for(category: str, rows: Iterable[str], royal_match: Formed) -> Formed:
    if category == _MATCHED:
        return royal_match
    if category == _WITHOUT_JOKER and _WITH_JOKER not in rows:
        # Without a row of its own, a straight flush with the joker wins the row without it.
        return Formed.seven_card_straight_flush | Formed.seven_card_straight_flush_with_joker
    return _FORMED_FOR.get(category) or Formed[category]
