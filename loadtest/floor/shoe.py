"""A dealing shoe: decks are shuffled, cut, burned, dealt to the cover card and reshuffled (§ 633a.5, § 633a.7)."""

from random import Random
from typing import Final, get_args

from shared.cards import StandardCard

_DECK: Final[tuple[StandardCard, ...]] = get_args(StandardCard)

_COVER_FROM_BOTTOM: Final = (0.25, 0.35)
"""The range of the cover card's position from the bottom; it must be at least a quarter of the way in (§ 633a.5(d))."""


class Shoe:
    """The cards of one table, drawn from the shoe and returned to its discard rack.

    `number` is the number of the shuffle, from 1. `burned` and `remaining` allow tests to account for every card.
    """

    def __init__(self, decks: int, chance: Random) -> None:
        self.decks = decks
        self.number = 0
        self.burned: list[StandardCard] = []
        self._chance = chance
        self._cards: list[StandardCard] = list(_DECK) * decks
        self._next = 0
        self._cover = 0
        self._round_began = 0
        self._shuffle()

    @property
    def remaining(self) -> tuple[StandardCard, ...]:
        """Return the cards that have not been drawn, in order."""
        return tuple(self._cards[self._next :])

    def draw(self) -> StandardCard:
        """Return the next card. If none is left, shuffle the discard rack and deal from it (§ 633a.14(f))."""
        if self._next == len(self._cards):
            self._shuffle_discards()
        card = self._cards[self._next]
        self._next += 1
        return card

    def burn(self) -> None:
        """Burn the next card: put it into the discard rack unseen."""
        self.burned.append(self.draw())

    def end_round(self) -> None:
        """End the round; shuffle if the cover card came out during the round or is next (§ 633a.7(e))."""
        self._round_began = self._next
        if self._next >= self._cover:
            self._shuffle()

    def _shuffle(self) -> None:
        self._chance.shuffle(self._cards)
        low, high = _COVER_FROM_BOTTOM
        self._cover = len(self._cards) - int(len(self._cards) * self._chance.uniform(low, high)) - 1
        self._next = self._round_began = 0
        self._begin()

    def _shuffle_discards(self) -> None:
        table, discards = self._cards[self._round_began :], self._cards[: self._round_began]
        self._chance.shuffle(discards)
        self._cards = table + discards
        self._next, self._round_began, self._cover = len(table), 0, 0
        self._begin()

    def _begin(self) -> None:
        self.number += 1
        self.burned = []
        self.burn()  # the first card of each batch goes into the discard rack, § 633a.7(c)


class ShoeTable:
    """A table that deals from a shoe."""

    def __init__(self, decks: int, chance: Random) -> None:
        self._chance = chance
        self._cards = Shoe(decks, chance)

    @property
    def shoe(self) -> int:
        """Return the number of the shuffle, from 1."""
        return self._cards.number

    def relieve(self) -> None:
        """Change dealers; the new dealer burns a card (§ 633a.7(c), § 686a.7(c))."""
        self._cards.burn()
