"""The Five Card Hand Bonus Wagers on the player's and on the dealer's hand, § 647a.11(j) and § 647a.12(e)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from shared.cards import StandardCard
from shared.rules.holdem.hands import SeatInPlay
from shared.rules.holdem.table import FIVE_CARD_HAND_BONUS, ON_DEALER, ON_PLAYER
from shared.rules.line import Line
from shared.rules.meters import MeterBoard
from shared.rules.paytable import Row, rows_by_category, settled
from shared.rules.submission import Offer


class FiveCardHandBonus:
    """The rows of both wagers by category, their bonuses, and their common meter with its `reset` amount in cents."""

    def __init__(self, offer: Offer) -> None:
        """Read the offered wager, which players may make on their own hand and on the dealer's."""
        assert offer.meter is not None
        rows = rows_by_category(offer)
        self.on_player = {category: replace(row, wager=ON_PLAYER) for category, row in rows.items()}
        self.on_dealer = {category: replace(row, wager=ON_DEALER) for category, row in rows.items()}
        self.magic_card = rows.get("magic_card")
        self.lucky_bonus = rows.get("lucky_bonus")
        self.rate: Final = Fraction(offer.meter.rate)
        self.reset: Final = offer.meter.reset
        self.decided = offer.wager.decided


@dataclass(frozen=True, slots=True)
class Draw:
    """The card and position that the table game system selected at random for bonuses; None if it selected none."""

    magic_card: StandardCard | None
    lucky_position: int | str | None


class FiveCardHands:
    """The Five Card Hand Bonus Wagers of one round, settled seat by seat.

    The award for the dealer's hand is fixed at the turn of the first seat that wagered on it, and divided equally among
    all seats that wagered on it and whose players did not leave.
    """

    def __init__(
        self,
        bonus: FiveCardHandBonus,
        seats: Sequence[SeatInPlay],
        dealer: Sequence[StandardCard],
        flop: Sequence[StandardCard],
        dealer_category: str | None,
        draw: Draw,
        board: MeterBoard,
    ) -> None:
        """Begin with all seats of the round, the dealer's two cards, the Flop, and the category of these five cards."""
        self._bonus = bonus
        self._flop = flop
        self._dealer = dealer
        self._dealer_row = None if dealer_category is None else bonus.on_dealer.get(dealer_category)
        self._on_dealer = sum(ON_DEALER in seat.wagers and seat.abandoned is None for seat in seats)
        self._dealer_award: int | None = None
        self._draw = draw
        self._board = board

    def settle(self, seat: SeatInPlay, category: str | None) -> list[Line]:
        """Return the lines of a seat whose player did not leave: for the player's own hand, then for the dealer's."""
        lines: list[Line] = []
        if ON_PLAYER in seat.wagers:
            row = None if category is None else self._bonus.on_player.get(category)
            won = 0 if row is None else self._board.award(FIVE_CARD_HAND_BONUS, row.meter, self._bonus.reset)
            self._append(lines, seat, ON_PLAYER, row, won, seat.cards, seat.number)
        if ON_DEALER in seat.wagers:
            row = self._dealer_row
            won = 0 if row is None else self._dealer_jackpot(row)
            self._append(lines, seat, ON_DEALER, row, won, self._dealer, "dealer")
        return lines

    def _dealer_jackpot(self, row: Row) -> int:
        if self._dealer_award is None:
            self._dealer_award = self._board.award(
                FIVE_CARD_HAND_BONUS, row.meter, self._bonus.reset, winners=self._on_dealer
            )
        return self._dealer_award

    def _append(
        self,
        lines: list[Line],
        seat: SeatInPlay,
        wager: str,
        row: Row | None,
        from_meter: int,
        cards: Sequence[StandardCard],
        position: int | str,
    ) -> None:
        number, stake, bonus, draw = seat.number, seat.wagers[wager], self._bonus, self._draw
        lines.append(settled(row, number, wager, stake, bonus.decided, from_meter=from_meter))
        if bonus.magic_card is not None and (draw.magic_card in cards or draw.magic_card in self._flop):
            lines.append(bonus.magic_card.win_without_stake(number, stake))
        if bonus.lucky_bonus is not None and draw.lucky_position == position:
            lines.append(bonus.lucky_bonus.win_without_stake(number, stake))
