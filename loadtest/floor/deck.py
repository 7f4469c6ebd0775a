"""A single deck that is shuffled for every round."""

from collections.abc import Sequence
from random import Random
from typing import Generic, TypeVar

CardT = TypeVar("CardT", bound=str)


class Deck(Generic[CardT]):
    """A table's deck of cards. `number` is the number of the shuffle, from 1; each round begins with a new shuffle."""

    def __init__(self, cards: Sequence[CardT], chance: Random) -> None:
        self.number = 1
        self._cards = list(cards)
        self._chance = chance
        self._next = len(self._cards)

    def shuffle(self) -> None:
        """Collect all cards, and shuffle them."""
        self._chance.shuffle(self._cards)
        self._next = 0

    def draw(self, count: int) -> tuple[CardT, ...]:
        """Return the next cards in order. Raises: AssertionError if too few are left."""
        end = self._next + count
        assert end <= len(self._cards), f"{count} cards wanted, {len(self._cards) - self._next} left"
        cards = tuple(self._cards[self._next : end])
        self._next = end
        return cards

    def collect(self) -> None:
        """End the round; the next round needs a new shuffle."""
        self.number += 1
        self._next = len(self._cards)


class DeckTable(Generic[CardT]):
    """A table whose single deck is shuffled for every round."""

    def __init__(self, cards: Sequence[CardT], chance: Random) -> None:
        self._chance = chance
        self._cards = Deck(cards, chance)

    @property
    def shoe(self) -> int:
        """Return the number of the shuffle, from 1."""
        return self._cards.number

    def relieve(self) -> None:
        """Change dealers. No card is burned, because the deck is shuffled for every round."""
