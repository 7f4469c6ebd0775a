"""Display names for the names used in records, settlements and postings, and amounts in dollars."""

import re
from typing import Any, Final

from services.console.money import dollars
from services.console.words import said, say

_TEXT_CHARACTERS_MAX: Final = 120
_NOT_IN_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_TITLES: Final = said("felt.wager")

GAMES: Final = said("felt.game")
"""The display names of games, by the name in the catalogue."""

OUTCOMES: Final = said("felt.outcome")

IRREGULARITIES: Final = said("felt.irregularity.code")

_RANKS: Final = "AKQJT98765432"
_PICTURES: Final = said("felt.card.rank")
"""The display names of ranks, by the letter in records; other ranks are shown as numbers."""
_SUITS: Final = said("felt.card.suit")
JOKER: Final = "Jk"


def money(value: Any) -> str:
    """Return an amount of cents as dollars; return any other value as text."""
    return dollars(value) if is_cents(value) else text_of(value)


def is_cents(value: Any) -> bool:
    """Return whether a value in a record is a plausible amount: an integer with a magnitude below 10**15."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**15


def title(name: Any) -> str:
    """Return the name of a wager as printed on a felt.

    >>> title("over_23"), title("kings_bounty"), title("bad_beat_progressive")
    ('Over 23', "King's Bounty", 'Bad Beat Progressive')
    """
    if isinstance(name, str) and name in _TITLES:
        return _TITLES[name]
    return " ".join(word[:1].upper() + word[1:] for word in text_of(name).replace("_", " ").split())


def of_hand(wager: str, hand: int | None) -> str:
    """Return a wager's display name, with the hand's number if the seat has several hands.

    >>> of_hand("blackjack", None), of_hand("blackjack", 2)
    ('Blackjack', 'Blackjack, hand\xa02')
    """
    return title(wager) if hand is None else say("felt.hand_of", wager=title(wager), hand=hand)


def words(name: Any) -> str:
    """Return a snake-case name with spaces instead of underscores.

    >>> words("four_of_a_kind")
    'four of a kind'
    """
    return text_of(name).replace("_", " ")


def is_card(code: Any) -> bool:
    """Return whether a value is a card as written in records."""
    return isinstance(code, str) and (code == JOKER or (len(code) == 2 and code[0] in _RANKS and code[1] in _SUITS))


def card_words(code: Any) -> str:
    """Return a card's name in plain words.

    >>> card_words("Td"), card_words("Jk")
    ('10 of diamonds', 'joker')
    """
    if not is_card(code):
        return say("felt.card.unknown", card=text_of(code))
    if code == JOKER:
        return say("felt.card.joker")
    rank, suit = code
    return say("felt.card.of", rank=_PICTURES.get(rank, rank), suit=_SUITS[suit])


def cards_words(cards: tuple[Any, ...]) -> str:
    """Return the cards' names in plain words, separated by commas."""
    return ", ".join(map(card_words, cards))


def text_of(value: Any) -> str:
    """Return any value as text for a page: one line, shortened, without characters forbidden in XML."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except (ValueError, RecursionError):  # a number with too many digits, or a document that contains itself
        text = say("felt.unknown.unwritable", type=type(value).__name__)
    text = " ".join(_NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text[: 4 * _TEXT_CHARACTERS_MAX]).split())
    return text if len(text) <= _TEXT_CHARACTERS_MAX else text[: _TEXT_CHARACTERS_MAX - 1] + "…"
