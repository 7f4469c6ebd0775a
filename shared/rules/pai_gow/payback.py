"""Paybacks of the wagers that the cards or the drawn number alone decide: exact, by counting."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from shared.rules.game import Payback
from shared.rules.pai_gow.bonuses import BONUSES, INSURANCE, Bonus, Insurance
from shared.rules.pai_gow.record import STARTING_POSITION
from shared.rules.paytable import average_return
from shared.rules.set_hands.payback import bonus_payback, seven_card_counts
from shared.rules.submission import Offer, Selection

_NUMBERS: Final = 7


def _of_bonus(selection: Selection, offer: Offer) -> Fraction:
    """Count without Envy Bonuses: they depend on how many others play."""
    del selection
    return bonus_payback(Bonus(offer).rows)


def _of_insurance(selection: Selection, offer: Offer) -> Fraction:
    del selection
    rows = Insurance(offer).rows
    return average_return(
        (hands, None if seven.formed else rows[seven.top]) for seven, hands in seven_card_counts().items()
    )


def _of_starting_position(selection: Selection, offer: Offer) -> Fraction:
    """Count seven equally likely numbers, paid without rounding."""
    del offer
    ratio = selection.options["starting_position_odds"]
    assert isinstance(ratio, Fraction)
    return (ratio + 1) / _NUMBERS


PAYBACKS: Final[Mapping[str, Payback]] = {
    **dict.fromkeys(BONUSES, _of_bonus),
    INSURANCE: _of_insurance,
    STARTING_POSITION: _of_starting_position,
}
