"""The payback of the Hit and Run Progressive as a function of its meter: exact, from the dealer's cards only."""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from math import perm
from typing import Final

from shared.cards import StandardCard
from shared.rules.blackjack.dealer import DealerHand
from shared.rules.blackjack.progressives import HitAndRun
from shared.rules.blackjack.totals import VALUES, is_blackjack, total
from shared.rules.progressive import Progressive
from shared.rules.submission import Offer, Selection

_STANDS_ON: Final = 17
CARD_OF: Final[Mapping[int, StandardCard]] = {value: card for card, value in VALUES.items()}  # type: ignore[misc]
_ASSUMED: Final = (
    "the dealer draws to 17 whatever the players hold, as he must while the wager is open; one player wagers on it, to "
    "whom all of the meter goes"
)


@cache
def dealer_hands(decks: int) -> Mapping[tuple[StandardCard, ...], Fraction]:
    """Return the probability of each kind of dealer's hand, drawn from full decks, keyed by an example.

    Hands with the same number of cards are of one kind, except that Blackjacks are a kind of their own.
    """
    left = Counter(VALUES.values())
    for value in left:
        left[value] *= decks
    ways: Counter[tuple[bool, int]] = Counter()
    example: dict[tuple[bool, int], tuple[StandardCard, ...]] = {}
    cards = left.total()

    def draw(hand: tuple[StandardCard, ...], orders: int) -> None:
        if len(hand) > 1 and total(hand) >= _STANDS_ON:
            kind = len(hand) == 2 and is_blackjack(*hand), len(hand)
            ways[kind] += orders
            example.setdefault(kind, hand)
            return
        for value, card in CARD_OF.items():
            if copies := left[value]:
                left[value] -= 1
                draw((*hand, card), orders * copies)
                left[value] += 1

    draw((), 1)
    return {example[kind]: Fraction(number, perm(cards, kind[1])) for kind, number in ways.items()}


def hit_and_run(selection: Selection, offer: Offer) -> Progressive:
    """Return the payback of the Hit and Run Progressive, for a single player, as a function of the meter reading."""
    assert selection.decks is not None
    rows = HitAndRun(offer)
    hands = [
        (chance, rows.row_of(DealerHand(hand, hand[0], hand[1], total(hand), len(hand) == 2 and is_blackjack(*hand))))
        for hand, chance in dealer_hands(selection.decks).items()
    ]
    return Progressive.counted(offer, hands, _ASSUMED)
