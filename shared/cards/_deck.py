"""Ranks, suits and whole decks."""

from typing import Final, TypeAlias, get_args

from shared.cards._names import Card, StandardCard

RANKS: Final = "AKQJT98765432"
"""The thirteen ranks, ace first."""

SUITS: Final = "shdc"
"""The four suits: spades, hearts, diamonds, clubs."""

JOKER: Final[Card] = "Jk"

Deck: TypeAlias = tuple[Card, ...]
"""Cards in the order in which they lie: the first is dealt first."""

_STANDARD: Final[tuple[StandardCard, ...]] = get_args(StandardCard)


def standard_deck(*, decks: int = 1, jokers: int = 0) -> Deck:
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


def rank(card: Card) -> str:
    """Return the rank of a standard card, one of `RANKS`.

    >>> rank("Td")
    'T'
    """
    return card[0]


def suit(card: Card) -> str:
    """Return the suit of a standard card, one of `SUITS`.

    >>> suit("Td")
    'd'
    """
    return card[1]
