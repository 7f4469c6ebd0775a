"""Playing cards: their names, ranks, suits and decks."""

from shared.cards._deck import JOKER, RANKS, SUITS, Deck, rank, standard_deck, suit
from shared.cards._names import Card, StandardCard

__all__ = ["JOKER", "RANKS", "SUITS", "Card", "Deck", "StandardCard", "rank", "standard_deck", "suit"]
