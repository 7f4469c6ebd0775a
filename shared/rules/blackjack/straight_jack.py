"""The payback of the Straight Jack Progressive as a function of its meter, if hands are played by basic strategy.

The payback is exact: all cards come from full decks without replacement. Hands that begin a straight are never split,
because a ten and a jack are not split.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import perm
from typing import Final, cast

from shared.cards import RANKS, StandardCard
from shared.rules.blackjack.progressives import StraightJack, straight_length
from shared.rules.blackjack.shoe import ACE, TEN, VALUES_OF_CARDS, add, full_shoe, is_natural, without
from shared.rules.blackjack.strategy import Strategy, Terms, strategy_against
from shared.rules.blackjack.totals import VALUES
from shared.rules.progressive import Hands, Progressive
from shared.rules.submission import Offer, Selection

ASSUMED: Final = (
    "the Blackjack Wager is played by its card, whatever would lengthen the straight; all cards come from full decks; "
    "one winner has all of the meter"
)

_SUITS: Final = (("s", Fraction(1, 4)), ("h", Fraction(3, 4)))
"""Suits of the ace with their probabilities: a straight has at most one ace, and only a spade pays differently."""

Straight = tuple[StandardCard, ...]


def straight_jack(selection: Selection, offer: Offer, terms: Terms) -> Progressive:
    """Return the payback of the Straight Jack Progressive, for a single player, as a function of the meter reading."""
    assert selection.decks is not None
    rows = StraightJack(offer)
    hands: list[Hands] = [
        (chance * share, rows.row_of(tuple(cast("StandardCard", card[0] + suit) for card in straight)))
        for straight, chance in straights(selection.decks, terms)
        for suit, share in _SUITS
    ]
    hands.append((1 - sum((chance for chance, _ in hands), Fraction(0)), None))
    return Progressive.counted(offer, hands, ASSUMED)


def straights(decks: int, terms: Terms) -> Iterator[tuple[Straight, Fraction]]:
    """Yield (straight, probability); cards are in the order drawn, and spades represent all suits."""
    shoe = full_shoe(decks)
    for up in VALUES_OF_CARDS:
        strategy = strategy_against(up, tuple(without(shoe, up)), terms)
        for first, second in product(_CARDS, _CARDS):
            if straight_length((first, second)):
                yield from _played(decks, strategy, up, (first, second))


def _played(decks: int, strategy: Strategy, up: int, dealt: Straight) -> Iterator[tuple[Straight, Fraction]]:
    values = [_value(card) for card in dealt]
    holes = [value for value in (ACE, TEN) if is_natural(up, value)] if not strategy.terms.from_hand else []
    seen = sum((_chance(decks, dealt, up, hole) for hole in holes), Fraction(0))
    action = "stand" if is_natural(*values) else strategy.first(min(values), max(values))
    assert action != "split"
    if seen:
        yield dealt, seen

    def grow(straight: Straight, state: int, *, draws: bool, once: bool) -> Iterator[tuple[Straight, Fraction]]:
        """Yield (straight, probability) of the straights that can grow, unless a dealer's Blackjack ends the round."""
        left = _chance(decks, straight, up) - sum((_chance(decks, straight, up, hole) for hole in holes), Fraction(0))
        if draws:
            for card in _CARDS:
                longer = (*straight, card)
                if straight_length(longer) > len(straight):
                    after = add(state, _value(card))
                    for each, chance in grow(longer, after, draws=not once and strategy.draws[after], once=once):
                        left -= chance
                        yield each, chance
        yield straight, left

    state = add(add(0, values[0]), values[1])
    yield from grow(dealt, state, draws=action in {"hit", "double"}, once=action == "double")


def _chance(decks: int, straight: Straight, up: int, *hole: int) -> Fraction:
    """Return the probability that these ranks are drawn in this order while the dealer gets cards of these values.

    A straight has no rank twice. Its cards with the value 10 are distinguished by rank, the dealer's are not.
    """
    copies = 4 * decks
    left = full_shoe(decks)
    ways = 1
    for card in straight:
        ways *= copies
        left[_value(card)] -= 1
    for value in (up, *hole):
        ways *= left[value]
        left[value] -= 1
    return Fraction(ways, perm(52 * decks, len(straight) + 1 + len(hole)))


def _value(card: StandardCard) -> int:
    return ACE if card[0] == "A" else VALUES[card]


_CARDS: Final[Sequence[StandardCard]] = tuple(cast("StandardCard", rank + "s") for rank in RANKS)
