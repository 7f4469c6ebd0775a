"""Classes of five-card hands from 53 cards, with the number of hands in each.

The hands of a class are equal in everything that a paytable distinguishes.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb, prod
from typing import Final, cast

from shared.cards import JOKER, RANKS, SUITS, Card

HAND: Final = 5
WILDS: Final = len(SUITS) + 1
"""The number of wild cards in the deck: four deuces and the joker."""

_NATURALS: Final = tuple(rank for rank in RANKS if rank != "2")


@dataclass(frozen=True, slots=True)
class Kind:
    """All hands with the same natural ranks and the same number of wild cards.

    `suited` is whether the natural cards have one suit, or None if the ranks leave no choice. `naturals` is an example
    of the natural cards, `ways` the number of ways to choose them.
    """

    naturals: tuple[str, ...]
    wilds: int
    suited: bool | None
    ways: int

    @property
    def example(self) -> tuple[Card, ...]:
        """Return a hand of this kind."""
        return _hand([*self.naturals, *["2" + suit for suit in SUITS][: self.wilds], JOKER][:HAND])


def kinds() -> Iterator[Kind]:
    """Yield every kind of hand, once."""
    for wilds in range(WILDS + 1):
        for ranks in combinations_with_replacement(_NATURALS, HAND - wilds):
            ways = prod(comb(len(SUITS), copies) for copies in Counter(ranks).values())
            off_suit = tuple(rank + SUITS[place % len(SUITS)] for place, rank in enumerate(ranks))
            if len(ranks) < 2 or len(set(ranks)) < len(ranks):
                if ways:
                    yield Kind(off_suit, wilds, None, ways)
                continue
            yield Kind(off_suit, wilds, False, ways - len(SUITS))
            yield Kind(tuple(rank + SUITS[0] for rank in ranks), wilds, True, len(SUITS))


def classes() -> Iterator[tuple[tuple[Card, ...], int]]:
    """Yield an example of each class of hands with the number of its hands; together they are all C(53, 5).

    The classes of a kind differ in whether the joker is among the wild cards, and whether a single deuce has the suit
    of the natural cards.
    """
    for kind in kinds():
        for joker in (0, 1):
            deuces = kind.wilds - joker
            if not 0 <= deuces <= len(SUITS):
                continue
            wilds: list[str] = [JOKER] * joker
            if deuces == 1:
                yield _hand([*kind.naturals, "2" + SUITS[0], *wilds]), kind.ways
                yield _hand([*kind.naturals, "2" + SUITS[1], *wilds]), kind.ways * (len(SUITS) - 1)
            else:
                wilds += ["2" + suit for suit in SUITS[:deuces]]
                yield _hand([*kind.naturals, *wilds]), kind.ways * comb(len(SUITS), deuces)


def _hand(cards: list[str]) -> tuple[Card, ...]:
    return cast("tuple[Card, ...]", tuple(cards))
