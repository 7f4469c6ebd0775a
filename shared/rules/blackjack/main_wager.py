"""The Blackjack Wager of each hand against the dealer's, § 633a.7(p)-(q), and its changes at Blackjack Switch."""

from dataclasses import dataclass
from typing import Final

from shared.rules.blackjack.dealer import DealerHand, is_bust
from shared.rules.blackjack.hands import PlayedHand
from shared.rules.blackjack.paragraphs import Paragraphs
from shared.rules.blackjack.totals import MOST
from shared.rules.line import Line, Outcome, line
from shared.rules.odds import Odds

BLACKJACK: Final = "blackjack"
_SWITCH_TIES_AT: Final = 22


@dataclass(frozen=True, slots=True)
class MainWager:
    """Settles Blackjack Wagers under the odds and the variation of the game that a submission selects."""

    blackjack_odds: Odds
    other_odds: Odds
    switch: bool
    paragraphs: Paragraphs

    def settle(self, seat: int, hand: PlayedHand, dealer: DealerHand) -> Line:
        """Return the line of a hand that was not called dead; its stake is the total stake on the hand, in cents."""
        paragraphs = self.paragraphs
        if hand.even_money:
            return self._win(seat, hand, paragraphs.even_money)
        if dealer.blackjack:
            return self._against_blackjack(seat, hand)
        if hand.surrendered:
            paragraph = paragraphs.surrender_high_card_up if dealer.high_card_up else paragraphs.surrender_low_card_up
            return _line(seat, hand, "surrender", hand.wager // 2, paragraph)
        points = hand.points
        if is_bust(points):
            return _line(seat, hand, "lose", 0, paragraphs.loses)
        if self.switch:
            settled = self._at_switch(seat, hand, dealer)
            if settled is not None:
                return settled
        if hand.blackjack:
            return self._win(seat, hand, paragraphs.wins, odds=self.blackjack_odds, category="blackjack")
        if is_bust(dealer.points) or points > dealer.points:
            return self._win(seat, hand, paragraphs.wins)
        if points == dealer.points:
            return _line(seat, hand, "push", hand.wager + hand.double, paragraphs.ties)
        return _line(seat, hand, "lose", 0, paragraphs.loses)

    def _against_blackjack(self, seat: int, hand: PlayedHand) -> Line:
        """Return the line against a dealer's Blackjack: the house collects only the original wager.

        Sources: § 633a.10(b), § 633a.11(d).
        """
        paragraphs = self.paragraphs
        if hand.blackjack:
            paragraph = paragraphs.switch_blackjack_against_blackjack if self.switch else paragraphs.ties
            return _line(seat, hand, "push", hand.wager, paragraph)
        if not hand.original:
            return _line(seat, hand, "push", hand.wager + hand.double, paragraphs.split_against_late_blackjack)
        if hand.double:
            paragraph = paragraphs.double_against_late_blackjack
        elif hand.split:
            paragraph = paragraphs.split_against_late_blackjack
        elif hand.surrendered:
            paragraph = paragraphs.surrender_high_card_up
        elif hand.switched_blackjack:
            paragraph = paragraphs.switched_against_blackjack
        else:
            paragraph = paragraphs.ties if hand.points == MOST else paragraphs.loses
        return _line(seat, hand, "lose", hand.double, paragraph)

    def _at_switch(self, seat: int, hand: PlayedHand, dealer: DealerHand) -> Line | None:
        """Return the line of a hand to which § 633a.12(a)(5) applies; None if the general rules apply."""
        paragraphs = self.paragraphs
        if dealer.points == MOST and hand.blackjack:
            return self._win(seat, hand, paragraphs.switch_blackjack_against_21)
        if dealer.points in (MOST, _SWITCH_TIES_AT) and hand.switched_blackjack:
            return _line(seat, hand, "push", hand.wager, paragraphs.switched_against_21_or_22)
        if dealer.points == _SWITCH_TIES_AT:
            return _line(seat, hand, "push", hand.wager + hand.double, paragraphs.switch_against_22)
        return None

    def _win(
        self, seat: int, hand: PlayedHand, paragraph: str, *, odds: Odds | None = None, category: str | None = None
    ) -> Line:
        stake = hand.wager + hand.double
        payout = (odds or self.other_odds).pay(stake)
        return line(seat, BLACKJACK, "win", stake, payout, stake, paragraph, hand.number, category)


def void(seat: int, hand: PlayedHand, paragraph: str) -> Line:
    """Return the line of a hand that was called dead: its whole stake is returned."""
    return _line(seat, hand, "void", hand.wager + hand.double, paragraph)


def still_open(hand: PlayedHand, *, switch: bool) -> bool:
    """Return whether the dealer's cards can still decide the hand: it is not bust, surrendered or paid.

    At Blackjack Switch this includes a dealt Blackjack, because a dealer's 21 or 22 changes what it pays.
    """
    if is_bust(hand.points) or hand.surrendered or hand.even_money:
        return False
    return switch or not hand.blackjack


def _line(seat: int, hand: PlayedHand, outcome: Outcome, stake_returned: int, paragraph: str) -> Line:
    return line(seat, BLACKJACK, outcome, hand.wager + hand.double, 0, stake_returned, paragraph, hand.number)
