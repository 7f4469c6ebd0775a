"""The players' hands: whether they can result from the dealt cards, and the stake of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from shared.cards import StandardCard
from shared.rules.blackjack.paragraphs import Paragraphs
from shared.rules.blackjack.record import BlackjackHand, BlackjackSeat
from shared.rules.blackjack.totals import MOST, VALUES, first_full, is_blackjack, total
from shared.rules.errors import Refused

Pair = tuple[StandardCard, StandardCard]


class PlayedHand(NamedTuple):
    """One hand as played, with the player's decisions. Amounts are whole cents."""

    number: int | None
    """The number of the hand, from 1, if the seat played several; else None."""
    wager: int
    """The stake on the hand, without its Double Down Wager."""
    double: int
    points: int
    cards: tuple[StandardCard, ...]
    blackjack: bool
    """Whether the initial two cards are an ace and a card with the value 10."""
    switched_blackjack: bool
    """Whether a switch brought together an ace and a card with the value 10: a 21, but not a Blackjack."""
    split: bool
    original: bool
    """Whether this is the first hand from its dealt cards, which carries the original wager."""
    surrendered: bool
    even_money: bool


class SeatInPlay(NamedTuple):
    """A seat of the round, with the data needed to settle its wagers."""

    seat: int
    wagers: Mapping[str, int]
    """Cents by wager type."""
    initial: Pair | None
    """The initial two cards (at Blackjack Switch, those of the first hand); None if the seat got no cards."""
    second_initial: Pair | None
    """The initial two cards of the second hand at Blackjack Switch; else None."""
    hands: Sequence[PlayedHand]
    dead: str | None
    """The paragraph under which the hand was called dead; None if it counts."""


class DealtHand(NamedTuple):
    """Two cards that a player was dealt, and the hands that resulted from them."""

    initial: Pair
    switched: bool
    hands: Sequence[BlackjackHand]


