"""The Face Up Pai Gow Poker Wager against the dealer's hands, § 688a.11(f)."""

from dataclasses import dataclass

from shared.rules.face_up_pai_gow.paragraphs import Paragraphs
from shared.rules.face_up_pai_gow.record import MAIN
from shared.rules.line import Line, line
from shared.rules.odds import Odds
from shared.rules.set_hands.hands import OUTCOMES, SetHand, compare


@dataclass(frozen=True, slots=True)
class MainWager:
    """The odds of the wager, and the paragraph of each outcome."""

    odds: Odds
    paragraphs: Paragraphs

    def settle(self, seat: int, stake: int, hand: SetHand, dealer: SetHand, *, dealer_ace_high: bool) -> Line:
        """Return the line of a wager of `stake` cents on a valid hand.

        Interpretation of § 688a.11(f)(2)(iii): if the dealer has an Ace High Pai Gow, every hand ties, including a
        fouled one.
        """
        paragraphs = self.paragraphs
        if dealer_ace_high:
            return line(seat, MAIN, "push", stake, 0, stake, paragraphs.dealer_ace_high)
        if hand.fouled is not None:
            return line(seat, MAIN, "lose", stake, 0, 0, getattr(paragraphs, hand.fouled))
        comparison = compare(hand, dealer)
        outcome = OUTCOMES[comparison]
        payout = self.odds.pay(stake) if outcome == "win" else 0
        back = 0 if outcome == "lose" else stake
        return line(seat, MAIN, outcome, stake, payout, back, getattr(paragraphs, comparison))
