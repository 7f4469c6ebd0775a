"""Texas Hold 'Em Bonus Poker under one rules submission, whose selections are resolved before rounds are settled."""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Final, cast

from shared.cards import StandardCard
from shared.cards.ranking import Category, rank_best
from shared.rules.holdem.bonus import TEXAS_HOLDEM_BONUS, TexasHoldemBonus
from shared.rules.holdem.five_card import Draw, FiveCardHandBonus, FiveCardHands
from shared.rules.holdem.hands import SeatInPlay, five_card_category
from shared.rules.holdem.interruptions import Interruptions, interruptions
from shared.rules.holdem.limits import limit_payouts
from shared.rules.holdem.main_wagers import MAIN_WAGERS, MainWagers
from shared.rules.holdem.paragraphs import Paragraphs
from shared.rules.holdem.progressive import Progressive
from shared.rules.holdem.record import HoldemRound
from shared.rules.holdem.table import (
    FIVE_CARD_HAND_BONUS,
    FLOP_CARDS,
    ON_DEALER,
    ON_PLAYER,
    PROGRESSIVE,
    HoldemTable,
)
from shared.rules.line import Line
from shared.rules.meters import MeterBoard
from shared.rules.paytable import lost, returned, rows_by_category
from shared.rules.settlement import Settlement
from shared.rules.submission import Selection
from shared.rules.table import Table

# In settlement order, § 647a.11(h) to (j).
_WAGERS: Final = (*MAIN_WAGERS, TEXAS_HOLDEM_BONUS, PROGRESSIVE, ON_PLAYER, ON_DEALER)
_INITIAL_CARDS: Final = 2