@dataclass(frozen=True, slots=True)
class HandRules:
    """The player's options under a rules submission and its regulation, by which played hands are checked."""

    resplits: int
    even_money: bool
    switch: bool
    paragraphs: Paragraphs

    def play(
        self, seat: BlackjackSeat, dealt: Sequence[DealtHand], *, wager: int, up: StandardCard, unfinished: bool
    ) -> list[PlayedHand]:
        """Check and return the hands of one seat; `wager` is the stake of each hand in cents before any double.

        If `unfinished`, the hand was called dead, and cards that it should have been dealt may be missing. Raise
        `Refused` for hands that cannot have been played as recorded.
        """
        several = self.switch or len(seat.hands) > 1
        played: list[PlayedHand] = []
        for group in dealt:
            if not group.hands:
                played.append(unplayed(len(played) + 1 if several else None, wager, group.initial))
                continue
            split = len(group.hands) > 1
            if split:
                self._check_split(seat.seat, group)
            original = True
            for hand in group.hands:
                cards = hand.cards
                if not split and cards[:2] != group.initial:
                    raise Refused(
                        f"'cards' {shown(cards)} do not begin with the dealt {shown(group.initial)}",
                        seat=seat.seat,
                        paragraph=self.paragraphs.initial_cards,
                    )
                natural = not split and is_blackjack(*group.initial)
                blackjack = natural and not group.switched
                if len(cards) == 2 and not hand.double:
                    points = VALUES[cards[0]] + VALUES[cards[1]]
                    if points > MOST:
                        points -= 10
                else:
                    self._check_cards(seat.seat, hand, blackjack=blackjack, unfinished=unfinished)
                    if hand.double:
                        self._check_double(seat, hand, wager, blackjack=blackjack, unfinished=unfinished)
                    points = total(cards)
                if hand.surrendered:
                    self._check_surrender(seat.seat, hand, blackjack=blackjack, split=split)
                if hand.even_money:
                    self._check_even_money(seat, hand, up, blackjack=blackjack)
                played.append(
                    PlayedHand(
                        len(played) + 1 if several else None,
                        wager,
                        hand.double,
                        points,
                        cards,
                        blackjack,
                        natural and group.switched,
                        split,
                        original,
                        hand.surrendered,
                        hand.even_money,
                    )
                )
                original = False
        return played

    def _check_split(self, seat: int, group: DealtHand) -> None:
        first, second = group.initial
        if VALUES[first] != VALUES[second]:
            raise Refused(
                f"{first} and {second} are not identical in value and cannot be split",
                seat=seat,
                paragraph=self.paragraphs.split,
            )
        if len(group.hands) > 2 + self.resplits:
            raise Refused(
                f"{len(group.hands)} hands from one pair; {self.resplits} additional splits allow {2 + self.resplits}",
                seat=seat,
                paragraph=self.paragraphs.resplit,
            )
        if not comes_from_split(group.initial, group.hands):
            starts = shown([hand.cards[0] for hand in group.hands if hand.cards])
            raise Refused(
                f"hands that begin with {starts} do not come from splitting {first} and {second}",
                seat=seat,
                paragraph=self.paragraphs.split,
            )

    def _check_cards(self, seat: int, hand: BlackjackHand, *, blackjack: bool, unfinished: bool) -> None:
        cards = hand.cards
        if len(cards) < 2 and not unfinished:
            raise Refused(
                f"'cards' {shown(cards)}: each split hand receives a second card",
                seat=seat,
                paragraph=self.paragraphs.resplit,
            )
        if blackjack and hand.double:
            raise Refused(
                f"'double' {hand.double}: a Blackjack cannot be doubled",
                seat=seat,
                paragraph=self.paragraphs.double_down,
            )
        full = first_full(cards)
        if full is not None and full < len(cards):
            raise Refused(
                f"drew {cards[full]} on {total(cards[:full])}", seat=seat, paragraph=self.paragraphs.no_draw_at_21
            )

    def _check_double(
        self, seat: BlackjackSeat, hand: BlackjackHand, wager: int, *, blackjack: bool, unfinished: bool
    ) -> None:
        cards, paragraphs = hand.cards, self.paragraphs
        if len(cards) != 3 and not (unfinished and len(cards) == 2):
            raise Refused(
                f"'double' {hand.double} on {shown(cards)}: exactly one additional card is dealt to a doubled hand",
                seat=seat.seat,
                paragraph=paragraphs.one_card_after_double,
            )
        if blackjack or total(cards[:2]) == MOST:
            raise Refused(
                f"'double' {hand.double} on {shown(cards[:2])}: a 21 cannot draw",
                seat=seat.seat,
                paragraph=paragraphs.no_draw_at_21,
            )
        if hand.double > wager:
            raise Refused(
                f"'double' {hand.double} exceeds the Blackjack Wager {wager}",
                seat=seat.seat,
                paragraph=paragraphs.double_down,
            )
        if seat.house_money_added and hand.double != wager:
            raise Refused(
                f"'double' {hand.double} does not match the entire Blackjack Wager {wager} with its House Money",
                seat=seat.seat,
                paragraph=paragraphs.house_money_matched,
            )

    def _check_surrender(self, seat: int, hand: BlackjackHand, *, blackjack: bool, split: bool) -> None:
        why = None
        paragraph = self.paragraphs.surrender
        if self.switch:
            why, paragraph = "Blackjack Switch has no surrender", self.paragraphs.switch_decisions
        elif blackjack:
            why = "a Blackjack cannot be surrendered"
        elif split:
            why = "a split hand cannot be surrendered"
        elif len(hand.cards) > 2 or hand.double:
            why = f"a hand cannot be surrendered after {hand.cards[2] if len(hand.cards) > 2 else 'a double'}"
        elif hand.even_money:
            why = "a hand cannot be surrendered and paid even money"
        if why is not None:
            raise Refused(f"'surrendered' on {shown(hand.cards)}: {why}", seat=seat, paragraph=paragraph)

    def _check_even_money(self, seat: BlackjackSeat, hand: BlackjackHand, up: StandardCard, *, blackjack: bool) -> None:
        why = None
        if not self.even_money:
            why = "the rules submission does not offer it"
        elif not blackjack:
            why = "only a Blackjack can be paid even money"
        elif up[0] != "A":
            why = f"it is paid against an ace only, not against {up}"
        elif "insurance" in seat.wagers:
            why = f"it is taken instead of Insurance, which is {seat.wagers['insurance']}"
        elif seat.house_money_added:
            why = f"the wager is paid before House Money, here {seat.house_money_added}, can be added to it"
        if why is not None:
            raise Refused(
                f"'even_money' on {shown(hand.cards)}: {why}", seat=seat.seat, paragraph=self.paragraphs.even_money
            )


def unplayed(number: int | None, wager: int, cards: tuple[StandardCard, ...]) -> PlayedHand:
    """Return a hand that was called dead before any decision on it."""
    return PlayedHand(
        number=number,
        wager=wager,
        double=0,
        points=total(cards),
        cards=cards,
        blackjack=False,
        switched_blackjack=False,
        split=False,
        original=True,
        surrendered=False,
        even_money=False,
    )


def comes_from_split(initial: Pair, hands: Sequence[BlackjackHand]) -> bool:
    """Return whether these hands can result from splitting the initial pair, once or several times.

    Each hand must begin with a card of the pair's value, and two of them with the initial cards; the others came as
    second cards and were split again. The hands may be in any order, because dealers place them differently.
    """
    starts = [hand.cards[0] for hand in hands if hand.cards]
    if len(starts) < len(hands) or any(VALUES[start] != VALUES[initial[0]] for start in starts):
        return False
    for card in initial:
        if card not in starts:
            return False
        starts.remove(card)
    return True


def shown(cards: Sequence[StandardCard]) -> str:
    return " ".join(cards) or "(no cards)"
