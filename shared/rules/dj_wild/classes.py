"""Classes of five-card hands from 53 cards: what the hands of a class have in common, and their number."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb, prod
from typing import Final, cast

from shared.cards import JOKER, RANKS, SUITS, Card

HAND: Final = 5
WILDS: Final = len(SUITS) + 1
"""The wild cards of the deck: four deuces and the joker."""

_NATURALS: Final = tuple(rank for rank in RANKS if rank != "2")


@dataclass(frozen=True, slots=True)
class Kind:
    """All hands with the same natural ranks and number of wild cards.

    `suited` says whether the natural cards are of one suit; None where their ranks leave no choice. `naturals` are
    cards as an example, `ways` in how many ways the natural cards may be chosen.
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

    A kind splits by whether the joker is among the wild cards and whether a single deuce is of the suit of the natural
    cards: then whatever a paytable asks for is the same in all hands of a class.
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
