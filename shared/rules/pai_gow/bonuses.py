"""The optional wagers on the combinations in a player's seven cards: insurance, and bonus wagers with Envy Bonuses."""

from typing import Final

from shared.cards.ranking.pai_gow import CardSet, Formed, top_value
from shared.cards.ranking.standard import VALUES
from shared.rules.paytable import Row, rows_by_category
from shared.rules.set_hands.bonuses import BonusRows
from shared.rules.submission import Offer

FORTUNE_BONUS: Final = "fortune_bonus"
EMPERORS_TREASURE: Final = "emperors_treasure"
BONUS: Final = "bonus"
INSURANCE: Final = "pai_gow_insurance"

BONUSES: Final = (FORTUNE_BONUS, EMPERORS_TREASURE, BONUS)
"""The wagers that earn Envy Bonuses, in settlement order."""

# Pennsylvania's Fortune Bonus also accepts a suited ace and king for a Royal Match, § 645a.6(d)(2).
_ROYAL_MATCHES: Final = {FORTUNE_BONUS: Formed.royal_flush_and_ace_king | Formed.royal_flush_and_king_queen}

_TOP_CARDS: Final = {
    "nine_high": VALUES["9"],
    "ten_high": VALUES["T"],
    "jack_high": VALUES["J"],
    "queen_high": VALUES["Q"],
    "king_high": VALUES["K"],
    "ace_high": VALUES["A"],
}


class Bonus:
    """A wager of `BONUSES`: its rows by combinations of cards, and the least wager in cents that earns Envy Bonuses."""

    def __init__(self, offer: Offer) -> None:
        """Read the terms of the offered wager and its selected paytable."""
        assert offer.wager.qualifies is not None
        match = _ROYAL_MATCHES.get(offer.name, Formed.royal_flush_and_king_queen)
        self.name: Final = offer.name
        self.rows: Final = BonusRows(offer, royal_match=match)
        self.decided: Final = offer.wager.decided
        self.qualifies_cents: Final = offer.wager.qualifies


class Insurance:
    """The Pai Gow Insurance Wager: seven cards without a pair, a straight or a flush, paid by their highest card."""

    def __init__(self, offer: Offer) -> None:
        """Read the terms of the offered wager and its selected paytable."""
        rows = rows_by_category(offer)
        self.rows: Final = {value: rows[category] for category, value in _TOP_CARDS.items()}
        self.decided: Final = offer.wager.decided

    def row(self, seven: CardSet, formed: int) -> Row | None:
        """Return the row for seven cards that can form `formed`; None if they have a pair or better."""
        return None if formed else self.rows[top_value(seven)]
