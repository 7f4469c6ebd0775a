"""Blackjack under one rules submission, whose selections are resolved before rounds are settled."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from operator import attrgetter
from typing import Final, TypeVar

from shared.cards import StandardCard
from shared.rules.blackjack.dead_hands import DeadHands, dead_hands
from shared.rules.blackjack.dealer import DealerHand, check_drawn, read_dealer
from shared.rules.blackjack.hands import HandRules, SeatInPlay
from shared.rules.blackjack.house_money import HouseMoney
from shared.rules.blackjack.insurance import INSURANCE, Insurance
from shared.rules.blackjack.limits import limit_payouts
from shared.rules.blackjack.main_wager import MainWager, still_open, void
from shared.rules.blackjack.paragraphs import Paragraphs
from shared.rules.blackjack.progressives import PROGRESSIVES, Progressive, RandomSelection
from shared.rules.blackjack.record import BlackjackRound
from shared.rules.blackjack.seats import SeatRules
from shared.rules.blackjack.side_bets import SIDE_BETS, improved, side_bet
from shared.rules.errors import Refused
from shared.rules.line import Line
from shared.rules.meters import MeterBoard
from shared.rules.paytable import returned, rows_by_category
from shared.rules.settlement import Settlement
from shared.rules.submission import OptionValue, Selection
from shared.rules.table import Table

_HIT_AND_RUN: Final = "hit_and_run_progressive"
_HOUSE_MONEY: Final = "house_money"

_Value = TypeVar("_Value", int, Fraction)


class BlackjackRules:
    """A compiled rules submission, which settles rounds: all odds, options and paytables are resolved."""

    def __init__(self, selection: Selection) -> None:
        """Resolve a selection from a Blackjack catalogue."""
        catalogue, options, offers = selection.catalogue, selection.options, selection.offers
        assert selection.decks is not None
        paragraphs = self._paragraphs = Paragraphs.model_validate(catalogue.paragraphs)
        switch = self._switch = options["switch"] is True
        self._table = Table.of(selection, decks=selection.decks)
        main = rows_by_category(offers["blackjack"])
        self._main = MainWager(
            blackjack_odds=main["blackjack"].odds,
            other_odds=main["any_other_win"].odds,
            switch=switch,
            paragraphs=paragraphs,
        )
        self._insurance = Insurance(
            row=rows_by_category(offers[INSURANCE])["dealer_blackjack"],
            needs_ace=offers[INSURANCE].wager.paragraph,
            decided=offers[INSURANCE].wager.decided,
            chip_unit=_value(options["chip_unit"], int),
            switch=switch,
            paragraphs=paragraphs,
        )
        self._side_bets = tuple(side_bet(offer) for name, offer in offers.items() if name in SIDE_BETS)
        self._progressives: tuple[Progressive, ...] = tuple(
            PROGRESSIVES[name](offer) for name, offer in offers.items() if name in PROGRESSIVES
        )
        self._seats = SeatRules(
            catalogue=catalogue,
            hands=HandRules(
                resplits=_value(options["resplits"], int),
                even_money=options.get("even_money") is True,
                switch=switch,
                paragraphs=paragraphs,
            ),
            insurance=self._insurance,
            house_money=HouseMoney(
                bet=next((bet for bet in self._side_bets if bet.name == _HOUSE_MONEY), None),
                portion=_value(offers[_HOUSE_MONEY].options["portion"], Fraction)
                if _HOUSE_MONEY in offers
                else Fraction(1),
                switch=switch,
                paragraphs=paragraphs,
            ),
            paragraphs=paragraphs,
        )
        bad_beat = offers.get("bad_beat_progressive")
        self._bonuses_offered = {
            "magic_card": bad_beat is not None and bad_beat.options["magic_card"] is True,
            "lucky_seat": bad_beat is not None and bad_beat.options["lucky_player"] is True,
        }
        self._limit = selection.payout_limit

    def settle(self, round_: BlackjackRound) -> Settlement:
        """Settle one round; raise `Refused` if its record is impossible."""
        table = self._table
        table.check_seats(round_.seats)
        dead = dead_hands(table, round_, no_cards_dealt=self._paragraphs.no_cards_dealt)
        table.check_cards(_cards(round_))
        if round_.meters or self._progressives:
            table.check_meters(round_.seats, round_.meters)
        selection = self._random_selection(round_)
        dealer = self._dealer(round_, dead)
        seats = [self._seats.read(seat, dealer, dead) for seat in round_.seats]
        seats.sort(key=attrgetter("seat"), reverse=True)
        if dead.stopped is None:
            self._check_drawn(seats, dealer)

        board = MeterBoard(round_.meters)
        progressive_lines = [
            progressive.settle(seats, dealer, board, selection, stopped=dead.stopped is not None)
            for progressive in self._progressives
        ]
        lines: list[Line] = []
        limited: list[int] = []
        for seat in seats:
            self._settle_on_initial_cards(seat, dealer, lines, limited)
            if INSURANCE in seat.wagers:
                lines.append(self._insurance.settle(seat, dealer))
            for hand in seat.hands:
                if seat.dead is None:
                    lines.append(self._main.settle(seat.seat, hand, dealer))
                else:
                    lines.append(void(seat.seat, hand, seat.dead))
            for by_seat in progressive_lines:
                lines.extend(by_seat.get(seat.seat, ()))
        if self._limit is not None and limited:
            rule = table.catalogue.payout_limit
            assert rule is not None
            limit_payouts(lines, limited, self._limit, rule.paragraph)
        return board.settlement(lines)

    def _random_selection(self, round_: BlackjackRound) -> RandomSelection:
        seats = self._table.catalogue.seats
        for field, offered in self._bonuses_offered.items():
            value = getattr(round_, field)
            if value is not None and not offered:
                raise Refused(
                    f"'{field}' {value}: the rules submission does not offer the bonus",
                    paragraph=self._paragraphs.random_selection,
                )
        if round_.lucky_seat is not None and round_.lucky_seat > seats.most:
            raise Refused(
                f"'lucky_seat' {round_.lucky_seat}: a table has {seats.most} betting positions at most",
                paragraph=seats.paragraph,
            )
        return RandomSelection(magic_card=round_.magic_card, lucky_seat=round_.lucky_seat)

    def _dealer(self, round_: BlackjackRound, dead: DeadHands) -> DealerHand:
        dealer = read_dealer(round_.dealer.cards, stopped=dead.stopped is not None, paragraphs=self._paragraphs)
        if dead.stopped is not None and dealer.high_card_up:
            raise Refused(
                f"irregularity 'card_reader_exposed_hole': with {dealer.up} up the card reader is to be used",
                paragraph=dead.stopped,
            )
        return dealer

    def _check_drawn(self, seats: Sequence[SeatInPlay], dealer: DealerHand) -> None:
        # Reading of § 633a.7(n) and (o)(2): an open Hit and Run Progressive Wager requires the dealer to draw.
        open_wager = any(
            (seat.dead is None and any(still_open(hand, switch=self._switch) for hand in seat.hands))
            or (_HIT_AND_RUN in seat.wagers and seat.initial is not None)
            for seat in seats
        )
        check_drawn(dealer, still_open=open_wager, paragraphs=self._paragraphs)

    def _settle_on_initial_cards(
        self, seat: SeatInPlay, dealer: DealerHand, lines: list[Line], limited: list[int]
    ) -> None:
        """Append the lines of the wagers under § 633a.7(g); append to `limited` the indexes of limited lines."""
        wagers, number = seat.wagers, seat.seat
        for bet in self._side_bets:
            stake = wagers.get(bet.name)
            if stake is None:
                continue
            if seat.initial is None:
                assert seat.dead is not None
                lines.append(returned(number, bet.name, stake, seat.dead))
                continue
            row = bet.row(seat.initial, seat.second_initial, dealer.up)
            if row is None:
                lines.append(bet.lost(number, stake))
                continue
            row = improved(row, dealer)
            if row.limited:
                limited.append(len(lines))
            lines.append(row.win(number, stake))
            if row.bonus is not None and dealer.royal_match:
                lines.append(row.bonus.win_without_stake(number, stake))


def _cards(round_: BlackjackRound) -> Iterator[tuple[int | None, Sequence[StandardCard]]]:
    """Yield (seat, cards) of each hand; the seat is None for the dealer's."""
    yield None, round_.dealer.cards
    for seat in round_.seats:
        for hand in seat.hands:
            yield seat.seat, hand.cards
        if not seat.hands:
            for dealt in seat.dealt:
                yield seat.seat, (dealt,) if isinstance(dealt, str) else dealt


def _value(value: OptionValue, kind: type[_Value]) -> _Value:
    assert isinstance(value, kind), f"the catalogue's default {value!r} is not of type {kind.__name__}"
    return value
