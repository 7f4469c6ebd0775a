"""Ranks, suits and whole decks."""

from typing import Final, get_args

from shared.cards._names import Card, StandardCard

RANKS: Final = "AKQJT98765432"
"""The thirteen ranks, ace first."""

SUITS: Final = "shdc"
"""The four suits: spades, hearts, diamonds, clubs."""

JOKER: Final[Card] = "Jk"

_STANDARD: Final[tuple[StandardCard, ...]] = get_args(StandardCard)


def standard_deck(*, decks: int = 1, jokers: int = 0) -> tuple[Card, ...]:
    """Return the cards of `decks` standard decks in a fixed order, followed by `jokers` jokers.

    >>> len(standard_deck(decks=6))
    312
    >>> standard_deck(jokers=1)[-1]
    'Jk'
    """
    if decks < 1:
        raise ValueError(f"decks must be 1 or more, not {decks}")
    if jokers < 0:
        raise ValueError(f"jokers must be 0 or more, not {jokers}")
    return _STANDARD * decks + (JOKER,) * jokers
