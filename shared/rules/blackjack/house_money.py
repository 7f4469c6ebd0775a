"""House Money added to the Blackjack Wager, § 633a.7(g)(10)."""

from dataclasses import dataclass
from fractions import Fraction

from shared.rules.blackjack.dealer import DealerHand
from shared.rules.blackjack.hands import Pair
from shared.rules.blackjack.paragraphs import Paragraphs
from shared.rules.blackjack.record import BlackjackSeat
from shared.rules.blackjack.side_bets import SideBet
from shared.rules.errors import Refused


@dataclass(frozen=True, slots=True)
class HouseMoney:
    """The rules for adding House Money to a wager.

    `bet` is the House Money Wager, None if it is not offered; `portion` is the part of its payout that may be added.
    """

    bet: SideBet | None
    portion: Fraction
    switch: bool
    paragraphs: Paragraphs

    def check_added(self, seat: BlackjackSeat, initial: Pair, dealer: DealerHand) -> None:
        """Raise `Refused` if the amount added is neither the payout nor the portion of it that may be added."""
        added, paragraphs = seat.house_money_added, self.paragraphs
        stake = seat.wagers.get("house_money")
        if stake is None or self.bet is None:
            why, paragraph = "there is no House Money Wager", paragraphs.house_money
        elif self.switch:
            why, paragraph = "the two wagers of Blackjack Switch stay equal", paragraphs.switch_equal_wagers
        elif dealer.blackjack:
            why, paragraph = "against a dealer Blackjack it is paid out", paragraphs.house_money_against_blackjack
        else:
            row = self.bet.row(initial, None, dealer.up)
            payout = 0 if row is None else row.odds.pay(stake)
            allowed = payout * self.portion.numerator // self.portion.denominator
            if added == allowed:
                return
            why, paragraph = (
                f"{allowed} of the payout {payout} may be added, or nothing",
                paragraphs.house_money_portion,
            )
        raise Refused(f"'house_money_added' {added}: {why}", seat=seat.seat, paragraph=paragraph)
