"""Face Up Pai Gow Poker under one rules submission, whose selections are resolved before rounds are settled."""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Final, NamedTuple

from shared.cards.ranking.pai_gow import HighHands
from shared.rules.envy import EnvyHand, envy_lines
from shared.rules.face_up_pai_gow.ace_high import AceHighBonus, is_ace_high
from shared.rules.face_up_pai_gow.main_wager import MainWager
from shared.rules.face_up_pai_gow.paragraphs import Paragraphs
from shared.rules.face_up_pai_gow.progressive import Progressive
from shared.rules.face_up_pai_gow.record import (
    ACE_HIGH_BONUS,
    FORTUNE_BONUS,
    MAIN,
    PROGRESSIVE,
    FaceUpRound,
    FaceUpSeat,
)
from shared.rules.face_up_pai_gow.seats import SeatRules
from shared.rules.line import Line, line
from shared.rules.meters import MeterBoard
from shared.rules.paytable import Row, lost, returned, rows_by_category, settled
from shared.rules.set_hands.bonuses import BonusRows
from shared.rules.set_hands.hands import SetHand, SettingRules
from shared.rules.set_hands.house_hands import HouseHands
from shared.rules.set_hands.interruptions import interruptions
from shared.rules.set_hands.seats import SeatInPlay
from shared.rules.settlement import Settlement
from shared.rules.submission import Selection
from shared.rules.table import Table

_DEALER: Final = 0


class _Bonuses(NamedTuple):
    """The bonus rows that a seat's hand wins, whether or not the seat made the bonus wagers."""

    fortune: Row | None
    progressive: Row | None


