"""The Progressive Bonus, § 687a.11(f)(1) and § 687a.12(c): meter, fixed rows, Envy Bonuses."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from shared.cards import JOKER, Card
from shared.rules.dj_wild.hands import progressive_category
from shared.rules.dj_wild.irregularities import Stopped
from shared.rules.dj_wild.paragraphs import Paragraphs
from shared.rules.dj_wild.record import DjWildSeat
from shared.rules.envy import EnvyHand, envy_lines
from shared.rules.errors import Refused
from shared.rules.line import Line
from shared.rules.meters import MeterBoard
from shared.rules.paytable import Row, lost, rows_by_category, settled
from shared.rules.submission import Offer, OptionValue

PROGRESSIVE: Final = "progressive_bonus"


class ProgressiveBonus:
    """The rows of the selected paytable and the terms of the meter. `stake` and `reset` are in cents."""

    def __init__(self, offer: Offer, options: Mapping[str, OptionValue], paragraphs: Paragraphs) -> None:
        """Read the offered wager and the options of the submission that affect it."""
        assert offer.meter is not None
        assert offer.paytable.stake is not None
        self.stake: Final = offer.paytable.stake
        self._rows = rows_by_category(offer)
        self._rate = Fraction(offer.meter.rate)
        self._reset = offer.meter.reset
        self._folded_hands_win = options["folded_hands_win_progressive"] is True
        self._deuces_wild = options["progressive_deuces_wild"] is True
        self._decided = offer.wager.decided
        self._paragraphs = paragraphs

    def settle(
        self, seats: Sequence[DjWildSeat], spare: Card | None, board: MeterBoard, stopped: Stopped
    ) -> dict[int, list[Line]]:
        """Return the lines by seat; `seats` are in settlement order. All contributions are added before any award.

        If the round was stopped, a folded hand is settled like any other.
        """
        wagering = [seat for seat in seats if PROGRESSIVE in seat.wagers]
        for seat in wagering:
            board.contribute(seat.seat, PROGRESSIVE, PROGRESSIVE, self.stake, self._rate)
        folds_count = stopped.void_but_bonuses is None and not self._folded_hands_win
        won: dict[int, Row | None] = {}
        for seat in wagering:
            if seat.seat not in stopped.abandoned and not (folds_count and seat.folded):
                cards = self._without_joker(seat, spare)
                won[seat.seat] = self._rows.get(progressive_category(cards, deuces_wild=self._deuces_wild))
        envied = [EnvyHand(seat.player, row) for seat in wagering if (row := won.get(seat.seat)) and row.envy]
        lines: dict[int, list[Line]] = {}
        for seat in wagering:
            number, row = seat.seat, won.get(seat.seat)
            if number in stopped.abandoned:
                lines[number] = [lost(number, PROGRESSIVE, self.stake, stopped.abandoned_paragraph)]
                continue
            award = 0 if row is None else board.award(PROGRESSIVE, row.meter, self._reset)
            decided = self._decided if number in won else self._paragraphs.folded_with_progressive
            own = settled(row, number, PROGRESSIVE, self.stake, decided, from_meter=award)
            lines[number] = [own, *envy_lines(number, seat.player, envied)]
        return lines

    def _without_joker(self, seat: DjWildSeat, spare: Card | None) -> Sequence[Card]:
        if JOKER not in seat.cards:
            return seat.cards
        if spare is None:
            raise Refused(
                "'spare_card' is missing: it replaces the joker for the Progressive Bonus",
                seat=seat.seat,
                paragraph=self._paragraphs.joker_replaced,
            )
        return tuple(spare if card == JOKER else card for card in seat.cards)
