"""Rhode Island's additional wager on the starting position, decided before any card is dealt."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, cast

from shared.rules.errors import Refused
from shared.rules.line import Line, line
from shared.rules.pai_gow.record import STARTING_POSITION, PaiGowSeat
from shared.rules.paytable import lost, returned

_DOLLAR: Final = 100
_HIGHEST_NUMBER: Final = 7


@dataclass(frozen=True, slots=True)
class StartingPositionWager:
    """The odds of the wager, and the paragraphs of the picks, the draw, the decision and the odds."""

    ratio: Fraction
    picks_paragraph: str
    draw_paragraph: str
    decided: str
    odds_paragraph: str

    def check(self, seat: PaiGowSeat, drawn: int | None, *, stopped: bool) -> None:
        """Raise `Refused` if the picks do not sum to the wager, or if the number cannot have been drawn."""
        wagered = cast("dict[str, int]", seat.wagers)[STARTING_POSITION]
        if sum(seat.picks.values()) != wagered:
            raise Refused(
                f"'{STARTING_POSITION}' {wagered}: the 'picks' come to {sum(seat.picks.values())}",
                seat=seat.seat,
                paragraph=self.picks_paragraph,
            )
        if drawn is None and not stopped:
            raise Refused(
                f"'{STARTING_POSITION}' {wagered}: no 'starting_position' was drawn in the round",
                seat=seat.seat,
                paragraph=self.draw_paragraph,
            )
        if drawn is not None and drawn > _HIGHEST_NUMBER:
            raise Refused(
                f"'starting_position' {drawn}: the generator of the numbers wagered on displays 1 to {_HIGHEST_NUMBER}",
                seat=seat.seat,
                paragraph=self.draw_paragraph,
            )

    def settle(self, seats: Sequence[PaiGowSeat], drawn: int | None) -> list[Line]:
        """Return the line of each pick; if the round was stopped before the draw (`drawn` is None), stakes go back."""
        lines: list[Line] = []
        for seat in seats:
            for number, stake in sorted(seat.picks.items()):
                if drawn is None:
                    lines.append(returned(seat.seat, STARTING_POSITION, stake, self.draw_paragraph))
                elif number == drawn:
                    payout = stake * self.ratio.numerator // self.ratio.denominator // _DOLLAR * _DOLLAR
                    won = line(seat.seat, STARTING_POSITION, "win", stake, payout, stake, self.odds_paragraph)
                    lines.append(won)
                else:
                    lines.append(lost(seat.seat, STARTING_POSITION, stake, self.decided))
        return lines
