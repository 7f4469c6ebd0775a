"""The Progressive Payout Wager and its Envy Bonuses, § 647a.11(i) and § 647a.12(d)."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from shared.rules.envy import ENVY_BONUS
from shared.rules.holdem.hands import SeatInPlay
from shared.rules.holdem.table import PROGRESSIVE
from shared.rules.line import Line, line
from shared.rules.meters import MeterBoard
from shared.rules.paytable import rows_by_category, settled
from shared.rules.submission import Offer


class Progressive:
    """The paytable, the meter with its `reset` amount in cents, and the Envy Bonuses by wager and category in cents."""

    def __init__(self, offer: Offer, folded: str) -> None:
        """Read the offered wager; a folded hand loses it under the paragraph `folded`."""
        assert offer.meter is not None
        bonuses = offer.wager.envy_bonuses
        self.rate: Final = Fraction(offer.meter.rate)
        self._reset = offer.meter.reset
        self._rows = rows_by_category(offer)
        self._decided = offer.wager.decided
        self._folded = folded
        self._envy = {entry.stake: entry.amounts for entry in bonuses}
        self._envy_paragraph = bonuses[0].paragraph

    def settle(self, seat: SeatInPlay, categories: Mapping[int, str | None], board: MeterBoard) -> list[Line]:
        """Return the lines of a seat whose player did not leave: for its own hand, then Envy Bonuses for others' hands.

        `categories` has the category of each seat's hand with the Flop, in settlement order. The meter pays its reading
        at this seat's turn. A folded hand earns others their Envy Bonus, while its player loses the Progressive Payout
        Wager.
        """
        number, stake = seat.number, seat.wagers[PROGRESSIVE]
        own = categories[number]
        row = None if own is None or seat.folded else self._rows.get(own)
        won = 0 if row is None else board.award(PROGRESSIVE, row.meter, self._reset)
        decided = self._folded if seat.folded else self._decided
        lines = [settled(row, number, PROGRESSIVE, stake, decided, from_meter=won)]
        amounts = self._envy[stake]
        for other, category in categories.items():
            cents = None if category is None or other == number else amounts.get(category)
            if cents is not None:
                lines.append(line(number, ENVY_BONUS, "win", 0, cents, 0, self._envy_paragraph, None, category))
        return lines
