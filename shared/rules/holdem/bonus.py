"""The Texas Hold 'Em Bonus Wager on a player's two cards, § 647a.7(d)(2) and § 647a.11(h)(3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from shared.cards import StandardCard
from shared.rules.errors import Refused
from shared.rules.holdem.hands import ACE_ACE, ACE_ACE_BOTH, SeatInPlay, two_card_category
from shared.rules.line import Line
from shared.rules.paytable import Row, settled

TEXAS_HOLDEM_BONUS: Final = "texas_holdem_bonus"
_TWO: Final = 2


@dataclass(frozen=True, slots=True)
class TexasHoldemBonus:
    """The selected paytable, and the paragraph under which a hand without a row loses."""

    rows: Mapping[str, Row]
    decided: str

    def settle(self, seat: SeatInPlay, stake: int, dealer: Sequence[StandardCard]) -> Line:
        """Return the line of a wager of `stake` cents on two cards; `dealer` has the dealer's known cards."""
        category = two_card_category(seat.cards)
        if category == ACE_ACE and ACE_ACE_BOTH in self.rows and self._dealer_has_aces(seat, dealer):
            category = ACE_ACE_BOTH
        row = None if category is None else self.rows[category]
        return settled(row, seat.number, TEXAS_HOLDEM_BONUS, stake, self.decided)

    def _dealer_has_aces(self, seat: SeatInPlay, dealer: Sequence[StandardCard]) -> bool:
        if any(card[0] != "A" for card in dealer):
            return False
        if len(dealer) < _TWO:
            raise Refused(
                f"'{TEXAS_HOLDEM_BONUS}' on {' '.join(seat.cards)} needs the dealer's two cards, the record holds "
                f"{len(dealer)}",
                seat=seat.number,
                paragraph=self.rows[ACE_ACE_BOTH].paragraph,
            )
        return True
