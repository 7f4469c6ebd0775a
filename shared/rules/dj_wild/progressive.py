"""The Progressive Bonus, § 687a.11(f)(1) and § 687a.12(c): meter, fixed rows, Envy Bonuses."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from shared.cards import JOKER, Card
from shared.rules.dj_wild.hands import progressive_category
from shared.rules.dj_wild.record import DjWildSeat
from shared.rules.errors import Refused
from shared.rules.meters import MeterBoard
from shared.rules.paytable import Row, lost, rows_by_category
from shared.rules.settlement import Line, line
from shared.rules.submission import Offer

PROGRESSIVE: Final = "progressive_bonus"
ENVY: Final = "envy_bonus"


@dataclass(frozen=True, slots=True)
class ProgressiveBonus:
    """The rows of the selected paytable and the terms of the meter. `stake` and `reset` are in cents."""

    rows: Mapping[str, Row]
    stake: int
    rate: Fraction
    reset: int
    folded_hands_win: bool
    deuces_wild: bool
    decided: str
    folded: str
    joker_replaced: str
    envy: str

    def row(self, cards: Sequence[Card]) -> Row | None:
        """The row that five cards win once the joker was replaced."""
        return self.rows.get(progressive_category(cards, deuces_wild=self.deuces_wild))

    def settle(
        self,
        seats: Sequence[DjWildSeat],
        spare: Card | None,
        board: MeterBoard,
        *,
        abandoned: Container[int],
        abandoned_paragraph: str,
        folds_count: bool,
    ) -> dict[int, list[Line]]:
        """The lines by seat; `seats` are in settlement order. The contributions come before everything that is paid.

        `folds_count` is false where the round was stopped: then a folded hand is settled like any other.
        """
        wagering = [seat for seat in seats if PROGRESSIVE in seat.wagers]
        for seat in wagering:
            board.contribute(seat.seat, PROGRESSIVE, PROGRESSIVE, self.stake, self.rate)
        won: dict[int, Row | None] = {}
        for seat in wagering:
            lies_folded = folds_count and seat.folded and not self.folded_hands_win
            if seat.seat not in abandoned and not lies_folded:
                won[seat.seat] = self.row(self._without_joker(seat, spare))
        envied = [(seat, row) for seat in wagering if (row := won.get(seat.seat)) is not None and row.envy]
        lines: dict[int, list[Line]] = {}
        for seat in wagering:
            number = seat.seat
            if number in abandoned:
                lines[number] = [lost(number, PROGRESSIVE, self.stake, abandoned_paragraph)]
                continue
            lines[number] = [self._settle_wager(number, won, board)]
            for holder, row in envied:
                if holder.player != seat.player:
                    lines[number].append(line(number, ENVY, "win", 0, row.envy, 0, self.envy, None, row.category))
        return lines

    def _settle_wager(self, number: int, won: Mapping[int, Row | None], board: MeterBoard) -> Line:
        row = won.get(number)
        if row is None:
            return lost(number, PROGRESSIVE, self.stake, self.decided if number in won else self.folded)
        from_meter = 0
        if row.meter == 1:
            (from_meter,) = board.award_all(PROGRESSIVE, (1,), self.reset)
        elif row.meter:
            from_meter = board.award_part(PROGRESSIVE, row.meter)
        return row.win(number, self.stake, from_meter=from_meter)

    def _without_joker(self, seat: DjWildSeat, spare: Card | None) -> Sequence[Card]:
        if JOKER not in seat.cards:
            return seat.cards
        if spare is None:
            raise Refused(
                "'spare_card' is missing: it replaces the joker for the Progressive Bonus",
                seat=seat.seat,
                paragraph=self.joker_replaced,
            )
        return tuple(spare if card == JOKER else card for card in seat.cards)


def progressive_bonus(
    offer: Offer, *, folded_hands_win: bool, deuces_wild: bool, folded: str, joker_replaced: str, envy: str
) -> ProgressiveBonus:
    """Make the offered Progressive Bonus ready for settlement; the last three are paragraphs."""
    assert offer.meter is not None
    assert offer.paytable.stake is not None
    return ProgressiveBonus(
        rows=rows_by_category(offer),
        stake=offer.paytable.stake,
        rate=Fraction(offer.meter.rate),
        reset=offer.meter.reset,
        folded_hands_win=folded_hands_win,
        deuces_wild=deuces_wild,
        decided=offer.wager.decided,
        folded=folded,
        joker_replaced=joker_replaced,
        envy=envy,
    )
