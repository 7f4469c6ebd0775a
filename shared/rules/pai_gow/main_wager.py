"""The Pai Gow Poker Wager against the hands of the dealer or of the bank."""

from dataclasses import dataclass
from typing import Final

from shared.rules.line import Line, Outcome, Payer, line
from shared.rules.odds import Odds
from shared.rules.pai_gow.paragraphs import Paragraphs
from shared.rules.pai_gow.record import DEALER, MAIN
from shared.rules.pai_gow.vigorish import Rounding, vigorish
from shared.rules.set_hands.hands import OUTCOMES, SetHand, compare

DEALER_WAGER: Final = "dealer_wager"


@dataclass(frozen=True, slots=True)
class MainWager:
    """The odds of the wager, who pays it, the rounding of vigorish, and the paragraph of each outcome."""

    odds: Odds
    rounding: Rounding
    payer: Payer
    paragraphs: Paragraphs

    def settle(self, seat: int, stake: int, hand: SetHand, against: SetHand) -> Line:
        """Return the line of a wager of `stake` cents on a set hand; the hand `against` wins copies."""
        if hand.fouled is not None:
            paragraph: str = getattr(self.paragraphs, hand.fouled)
            return line(seat, MAIN, "lose", stake, 0, 0, paragraph, paid_by=self.payer)
        comparison = compare(hand, against)
        outcome = OUTCOMES[comparison]
        paragraph = getattr(self.paragraphs, comparison)
        if outcome == "win":
            won = self.odds.pay(stake)
            taken = vigorish(won, self.rounding)
            return line(seat, MAIN, "win", stake, won, stake, paragraph, vigorish=taken, paid_by=self.payer)
        return line(seat, MAIN, outcome, stake, 0, stake if outcome == "push" else 0, paragraph, paid_by=self.payer)

    def collected(self, seat: int, outcome: Outcome, stake: int, paragraph: str) -> Line:
        """Return the line of a wager of `stake` cents that is collected without comparing hands."""
        return line(seat, MAIN, outcome, stake, 0, 0, paragraph, paid_by=self.payer)


def against_the_bank(stake: int, dealer: SetHand, bank: SetHand, paragraph: str) -> Line:
    """Return the line of the dealer's wager of `stake` cents against a bank; the dealer pays no vigorish."""
    outcome = OUTCOMES[compare(dealer, bank)]
    payout = stake if outcome == "win" else 0
    return line(
        DEALER, DEALER_WAGER, outcome, stake, payout, 0 if outcome == "lose" else stake, paragraph, paid_by="bank"
    )
