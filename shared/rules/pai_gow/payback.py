"""Returns of the wagers decided by the cards or the drawn number alone: exact, by counting."""

from collections.abc import Mapping
from typing import Final

from shared.rules.game import CountReturns
from shared.rules.pai_gow.bonuses import BONUSES, INSURANCE, Bonus, Insurance
from shared.rules.pai_gow.record import STARTING_POSITION
from shared.rules.paytable import count_returns, rows_by_category
from shared.rules.returns import Returns, Won
from shared.rules.set_hands.payback import bonus_returns, seven_card_counts
from shared.rules.submission import Offer, Selection

_NUMBERS: Final = 7


def _of_bonus(selection: Selection, offer: Offer) -> Returns:
    """Return the returns of a bonus wager, without Envy Bonuses, which depend on the number of other players."""
    del selection
    return bonus_returns(Bonus(offer).rows)


def _of_insurance(selection: Selection, offer: Offer) -> Returns:
    del selection
    rows = Insurance(offer).rows
    return count_returns(
        (hands, None if seven.formed else rows[seven.top]) for seven, hands in seven_card_counts().items()
    )


def _of_starting_position(selection: Selection, offer: Offer) -> Returns:
    """Return the returns of a wager on one of seven equally likely numbers, paid without rounding."""
    del selection
    (row,) = rows_by_category(offer).values()
    return Returns.counted([(1, Won(None, row.odds.returns)), (_NUMBERS - 1, None)])


COUNTS: Final[Mapping[str, CountReturns]] = {
    **dict.fromkeys(BONUSES, _of_bonus),
    INSURANCE: _of_insurance,
    STARTING_POSITION: _of_starting_position,
}
