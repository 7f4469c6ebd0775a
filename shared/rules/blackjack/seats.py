"""Check one seat of the record: its wagers, its dealt cards and its hands, together."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from shared.rules.blackjack.dead_hands import DeadHands
from shared.rules.blackjack.dealer import DealerHand
from shared.rules.blackjack.hands import DealtHand, HandRules, Pair, PlayedHand, SeatInPlay, unplayed
from shared.rules.blackjack.house_money import HouseMoney
from shared.rules.blackjack.insurance import INSURANCE, Insurance
from shared.rules.blackjack.paragraphs import Paragraphs
from shared.rules.blackjack.record import BlackjackSeat
from shared.rules.blackjack.switch import two_dealt_hands
from shared.rules.blackjack.totals import MOST
from shared.rules.catalogue import Catalogue
from shared.rules.errors import Refused


@dataclass(frozen=True, slots=True)
class SeatRules:
    """The rules under which a seat's record is checked."""

    catalogue: Catalogue
    hands: HandRules
    insurance: Insurance
    house_money: HouseMoney
    paragraphs: Paragraphs

    def read(self, seat: BlackjackSeat, dealer: DealerHand, dead: DeadHands) -> SeatInPlay:
        """Return the seat with its checked wagers and hands; raise `Refused` if its record is impossible."""
        number, wagers = seat.seat, cast("Mapping[str, int]", seat.wagers)
        if INSURANCE in wagers:
            self.insurance.check(seat, dealer.up)
        if not seat.dealt:
            return self._without_cards(seat, called=number in dead.called)
        paragraph = dead.by_seat.get(number)
        if not seat.hands and paragraph is None:
            raise Refused(
                "'hands' is empty although cards were dealt",
                seat=number,
                paragraph=self.catalogue.record["hands"],
            )
        pairs = self._pairs(seat)
        if seat.house_money_added:
            self.house_money.check_added(seat, pairs[0], dealer)
        if self.hands.switch:
            dealt = two_dealt_hands(
                seat, (pairs[0], pairs[1]), resplits=self.hands.resplits, paragraphs=self.paragraphs
            )
        else:
            dealt = [DealtHand(pairs[0], False, seat.hands)]
        hands = self.hands.play(
            seat,
            dealt,
            wager=wagers["blackjack"] + seat.house_money_added,
            up=dealer.up,
            unfinished=paragraph is not None,
        )
        if number in dead.called and not any(_can_wait_for_a_card(hand) for hand in hands):
            raise Refused(
                "irregularity 'hand_dead': no hand of the seat can have waited for a card",
                seat=number,
                paragraph=paragraph,
            )
        return SeatInPlay(number, wagers, pairs[0], pairs[1] if len(pairs) > 1 else None, hands, paragraph)

    def _without_cards(self, seat: BlackjackSeat, *, called: bool) -> SeatInPlay:
        paragraph = self.paragraphs.no_cards_dealt
        if not called:
            raise Refused(
                "'dealt' is empty and no irregularity 'hand_dead' says why", seat=seat.seat, paragraph=paragraph
            )
        if seat.hands or seat.switched or seat.house_money_added:
            raise Refused("nothing can be played without cards", seat=seat.seat, paragraph=paragraph)
        wagers = cast("Mapping[str, int]", seat.wagers)
        numbers = (1, 2) if self.hands.switch else (None,)
        hands = [unplayed(number, wagers["blackjack"], ()) for number in numbers]
        return SeatInPlay(seat.seat, wagers, None, None, hands, paragraph)

    def _pairs(self, seat: BlackjackSeat) -> list[Pair]:
        """Return the initial two cards, or those of both hands at Blackjack Switch, as dealt."""
        first, second = seat.dealt  # type: ignore[misc]  # read() has returned early for a seat without cards
        if isinstance(first, tuple) and isinstance(second, tuple):
            if self.hands.switch:
                return [first, second]
            why = "'dealt' holds two hands: the rules submission does not offer Blackjack Switch"
        else:
            assert not isinstance(first, tuple)
            assert not isinstance(second, tuple)
            if not self.hands.switch and not seat.switched:
                return [(first, second)]
            if self.hands.switch:
                why = f"'dealt' {first} {second}: Blackjack Switch deals two hands to each player"
            else:
                why = "'switched': the rules submission does not offer Blackjack Switch"
        raise Refused(why, seat=seat.seat, paragraph=self.paragraphs.switch)


def _can_wait_for_a_card(hand: PlayedHand) -> bool:
    doubled = hand.double > 0 and len(hand.cards) > 2
    return hand.points < MOST and not (doubled or hand.surrendered or hand.even_money)
