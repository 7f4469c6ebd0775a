"""The progressive wagers, § 633a.7(o): Bad Beat, Hit and Run, Straight Jack."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from shared.cards import StandardCard
from shared.rules.blackjack.dealer import DealerHand, is_bust
from shared.rules.blackjack.hands import SeatInPlay
from shared.rules.blackjack.side_bets import HEIGHTS, is_two_card_straight
from shared.rules.blackjack.totals import MOST, total
from shared.rules.line import Line
from shared.rules.meters import MeterBoard
from shared.rules.paytable import Row, returned, rows_by_category, settled
from shared.rules.submission import Offer

_ACE_HIGH: Final = HEIGHTS["A"]
_ACE_LOW: Final = 1


@dataclass(frozen=True, slots=True)
class RandomSelection:
    """The cards and seats that the table game system selected at random for bonuses; None if it selected none."""

    magic_card: StandardCard | None
    lucky_seat: int | None


class Progressive(ABC):
    """An offered progressive wager: its paytable and its meter, with the reset amount in cents."""

    def __init__(self, offer: Offer) -> None:
        """Read the terms of the offered wager."""
        assert offer.meter is not None
        assert offer.wager.meter is not None
        self.name: Final = offer.name
        self.rows: Final = rows_by_category(offer)
        self._decided = offer.wager.decided
        self._rate = Fraction(offer.meter.rate)
        self._reset = offer.meter.reset
        self._shared_equally = offer.wager.meter.shared == "equally"

    def void_paragraph(self, seat: SeatInPlay, *, stopped: bool) -> str | None:  # noqa: ARG002
        """Return the paragraph under which a dead hand's wager is returned; None if the wager counts."""
        return seat.dead

    @abstractmethod
    def row(self, seat: SeatInPlay, dealer: DealerHand) -> Row | None:
        """Return the row that the seat wins, or None."""

    def bonuses(self, seat: SeatInPlay, selection: RandomSelection) -> list[Line]:  # noqa: ARG002
        """Return the lines of bonuses that are paid on the wager whether or not it wins."""
        return []

    def settle(
        self,
        seats: Sequence[SeatInPlay],
        dealer: DealerHand,
        board: MeterBoard,
        selection: RandomSelection,
        *,
        stopped: bool,
    ) -> dict[int, list[Line]]:
        """Return the lines of the wager by seat; `seats` are in settlement order, highest number first.

        The contributions of all wagers are added before any award. The seats that win 100% of the meter share its
        reading at the turn of the first of them, and the meter then resets at once. A seat that wins a part of the
        meter is paid from the reading at its own turn.
        """
        lines: dict[int, list[Line]] = {}
        counting = []
        for seat in seats:
            stake = seat.wagers.get(self.name)
            if stake is None:
                continue
            void = self.void_paragraph(seat, stopped=stopped)
            if void is not None:
                lines[seat.seat] = [returned(seat.seat, self.name, stake, void)]
                continue
            board.contribute(seat.seat, self.name, self.name, stake, self._rate)
            counting.append((seat, stake, self.row(seat, dealer)))
        awards = self._awards(counting, board)
        for seat, stake, row in counting:
            number = seat.seat
            line = settled(row, number, self.name, stake, self._decided, from_meter=awards.get(number, 0))
            lines[number] = [line, *self.bonuses(seat, selection)]
        return lines

    def _awards(self, counting: Sequence[tuple[SeatInPlay, int, Row | None]], board: MeterBoard) -> dict[int, int]:
        """Return the award of each seat from the meter, in cents."""
        whole = [(seat.seat, stake) for seat, stake, row in counting if row is not None and row.meter == 1]
        awards: dict[int, int] = {}
        for seat, _, row in counting:
            if row is None or not row.meter:
                continue
            if row.meter != 1:
                awards[seat.seat] = board.award(self.name, row.meter, self._reset)
            elif seat.seat not in awards:
                weights = [1 if self._shared_equally else stake for _, stake in whole]
                cents = board.award_all(self.name, weights, self._reset)
                awards.update(zip((number for number, _ in whole), cents, strict=True))
        return awards


class BadBeat(Progressive):
    """The Bad Beat Progressive, for a player's 20 against a dealer's 21, § 633a.7(o)(1)."""

    def row(self, seat: SeatInPlay, dealer: DealerHand) -> Row | None:
        """Return the row for completed hands with a total of 20; several such hands win only one row."""
        if not any(hand.points == MOST - 1 and not hand.surrendered for hand in seat.hands):
            return None
        return self.row_of(dealer)

    def row_of(self, dealer: DealerHand) -> Row | None:
        """Return the row that a 20 wins against the dealer's hand."""
        row = None
        if dealer.blackjack:
            row = self.rows.get("dealer_blackjack")
        elif dealer.points == MOST:
            row = self.rows.get(_DEALER_21[min(len(dealer.cards), 7)])
        return row or self.rows.get("any_20")

    def bonuses(self, seat: SeatInPlay, selection: RandomSelection) -> list[Line]:
        """Return the Magic Card Bonus, once for the first two cards, and the Lucky Player Bonus for the seat."""
        stake, rows, lines = seat.wagers[self.name], self.rows, []
        if seat.initial is not None and selection.magic_card in seat.initial and "magic_card" in rows:
            lines.append(rows["magic_card"].win_without_stake(seat.seat, stake))
        if selection.lucky_seat == seat.seat and "lucky_player" in rows:
            lines.append(rows["lucky_player"].win_without_stake(seat.seat, stake))
        return lines


