"""Pai Gow Poker under one rules submission, whose selections are resolved before rounds are settled."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from operator import attrgetter
from typing import Final, cast

from shared.cards.ranking.pai_gow import HighHands
from shared.rules.line import Line
from shared.rules.meters import MeterBoard
from shared.rules.odds import Odds
from shared.rules.pai_gow.bank import BankRules
from shared.rules.pai_gow.bonuses import BONUS, BONUSES, INSURANCE, Bonus, Insurance
from shared.rules.pai_gow.main_wager import DEALER_WAGER, MainWager, against_the_bank
from shared.rules.pai_gow.optional_wagers import OptionalWagers
from shared.rules.pai_gow.paragraphs import Paragraphs
from shared.rules.pai_gow.progressive import PROGRESSIVE, Progressive
from shared.rules.pai_gow.record import DEALER, MAIN, STARTING_POSITION, Bank, PaiGowRound, PaiGowSeat
from shared.rules.pai_gow.seats import SeatRules
from shared.rules.pai_gow.starting_position import StartingPositionWager
from shared.rules.pai_gow.vigorish import Rounding
from shared.rules.paytable import lost, returned, rows_by_category
from shared.rules.set_hands.hands import SetHand, SettingRules
from shared.rules.set_hands.house_hands import HouseHands
from shared.rules.set_hands.interruptions import Interruptions, interruptions
from shared.rules.set_hands.record import SetDealer
from shared.rules.set_hands.seats import SeatInPlay
from shared.rules.settlement import Notice, Settlement
from shared.rules.submission import Selection
from shared.rules.table import Table

_EVEN_MONEY: Final = Odds(ratio=Fraction(1), stake_returned=True)


class PaiGowRules:
    """A compiled rules submission, which settles rounds: odds, paytables, meters and the house way are resolved."""

    def __init__(self, selection: Selection) -> None:
        """Resolve a selection from a Pai Gow Poker catalogue."""
        catalogue, offers, options = selection.catalogue, selection.offers, selection.options
        paragraphs = self._paragraphs = Paragraphs.model_validate(catalogue.paragraphs)
        self._catalogue = catalogue
        # A bank makes no main wager, so the main wager is required seat by seat.
        self._table = Table.of(selection, required=())
        ranking = HighHands("lowest" if options.get("low_straights_lowest") is True else "second_highest")
        setting = self._setting = SettingRules(ranking, paragraphs.seven_cards, paragraphs.setting)
        self._dealers_hand = HouseHands.of(selection, setting, paragraphs.dealer_setting, paragraphs.dealer_reset)
        self._banks_hand = HouseHands.of(selection, setting, paragraphs.bank_reset, paragraphs.bank_reset)
        rounding = cast("Rounding", options["vigorish_rounding"])
        (main,) = rows_by_category(offers[MAIN]).values()
        # The casino pays the selected odds. In a banked round, the center pays only what it holds, 1 to 1.
        self._against_house = MainWager(main.odds, rounding, "house", paragraphs)
        self._against_bank = MainWager(_EVEN_MONEY, rounding, "bank", paragraphs)
        self._bank = BankRules(
            banking=options["banking"] is True,
            co_banking=options["co_banking"] is True,
            rounding=rounding,
            paragraphs=paragraphs,
        )
        wager = Progressive(offers[PROGRESSIVE]) if PROGRESSIVE in offers else None
        assert catalogue.payout_limit is not None
        self._optional = OptionalWagers(
            bonuses=tuple(Bonus(offers[name]) for name in BONUSES if name in offers),
            insurance=Insurance(offers[INSURANCE]) if INSURANCE in offers else None,
            progressive=wager,
            premium_last=BONUS in catalogue.wagers,
            limit=selection.payout_limit,
            limit_paragraph=catalogue.payout_limit.paragraph,
        )
        self._starting_position = _starting_position(selection, paragraphs)
        self._ranks_seven = len(offers) > 1
        self._seats = SeatRules(
            table=self._table,
            setting=setting,
            progressive=wager,
            barred=frozenset(name for name, entry in catalogue.wagers.items() if entry.bars_surrender),
            least={name: offer.wager.least for name, offer in offers.items() if offer.wager.least is not None},
            paragraphs=paragraphs,
        )

    def settle(self, round_: PaiGowRound) -> Settlement:
        """Settle one round; raise `Refused` if its record is impossible."""
        seats, dealer, bank = round_.seats, round_.dealer, round_.bank
        self._table.check_seats(seats)
        banker = None
        if bank is not None:
            self._bank.check(bank, seats)
            banker = bank.seat
        if round_.meters or self._optional.progressive is not None:
            self._table.check_meters(seats, round_.meters)
        happened = interruptions(self._table, round_.irregularities, seats)
        if banker in happened.exposed and happened.stopped is None:
            # An exposed card of the bank's hand counts as one of the dealer's: all others play against that hand.
            stopped = self._catalogue.irregularities["dealer_card_exposed"].paragraph
            happened = happened._replace(stopped=stopped)
        self._table.check_cards([(None, dealer.cards), *[(seat.seat, seat.cards) for seat in seats]])
        for seat in seats:
            self._seats.check(seat, happened, banks=seat.seat == banker)
        in_order = sorted(seats, key=attrgetter("seat"), reverse=True)
        board = MeterBoard(round_.meters)
        lines: list[Line] = []
        if self._starting_position is not None:
            lines += self._starting_positions(in_order, round_, stopped=happened.stopped is not None)
        notices: tuple[Notice, ...] = ()
        if happened.stopped is None:
            notices = self._settle(in_order, dealer, bank, happened, board, lines)
        else:
            self._return(in_order, dealer, bank, happened, lines)
        return board.settlement(lines, notices)

    def _starting_positions(self, seats: Sequence[PaiGowSeat], round_: PaiGowRound, *, stopped: bool) -> list[Line]:
        """Return the lines of the wagers on the starting position, which do not depend on the cards."""
        assert self._starting_position is not None
        picked = [seat for seat in seats if STARTING_POSITION in cast("Mapping[str, int]", seat.wagers)]
        for seat in picked:
            self._starting_position.check(seat, round_.starting_position, stopped=stopped)
        return self._starting_position.settle(picked, round_.starting_position)

    def _return(
        self,
        seats: Sequence[PaiGowSeat],
        dealer: SetDealer,
        bank: Bank | None,
        happened: Interruptions,
        lines: list[Line],
    ) -> None:
        """Append the lines of a stopped round: every wager on its cards is returned, and no meter grows."""
        paragraph = happened.stopped
        assert paragraph is not None
        self._setting.check_unfinished(dealer.cards, dealer.low, seat=None, misdealt=happened.misdealt)
        if bank is not None and bank.dealer_wager:
            lines.append(returned(DEALER, DEALER_WAGER, bank.dealer_wager, paragraph))
        for seat in seats:
            self._setting.check_unfinished(seat.cards, seat.low, seat=seat.seat, misdealt=happened.misdealt)
            lines += [
                returned(seat.seat, wager, stake, paragraph)
                for wager, stake in seat.wagers.items()
                if wager != STARTING_POSITION
            ]

    def _settle(
        self,
        seats: Sequence[PaiGowSeat],
        dealer: SetDealer,
        bank: Bank | None,
        happened: Interruptions,
        board: MeterBoard,
        lines: list[Line],
    ) -> tuple[Notice, ...]:
        """Append the lines of a completed round; return a notice for each hand that was reset."""
        banker = None if bank is None else bank.seat
        played = [
            self._seats.read(seat, happened, ranks_seven=self._ranks_seven, banks=seat.seat == banker) for seat in seats
        ]
        notices: list[Notice] = []
        dealers_hand = self._dealer(dealer, bank, notices)
        if bank is None:
            assert dealers_hand is not None
            self._settle_main(played, dealers_hand, self._against_house, lines)
        else:
            own = next(seat for seat in seats if seat.seat == banker)
            banks_hand, notice = self._banks_hand.read(own, seat=bank.seat, bound=bank.co)
            if notice is not None:
                notices.append(notice)
            if bank.dealer_wager:
                assert dealers_hand is not None
                paragraph = self._paragraphs.dealer_against_bank
                lines.append(against_the_bank(bank.dealer_wager, dealers_hand, banks_hand, paragraph))
            self._settle_main(played, banks_hand, self._against_bank, lines)
            lines.append(self._bank.result(bank, lines))
        self._optional.contribute(played, board)
        lines += self._optional.settle(played, board)
        return tuple(notices)

    def _dealer(self, dealer: SetDealer, bank: Bank | None, notices: list[Notice]) -> SetHand | None:
        """Return the dealer's valid hand; None if a player banks and the dealer has no wager against the bank."""
        if bank is None or bank.dealer_wager:
            hand, notice = self._dealers_hand.read(dealer, seat=DEALER, bound=True)
            if notice is not None:
                notices.append(notice)
            return hand
        if dealer.low:
            self._dealers_hand.read(dealer, seat=DEALER, bound=False)
        elif dealer.cards:
            self._setting.seven(dealer.cards, seat=None)
        return None

    def _settle_main(self, seats: Sequence[SeatInPlay], against: SetHand, main: MainWager, lines: list[Line]) -> None:
        """Append the Pai Gow Poker Wagers, and all wagers of seats that were voided or abandoned."""
        for seat in seats:
            number, wagers = seat.seat, seat.wagers
            if seat.hand is not None:
                lines.append(main.settle(number, wagers[MAIN], seat.hand, against))
                continue
            for wager, stake in wagers.items():
                if wager == STARTING_POSITION:
                    continue
                if seat.voided:
                    lines.append(returned(number, wager, stake, self._paragraphs.void_hand))
                elif wager == MAIN and seat.abandoned is None:
                    lines.append(main.collected(number, "surrender", stake, self._paragraphs.surrender))
                elif wager == MAIN:
                    assert seat.abandoned is not None
                    lines.append(main.collected(number, "lose", stake, seat.abandoned))
                elif seat.abandoned is not None:
                    lines.append(lost(number, wager, stake, seat.abandoned))


def _starting_position(selection: Selection, paragraphs: Paragraphs) -> StartingPositionWager | None:
    offer = selection.offers.get(STARTING_POSITION)
    if offer is None:
        return None
    (row,) = rows_by_category(offer).values()
    assert paragraphs.starting_position_pick is not None
    assert paragraphs.starting_position_draw is not None
    return StartingPositionWager(
        ratio=row.odds.ratio,
        picks_paragraph=paragraphs.starting_position_pick,
        draw_paragraph=paragraphs.starting_position_draw,
        decided=offer.wager.decided,
        odds_paragraph=offer.paytable.paragraph,
    )