class FaceUpPaiGowRules:
    """A compiled rules submission, which settles rounds: odds, paytables and meters are resolved."""

    def __init__(self, selection: Selection) -> None:
        """Resolve a selection from a Face Up Pai Gow catalogue."""
        catalogue, offers = selection.catalogue, selection.offers
        paragraphs = self._paragraphs = Paragraphs.model_validate(catalogue.paragraphs)
        self._catalogue = catalogue
        self._table = Table.of(selection)
        self._setting = SettingRules(HighHands(), paragraphs.seven_cards, paragraphs.setting)
        self._dealers_hand = HouseHands.of(selection, self._setting, paragraphs.dealer_setting, paragraphs.dealer_reset)
        (main,) = rows_by_category(offers[MAIN]).values()
        self._main = MainWager(odds=main.odds, paragraphs=paragraphs)
        self._ace_high = AceHighBonus(offers[ACE_HIGH_BONUS]) if ACE_HIGH_BONUS in offers else None
        self._fortune = BonusRows(offers[FORTUNE_BONUS]) if FORTUNE_BONUS in offers else None
        self._fortune_qualifies_cents = catalogue.wagers[FORTUNE_BONUS].qualifies or 0
        self._progressive = Progressive(offers[PROGRESSIVE]) if PROGRESSIVE in offers else None
        self._seats = SeatRules(
            setting=self._setting,
            progressive=self._progressive,
            ranks_seven=self._fortune is not None or self._progressive is not None,
            paragraphs=paragraphs,
        )

    def settle(self, round_: FaceUpRound) -> Settlement:
        """Settle one round; raise `Refused` if its record is impossible."""
        seats, dealer = round_.seats, round_.dealer
        self._table.check_seats(seats)
        if round_.meters or self._progressive is not None:
            self._table.check_meters(seats, round_.meters)
        happened = interruptions(self._table, round_.irregularities, seats)
        self._table.check_cards([(None, dealer.cards), *[(seat.seat, seat.cards) for seat in seats]])
        for seat in seats:
            self._seats.check(seat, happened)
        in_order = sorted(seats, key=attrgetter("seat"), reverse=True)
        board = MeterBoard(round_.meters)
        notice = None
        if happened.stopped is None:
            dealer_hand, notice = self._dealers_hand.read(dealer, seat=_DEALER, bound=True)
            lines = self._settle([self._seats.read(seat, happened) for seat in in_order], dealer_hand, board)
        else:
            self._setting.check_unfinished(dealer.cards, dealer.low, seat=None, misdealt=happened.misdealt)
            lines = self._stopped(in_order, happened.stopped, misdealt=happened.misdealt)
        return board.settlement(lines, () if notice is None else (notice,))

    def _stopped(self, seats: Sequence[FaceUpSeat], paragraph: str, *, misdealt: bool) -> list[Line]:
        """Return the lines of a stopped round: every wager is returned, and no meter grows."""
        lines: list[Line] = []
        for seat in seats:
            self._setting.check_unfinished(seat.cards, seat.low, seat=seat.seat, misdealt=misdealt)
            lines += [returned(seat.seat, wager, stake, paragraph) for wager, stake in seat.wagers.items()]
        return lines

    def _settle(self, seats: Sequence[SeatInPlay], dealer: SetHand, board: MeterBoard) -> list[Line]:
        """Return the lines of a completed round; `seats` are in settlement order, highest number first."""
        if self._progressive is not None:
            for seat in seats:
                if PROGRESSIVE in seat.wagers and not seat.voided:
                    self._progressive.contribute(seat.seat, seat.wagers[PROGRESSIVE], board)
        bonuses = {seat.seat: self._bonuses(seat) for seat in seats}
        fortune_envy, progressive_envy = _envy_hands(seats, bonuses)
        dealer_ace_high = is_ace_high(dealer.seven)
        lines: list[Line] = []
        for seat in seats:
            number, wagers = seat.seat, seat.wagers
            if seat.voided:
                lines += [returned(number, wager, stake, self._paragraphs.void_hand) for wager, stake in wagers.items()]
                continue
            if seat.abandoned is not None:
                lines += [lost(number, wager, stake, seat.abandoned) for wager, stake in wagers.items()]
                continue
            if seat.hand is None:
                lines.append(line(number, MAIN, "surrender", wagers[MAIN], 0, 0, self._paragraphs.surrender))
                continue
            lines.append(self._main.settle(number, wagers[MAIN], seat.hand, dealer, dealer_ace_high=dealer_ace_high))
            if len(wagers) == 1:
                continue
            if ACE_HIGH_BONUS in wagers:
                lines.append(self._settle_ace_high(seat, dealer, dealer_ace_high=dealer_ace_high))
            if FORTUNE_BONUS in wagers:
                decided = self._catalogue.wagers[FORTUNE_BONUS].decided
                lines.append(settled(bonuses[number].fortune, number, FORTUNE_BONUS, wagers[FORTUNE_BONUS], decided))
            if PROGRESSIVE in wagers:
                assert self._progressive is not None
                row = bonuses[number].progressive
                lines.append(self._progressive.settle(number, wagers[PROGRESSIVE], row, board))
            if fortune_envy and wagers.get(FORTUNE_BONUS, 0) >= self._fortune_qualifies_cents:
                lines += envy_lines(number, seat.player, fortune_envy)
            if progressive_envy and PROGRESSIVE in wagers:
                lines += envy_lines(number, seat.player, progressive_envy)
        return lines

    def _settle_ace_high(self, seat: SeatInPlay, dealer: SetHand, *, dealer_ace_high: bool) -> Line:
        """Return the line of the Ace High Bonus Wager of one seat, § 688a.11(h)(1)."""
        assert self._ace_high is not None
        row = self._ace_high.row(dealer.seven, seat.seven) if dealer_ace_high else None
        decided = self._catalogue.wagers[ACE_HIGH_BONUS].decided
        return settled(row, seat.seat, ACE_HIGH_BONUS, seat.wagers[ACE_HIGH_BONUS], decided)

    def _bonuses(self, seat: SeatInPlay) -> _Bonuses:
        """Return the bonus rows of a seat's best seven-card hand, for its own wagers and for others' Envy Bonuses."""
        return _Bonuses(
            fortune=None if self._fortune is None else self._fortune[seat.formed],
            progressive=None if self._progressive is None else self._progressive.row(seat.seven, seat.formed),
        )


def _envy_hands(seats: Sequence[SeatInPlay], bonuses: Mapping[int, _Bonuses]) -> tuple[list[EnvyHand], list[EnvyHand]]:
    """Return the hands that earn others an Envy Bonus, by the Fortune Bonus and by the Progressive Payout Wager.

    Interpretation: surrendered and abandoned hands earn others an Envy Bonus, voided hands do not.
    """
    by_fortune: list[EnvyHand] = []
    by_progressive: list[EnvyHand] = []
    for seat in seats:
        if not seat.voided:
            fortune, progressive_row = bonuses[seat.seat]
            if fortune is not None and fortune.envy:
                by_fortune.append(EnvyHand(seat.player, fortune))
            if progressive_row is not None and progressive_row.envy:
                by_progressive.append(EnvyHand(seat.player, progressive_row))
    return by_fortune, by_progressive