_DEALER_21: Final = {
    3: "dealer_21_with_three_cards",
    4: "dealer_21_with_four_cards",
    5: "dealer_21_with_five_cards",
    6: "dealer_21_with_six_cards",
    7: "dealer_21_with_seven_or_more_cards",
}


class HitAndRun(Progressive):
    """The Hit and Run Progressive, for a dealer's Blackjack or hand of five or more cards, § 633a.7(o)(2).

    A hand of five or more cards is paid even if it busts.
    """

    def void_paragraph(self, seat: SeatInPlay, *, stopped: bool) -> str | None:
        """Return the paragraph of a dead hand only if the seat got no cards or the round stopped.

        Otherwise the dealer's cards decide the wager.
        """
        return seat.dead if stopped or seat.initial is None else None

    def row(self, seat: SeatInPlay, dealer: DealerHand) -> Row | None:  # noqa: ARG002
        """Return the row that the dealer's hand pays, regardless of the seat's hand."""
        return self.row_of(dealer)

    def row_of(self, dealer: DealerHand) -> Row | None:
        """Return the row for the dealer's Blackjack, or for the number of the dealer's cards."""
        if dealer.blackjack:
            return self.rows.get("blackjack")
        category = _DEALER_CARDS.get(min(len(dealer.cards), 8))
        return None if category is None else self.rows.get(category)


_DEALER_CARDS: Final = {5: "five_cards", 6: "six_cards", 7: "seven_cards", 8: "eight_or_more_cards"}


class StraightJack(Progressive):
    """The Straight Jack Progressive, for a two-card straight, lengthened by cards drawn in sequence, § 633a.7(o)(3)."""

    def void_paragraph(self, seat: SeatInPlay, *, stopped: bool) -> str | None:  # noqa: ARG002
        """Return the paragraph of a dead hand for a wager that could still win.

        A wager that lost on the initial cards stays lost (§ 633a.7(g)(9)).
        """
        if seat.initial is not None and not is_two_card_straight(*seat.initial):
            return None
        return seat.dead

    def row(self, seat: SeatInPlay, dealer: DealerHand) -> Row | None:  # noqa: ARG002
        """Return the row for the length of the straight; a split hand no longer has both initial cards."""
        if seat.initial is None:
            return None
        hand = seat.hands[0].cards
        kept = not seat.hands[0].split and hand[:2] == seat.initial
        return self.row_of(hand if kept else seat.initial)

    def row_of(self, hand: Sequence[StandardCard]) -> Row | None:
        """Return the row for the straight formed by the cards in the order drawn, beginning with the initial two."""
        length = straight_length(hand)
        if length >= 6:
            spades = "As" in hand
            return self.rows.get(f"six_card_straight_with_{'an_ace_of_spades' if spades else 'another_ace'}")
        category = _STRAIGHTS.get(length)
        return None if category is None else self.rows.get(category)


_STRAIGHTS: Final = {
    2: "two_card_straight",
    3: "three_card_straight",
    4: "four_card_straight",
    5: "five_card_straight",
}

PROGRESSIVES: Final[Mapping[str, type[Progressive]]] = {
    "bad_beat_progressive": BadBeat,
    "hit_and_run_progressive": HitAndRun,
    "straight_jack_progressive": StraightJack,
}


def straight_length(cards: Sequence[StandardCard]) -> int:
    """Return the number of cards in the straight that a hand's first two cards begin; 0 if these begin no straight.

    Each further card must extend the sequence at either end. The first card that does not, or that takes the hand over
    21, ends the count. Interpretation: an ace extends a sequence that ends with a king, or one that begins with a 2.

    >>> straight_length(["4h", "5c", "3d", "6s"]), straight_length(["4c", "5h", "2d", "3s"])
    (4, 2)
    >>> straight_length(["4d", "5s", "6h", "7c"])
    3
    """
    first, second = cards[0], cards[1]
    if not is_two_card_straight(first, second):
        return 0
    low, high = sorted((HEIGHTS[first[0]], HEIGHTS[second[0]]))
    if (low, high) == (HEIGHTS["2"], _ACE_HIGH):
        low, high = _ACE_LOW, HEIGHTS["2"]
    for count in range(2, len(cards)):
        height = HEIGHTS[cards[count][0]]
        if is_bust(total(cards[: count + 1])):
            return count
        if height == high + 1:
            high = height
        elif height == low - 1 or (height == _ACE_HIGH and low == HEIGHTS["2"]):
            low = height if height == low - 1 else _ACE_LOW
        else:
            return count
    return len(cards)
