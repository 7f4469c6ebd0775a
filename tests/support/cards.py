"""Cards as tests write them."""

from shared.cards import Card, StandardCard, standard_deck

_CARDS: dict[str, Card] = {card: card for card in standard_deck(jokers=1)}
_STANDARD_CARDS: dict[str, StandardCard] = {card: card for card in standard_deck() if card != "Jk"}


def card_named(name: str) -> Card:
    """Return the card of a name. Raises: KeyError where there is no such card."""
    return _CARDS[name]


def cards_named(names: str) -> tuple[Card, ...]:
    """Return the cards of a line of names: `As Td Jk`. Raises: KeyError where there is no such card."""
    return tuple(_CARDS[name] for name in names.split())


def standard_cards_named(names: str) -> tuple[StandardCard, ...]:
    """Return the cards of a line of names, none of which is a joker. Raises: KeyError where one is, or is no card."""
    return tuple(_STANDARD_CARDS[name] for name in names.split())
