"""Paybacks of the wagers that the cards or the drawn number alone decide: exact, by counting."""

from fractions import Fraction

from shared.cards import Card
from shared.cards.ranking.pai_gow import card_set, formed, top_value
from shared.cards.ranking.seven_card_counts import count_seven_cards
from shared.rules.errors import Refused
from shared.rules.pai_gow.bonuses import BONUSES, INSURANCE, bonus, insurance
from shared.rules.pai_gow.record import STARTING_POSITION
from shared.rules.set_hands.payback import bonus_payback
from shared.rules.submission import Offer, Selection

_NUMBERS = 7
_COUNTED = (*BONUSES, INSURANCE, STARTING_POSITION)


def payback(selection: Selection, wager: str) -> Fraction:
    """The expected return of one cent of `wager`, its stake included, without Envy Bonuses.

    The starting position is drawn from seven equally likely numbers and paid without rounding. Raises `Refused` for a
    wager that is not offered, and for those that how hands are set or a meter decides.
    """
    if wager not in selection.offers:
        raise Refused(
            f"wager '{wager}' is not offered; there are: {', '.join(selection.offers)}",
            paragraph=selection.catalogue.offered,
        )
    offer = selection.offers[wager]
    if wager in BONUSES:
        return bonus_payback(bonus(offer).rows)
    if wager == INSURANCE:
        return _of_insurance(offer)
    if wager == STARTING_POSITION:
        ratio = selection.options["starting_position_odds"]
        assert isinstance(ratio, Fraction)
        return (ratio + 1) / _NUMBERS
    raise Refused(
        f"the payback of '{wager}' depends on how hands are set or on a meter; it is counted for "
        + (", ".join(name for name in selection.offers if name in _COUNTED) or "no wager that is offered"),
        paragraph=offer.wager.decided,
    )


def _of_insurance(offer: Offer) -> Fraction:
    rows = insurance(offer).rows
    counts = count_seven_cards(_top_card_without_pair)
    back = Fraction(0)
    for value, hands in counts.items():
        if value:
            back += hands * (rows[value].odds.ratio + 1)
    return back / counts.total()


def _top_card_without_pair(cards: tuple[Card, ...]) -> int:
    """The value of the highest of seven cards without a pair, a straight or a flush; 0 for any others."""
    hand = card_set(cards)
    return 0 if formed(hand) else top_value(hand)
