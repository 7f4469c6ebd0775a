"""Paybacks of the wagers that the cards or the drawn number alone decide: exact, by counting."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from shared.cards import Card
from shared.cards.ranking.pai_gow import card_set, formed, top_value
from shared.cards.ranking.seven_card_counts import count_seven_cards
from shared.rules.game import Payback
from shared.rules.pai_gow.bonuses import BONUSES, INSURANCE, Bonus, Insurance
from shared.rules.pai_gow.record import STARTING_POSITION
from shared.rules.set_hands.payback import bonus_payback
from shared.rules.submission import Offer, Selection

_NUMBERS: Final = 7


def _of_bonus(selection: Selection, offer: Offer) -> Fraction:
    """Count without Envy Bonuses: they depend on how many others play."""
    del selection
    return bonus_payback(Bonus(offer).rows)


def _of_insurance(selection: Selection, offer: Offer) -> Fraction:
    del selection
    rows = Insurance(offer).rows
    counts = count_seven_cards(_top_card_without_pair)
    back = Fraction(0)
    for value, hands in counts.items():
        if value:
            back += hands * rows[value].odds.returns
    return back / counts.total()


def _of_starting_position(selection: Selection, offer: Offer) -> Fraction:
    """Count seven equally likely numbers, paid without rounding."""
    del offer
    ratio = selection.options["starting_position_odds"]
    assert isinstance(ratio, Fraction)
    return (ratio + 1) / _NUMBERS


def _top_card_without_pair(cards: tuple[Card, ...]) -> int:
    """Return the value of the highest of seven cards without a pair, a straight or a flush; 0 for any others."""
    hand = card_set(cards)
    return 0 if formed(hand) else top_value(hand)


PAYBACKS: Final[Mapping[str, Payback]] = {
    **dict.fromkeys(BONUSES, _of_bonus),
    INSURANCE: _of_insurance,
    STARTING_POSITION: _of_starting_position,
}
