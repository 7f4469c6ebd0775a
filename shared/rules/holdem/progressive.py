"""The Progressive Payout Wager and its Envy Bonuses, § 647a.11(i) and § 647a.12(d)."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from shared.rules.holdem.hands import SeatInPlay
from shared.rules.holdem.table import PROGRESSIVE
from shared.rules.meters import MeterBoard
from shared.rules.paytable import Row, lost
from shared.rules.settlement import Line, line

_ENVY_BONUS: Final = "envy_bonus"


@dataclass(frozen=True, slots=True)
class Progressive:
    """The paytable, the meter with its `reset` amount in cents, and the Envy Bonuses by wager and category in cents."""

    rows: Mapping[str, Row]
    rate: Fraction
    reset: int
    envy: Mapping[int, Mapping[str, int]]
    envy_paragraph: str
    decided: str
    folded: str

    def settle(self, seat: SeatInPlay, categories: Mapping[int, str | None], board: MeterBoard) -> list[Line]:
        """The lines of one seat whose player did not leave: the own hand, then Envy Bonuses for the hands of others.

        `categories` are those of all hands with the Flop by seat, in settlement order. The meter pays what it shows
        now. A folded hand earns others their Envy Bonus; its player only loses the Progressive Payout.
        """
        number, stake = seat.number, seat.wagers[PROGRESSIVE]
        own = categories[number]
        row = None if own is None else self.rows.get(own)
        if seat.folded:
            settled = lost(number, PROGRESSIVE, stake, self.folded)
        elif row is None:
            settled = lost(number, PROGRESSIVE, stake, self.decided)
        else:
            settled = row.win(number, stake, from_meter=award(board, PROGRESSIVE, row, self.reset))
        lines = [settled]
        amounts = self.envy[stake]
        for other, category in categories.items():
            cents = None if category is None or other == number else amounts.get(category)
            if cents is not None:
                lines.append(line(number, _ENVY_BONUS, "win", 0, cents, 0, self.envy_paragraph, None, category))
        return lines


def award(board: MeterBoard, meter: str, row: Row, reset: int, *, winners: int = 1) -> int:
    """Take what a row pays off its meter, in equal parts; returns the cents of each winner, 0 where no meter pays."""
    if not row.meter:
        return 0
    if row.meter == 1:
        return board.award_all(meter, [1] * winners, reset)[0]
    return board.award_part(meter, row.meter, winners=winners)
