"""Playing cards: their names, ranks, suits and decks."""

from shared.cards._deck import JOKER, RANKS, SUITS, standard_deck
from shared.cards._names import Card, StandardCard

__all__ = ["JOKER", "RANKS", "SUITS", "Card", "StandardCard", "standard_deck"]