class HoldemRules:
    """A compiled rules submission, which settles rounds: all odds, options and paytables are resolved."""

    def __init__(self, selection: Selection) -> None:
        """Resolve a selection from the catalogue of the game."""
        catalogue, offers = selection.catalogue, selection.offers
        paragraphs = Paragraphs.model_validate(catalogue.paragraphs)
        five_card = offers.get(FIVE_CARD_HAND_BONUS)
        options = {} if five_card is None else five_card.options
        fields = {"magic_card": "magic_card", "lucky_bonus": "lucky_position"}
        self._table = HoldemTable(
            table=Table.of(selection, on_several_hands={FIVE_CARD_HAND_BONUS: (ON_PLAYER, ON_DEALER)}),
            progressive_stakes=frozenset(bonuses.stake for bonuses in catalogue.wagers[PROGRESSIVE].envy_bonuses),
            selections=frozenset(field for option, field in fields.items() if options.get(option) is True),
            paragraphs=paragraphs,
        )
        self._main = MainWagers(
            rows={wager: rows_by_category(offers[wager])["win"] for wager in MAIN_WAGERS},
            ante_pays_from=Category[str(selection.options["ante_pays_on"])],
            paragraphs=paragraphs,
        )
        bonus = offers.get(TEXAS_HOLDEM_BONUS)
        self._bonus = None if bonus is None else TexasHoldemBonus(rows_by_category(bonus), bonus.wager.decided)
        self._progressive = (
            Progressive(offers[PROGRESSIVE], paragraphs.folded_progressive) if PROGRESSIVE in offers else None
        )
        self._five_card = None if five_card is None else FiveCardHandBonus(five_card)
        assert selection.payout_limit is not None
        assert catalogue.payout_limit is not None
        self._limit = selection.payout_limit
        self._limit_paragraph = catalogue.payout_limit.paragraph

    def settle(self, round_: HoldemRound) -> Settlement:
        """Settle one round; raise `Refused` if its record is impossible."""
        self._table.check_seats(round_.seats)
        interrupted = interruptions(self._table.table, round_)
        self._table.check(round_, interrupted)
        seats = [
            SeatInPlay(
                seat.seat,
                cast("Mapping[str, int]", seat.wagers),
                seat.cards,
                seat.folded,
                interrupted.abandoned.get(seat.seat),
            )
            for seat in round_.seats
        ]
        seats.sort(key=attrgetter("number"), reverse=True)
        board = MeterBoard(round_.meters)
        if interrupted.void is None:
            lines = self._played_out(round_, seats, board)
        else:
            lines = self._stopped(round_, seats, interrupted)
        return board.settlement(lines)

    def _played_out(self, round_: HoldemRound, seats: Sequence[SeatInPlay], board: MeterBoard) -> list[Line]:
        assert round_.dealer is not None
        dealer, community = round_.dealer.cards, round_.community
        for seat in seats:
            self._contribute(seat, board)
        if all(seat.abandoned is not None for seat in seats):  # there may be no flop
            return [line for seat in seats for line in _abandoned(seat)]
        dealer_rank = rank_best((*dealer, *community))
        categories: dict[int, str | None] = {}
        five_card = None
        if self._progressive is not None or self._five_card is not None:
            flop = community[:FLOP_CARDS]
            for seat in seats:
                categories[seat.number] = five_card_category(seat.cards, flop)
            five_card = self._five_card_hands(round_, seats, dealer, flop, board)
        lines: list[Line] = []
        for seat in seats:
            if seat.abandoned is not None:
                lines.extend(_abandoned(seat))
                continue
            wagers, first = seat.wagers, len(lines)
            self._main.settle(seat, community, dealer_rank, lines=lines)
            if TEXAS_HOLDEM_BONUS in wagers:
                assert self._bonus is not None
                lines.append(self._bonus.settle(seat, wagers[TEXAS_HOLDEM_BONUS], dealer))
            limit_payouts(lines, first, self._limit, self._limit_paragraph)
            if PROGRESSIVE in wagers:
                assert self._progressive is not None
                lines.extend(self._progressive.settle(seat, categories, board))
            if five_card is not None:
                lines.extend(five_card.settle(seat, categories[seat.number]))
        return lines

    def _five_card_hands(
        self,
        round_: HoldemRound,
        seats: Sequence[SeatInPlay],
        dealer: Sequence[StandardCard],
        flop: Sequence[StandardCard],
        board: MeterBoard,
    ) -> FiveCardHands | None:
        if self._five_card is None:
            return None
        draw = Draw(round_.magic_card, round_.lucky_position)
        return FiveCardHands(self._five_card, seats, dealer, flop, five_card_category(dealer, flop), draw, board)

    def _stopped(self, round_: HoldemRound, seats: Sequence[SeatInPlay], interrupted: Interruptions) -> list[Line]:
        """Return the lines of void hands; bonus wagers that remain valid despite the irregularity are settled."""
        dealer = () if round_.dealer is None else round_.dealer.cards
        void = interrupted.void
        assert void is not None
        lines: list[Line] = []
        for seat in seats:
            for wager, stake in _in_order(seat):
                if wager != TEXAS_HOLDEM_BONUS:
                    lines.append(returned(seat.number, wager, stake, void))
                elif interrupted.bonus_void is not None or len(seat.cards) != _INITIAL_CARDS:
                    lines.append(returned(seat.number, wager, stake, interrupted.bonus_void or void))
                elif seat.abandoned is not None:
                    lines.append(lost(seat.number, wager, stake, seat.abandoned))
                else:
                    assert self._bonus is not None
                    lines.append(self._bonus.settle(seat, stake, dealer))
                    limit_payouts(lines, len(lines) - 1, self._limit, self._limit_paragraph)
        return lines

    def _contribute(self, seat: SeatInPlay, board: MeterBoard) -> None:
        """Add the shares of one seat's wagers to their meters, which happens before any award."""
        number, wagers = seat.number, seat.wagers
        if PROGRESSIVE in wagers:
            assert self._progressive is not None
            board.contribute(number, PROGRESSIVE, PROGRESSIVE, wagers[PROGRESSIVE], self._progressive.rate)
        for wager in (ON_PLAYER, ON_DEALER):
            if wager in wagers:
                assert self._five_card is not None
                board.contribute(number, wager, FIVE_CARD_HAND_BONUS, wagers[wager], self._five_card.rate)


def _in_order(seat: SeatInPlay) -> list[tuple[str, int]]:
    return [(wager, seat.wagers[wager]) for wager in _WAGERS if wager in seat.wagers]


def _abandoned(seat: SeatInPlay) -> list[Line]:
    assert seat.abandoned is not None
    return [lost(seat.number, wager, stake, seat.abandoned) for wager, stake in _in_order(seat)]
