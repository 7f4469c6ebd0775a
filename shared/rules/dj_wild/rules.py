"""DJ Wild Stud Poker under one rules submission, whose selections are resolved before rounds are settled."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Final, cast

from shared.cards.ranking.deuces_wild import rank_with_wilds
from shared.rules.dj_wild.bonuses import BAD_BEAT, TRIPS, BadBeatBonus, TripsBonus
from shared.rules.dj_wild.checks import Checks
from shared.rules.dj_wild.hands import category_name
from shared.rules.dj_wild.irregularities import PLAYED, Stopped, what_stopped
from shared.rules.dj_wild.paragraphs import Paragraphs
from shared.rules.dj_wild.progressive import PROGRESSIVE, ProgressiveBonus
from shared.rules.dj_wild.record import DjWildRound, DjWildSeat
from shared.rules.envy import ENVY_BONUS
from shared.rules.line import Line, line
from shared.rules.meters import MeterBoard
from shared.rules.paytable import lost, returned, rows_by_category
from shared.rules.settlement import Settlement
from shared.rules.submission import Selection
from shared.rules.table import Table

_ANTE: Final = "ante"
_BLIND: Final = "blind"
_RAISE: Final = "raise"
_MAIN: Final = (_ANTE, _BLIND, _RAISE)
_ORDER: Final = {wager: place for place, wager in enumerate((*_MAIN, PROGRESSIVE, ENVY_BONUS, TRIPS, BAD_BEAT))}


class DjWildRules:
    """A compiled rules submission, which settles rounds: all odds, options and paytables are resolved."""

    def __init__(self, selection: Selection) -> None:
        """Resolve a selection from a DJ Wild catalogue."""
        catalogue, options, offers = selection.catalogue, selection.options, selection.offers
        paragraphs = self._paragraphs = Paragraphs.model_validate(catalogue.paragraphs)
        self._table = Table.of(selection)
        (self._ante,) = rows_by_category(offers[_ANTE]).values()
        (self._raise,) = rows_by_category(offers[_RAISE]).values()
        self._blind = {category: row for category, row in rows_by_category(offers[_BLIND]).items() if not row.push}
        self._blind_pushes = offers[_BLIND].paytable.paragraph
        self._trips = TripsBonus(offers[TRIPS]) if TRIPS in offers else None
        self._bad_beat = (
            BadBeatBonus(offers[BAD_BEAT], dealer_hand_pays=options["bad_beat_dealer_hand_pays"] is True)
            if BAD_BEAT in offers
            else None
        )
        self._progressive = (
            ProgressiveBonus(offers[PROGRESSIVE], options, paragraphs) if PROGRESSIVE in offers else None
        )
        self._checks = Checks(
            table=self._table,
            paragraphs=paragraphs,
            progressive_stake=None if self._progressive is None else self._progressive.stake,
        )

    def settle(self, round_: DjWildRound) -> Settlement:
        """Settle one round; raise `Refused` if its record is impossible."""
        table = self._table
        table.check_seats(round_.seats)
        stopped = what_stopped(round_, table) if round_.irregularities else PLAYED
        if round_.meters or self._progressive is not None:
            table.check_meters(round_.seats, round_.meters)
        self._checks.check(round_, stopped)
        seats = sorted(round_.seats, key=attrgetter("seat"), reverse=True)
        board = MeterBoard(round_.meters)
        lines: list[Line] = []
        if stopped.void is not None:
            for seat in seats:
                lines.extend(returned(seat.seat, wager, stake, stopped.void) for wager, stake in _wagers(seat).items())
        else:
            self._settle_seats(round_, seats, stopped, board, lines)
        lines.sort(key=_place)
        return board.settlement(lines)

    def _settle_seats(
        self, round_: DjWildRound, seats: list[DjWildSeat], stopped: Stopped, board: MeterBoard, lines: list[Line]
    ) -> None:
        progressive: Mapping[int, list[Line]] = {}
        if self._progressive is not None:
            progressive = self._progressive.settle(seats, round_.spare_card, board, stopped)
        dealer = rank_with_wilds(round_.dealer.cards) if stopped.void_but_bonuses is None else 0
        for seat in seats:
            wagers, number = _wagers(seat), seat.seat
            left = number in stopped.abandoned
            if stopped.void_but_bonuses is not None:
                paragraph = stopped.void_but_bonuses
                lines.extend(returned(number, wager, wagers[wager], paragraph) for wager in _against_dealer(wagers))
            elif left:
                paragraph = stopped.abandoned_paragraph
                lines.extend(lost(number, wager, wagers[wager], paragraph) for wager in _against_dealer(wagers))
            elif seat.folded:
                self._settle_folded(number, wagers, lines)
            else:
                self._settle_against(dealer, number, wagers, rank_with_wilds(seat.cards), lines)
            lines.extend(progressive.get(number, ()))
            trips = wagers.get(TRIPS)
            if trips is not None and left:
                lines.append(lost(number, TRIPS, trips, stopped.abandoned_paragraph))
            elif trips is not None:
                assert self._trips is not None
                lines.append(self._trips.settle(number, trips, seat.cards, rank_with_wilds(seat.cards)))

    def _settle_folded(self, number: int, wagers: Mapping[str, int], lines: list[Line]) -> None:
        """Append the lines of a folded hand's Ante, Blind and Bad Beat, which lose (§ 687a.11(b)).

        Trips and Progressive Bonus are settled elsewhere.
        """
        lines.append(lost(number, _ANTE, wagers[_ANTE], self._paragraphs.folded))
        lines.append(lost(number, _BLIND, wagers[_BLIND], self._paragraphs.folded))
        if BAD_BEAT in wagers:
            lines.append(lost(number, BAD_BEAT, wagers[BAD_BEAT], self._paragraphs.folded_with_bad_beat))

    def _settle_against(
        self, dealer: int, number: int, wagers: Mapping[str, int], rank: int, lines: list[Line]
    ) -> None:
        """Append the lines of Ante, Blind, Raise and Bad Beat of a hand of `rank` against the dealer's rank."""
        ante, blind, raised = wagers[_ANTE], wagers[_BLIND], wagers[_RAISE]
        if rank > dealer:
            lines.append(line(number, _ANTE, "win", ante, self._ante.odds.pay(ante), ante, self._paragraphs.wins))
            row = self._blind.get(category_name(rank))
            if row is None:
                lines.append(line(number, _BLIND, "push", blind, 0, blind, self._blind_pushes))
            else:
                lines.append(row.win(number, blind))
            lines.append(
                line(number, _RAISE, "win", raised, self._raise.odds.pay(raised), raised, self._paragraphs.wins)
            )
        elif rank == dealer:
            for wager in _MAIN:
                stake = wagers[wager]
                lines.append(line(number, wager, "push", stake, 0, stake, self._paragraphs.ties))
        else:
            for wager in _MAIN:
                lines.append(lost(number, wager, wagers[wager], self._paragraphs.loses))
        stake_on_bad_beat = wagers.get(BAD_BEAT)
        if stake_on_bad_beat is not None:
            assert self._bad_beat is not None
            lines.append(self._bad_beat.settle(number, stake_on_bad_beat, rank, dealer))


def _against_dealer(wagers: Mapping[str, int]) -> list[str]:
    """Return the wagers that are decided against the dealer's hand."""
    return [wager for wager in wagers if wager not in (TRIPS, PROGRESSIVE)]


def _place(line: Line) -> tuple[int, int]:
    """Return the sort key of a line: seats from the dealer's far right, at each seat in the order of § 687a.11."""
    return (-line.seat, _ORDER[line.wager])


def _wagers(seat: DjWildSeat) -> Mapping[str, int]:
    return cast("Mapping[str, int]", seat.wagers)
