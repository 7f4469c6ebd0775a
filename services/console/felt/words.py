"""The words that people read for the names in records, settlements and postings, and amounts as dollars."""

import re
from typing import Any, Final

_TEXT_CHARACTERS_MAX: Final = 120
_NOT_IN_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_TITLES: Final = {
    "bank": "Bank",
    "emperors_treasure": "Emperor's Treasure",
    "kings_bounty": "King's Bounty",
    "lucky_player_bonus": "Lucky Player Bonus",
    "match_the_dealer": "Match the Dealer",
    "bet_the_set_21": "Bet the Set 21",
    "texas_holdem_bonus": "Texas Hold 'Em Bonus",
    "twenty_point_bonus": "Lucky Ladies (Twenty Point Bonus)",
    "hit_and_run_progressive": "Hit and Run Progressive",
    "dealer_wager": "Dealer's wager against the bank",
    "five_card_hand_bonus_player": "Five Card Hand Bonus, player's hand",
    "five_card_hand_bonus_dealer": "Five Card Hand Bonus, dealer's hand",
}

GAMES: Final = {
    "blackjack": "Blackjack",
    "pai_gow": "Pai Gow Poker",
    "face_up_pai_gow": "Face Up Pai Gow Poker",
    "holdem": "Texas Hold 'Em Bonus Poker",
    "dj_wild": "DJ Wild Stud Poker",
    "over_under": "Over/Under",
}
"""The games as the rules name them, and as people do."""

OUTCOMES: Final = {
    "win": "won",
    "lose": "lost",
    "push": "push",
    "void": "void",
    "surrender": "surrendered",
}

IRREGULARITIES: Final = {
    "misdeal": "misdeal",
    "cards_face_up": "cards found face up",
    "dealer_card_exposed": "a card exposed too early",
    "player_card_exposed": "the dealer exposed a player's card",
    "wrong_starting_position": "dealt from the wrong position",
    "deck_count_wrong": "too many or too few cards left",
    "shoe_malfunction": "the shoe failed",
    "hand_dead": "hand called dead",
    "card_reader_exposed_hole": "the card reader exposed the hole card",
    "abandoned": "the player left the table",
    "stack_card_exposed": "a card of a stack was exposed",
}

_RANKS: Final = {
    "A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "10", "9": "9", "8": "8", "7": "7", "6": "6", "5": "5",
    "4": "4", "3": "3", "2": "2",
}  # fmt: skip
_SUITS: Final = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}
JOKER: Final = "Jk"


def dollars(cents: int) -> str:
    """Return cents as dollars.

    >>> dollars(123450), dollars(-500)
    ('$1,234.50', '-$5.00')
    """
    return f"{'-' if cents < 0 else ''}${abs(cents) // 100:,}.{abs(cents) % 100:02}"


def money(value: Any) -> str:
    """Return an amount as dollars where it is one, else whatever stands there as text."""
    return dollars(value) if is_cents(value) else text_of(value)


def is_cents(value: Any) -> bool:
    """Return whether a value of a record is an amount: a whole number, and none that nobody could read."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**15


def title(name: Any) -> str:
    """Return the name of a wager as it stands on a felt.

    >>> title("over_23"), title("kings_bounty"), title("bad_beat_progressive")
    ('Over 23', "King's Bounty", 'Bad Beat Progressive')
    """
    if isinstance(name, str) and name in _TITLES:
        return _TITLES[name]
    return " ".join(word[:1].upper() + word[1:] for word in text_of(name).replace("_", " ").split())


def words(name: Any) -> str:
    """Return a name in snake case as words.

    >>> words("four_of_a_kind")
    'four of a kind'
    """
    return text_of(name).replace("_", " ")


def is_card(code: Any) -> bool:
    """Return whether this is a card, as records write cards."""
    return isinstance(code, str) and (code == JOKER or (len(code) == 2 and code[0] in _RANKS and code[1] in _SUITS))


def card_words(code: Any) -> str:
    """Return a card in words.

    >>> card_words("Td"), card_words("Jk")
    ('10 of diamonds', 'joker')
    """
    if not is_card(code):
        return f"unknown card {text_of(code)}"
    return "joker" if code == JOKER else f"{_RANKS[code[0]]} of {_SUITS[code[1]]}"


def cards_words(cards: tuple[Any, ...]) -> str:
    """Return cards in words, one after the other."""
    return ", ".join(map(card_words, cards))


def text_of(value: Any) -> str:
    """Return any value as text that a page can hold: one line, not too long, without what XML forbids."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except (ValueError, RecursionError):  # a number of more digits than Python writes; a document within itself
        text = f"a {type(value).__name__}"
    text = " ".join(_NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text[: 4 * _TEXT_CHARACTERS_MAX]).split())
    return text if len(text) <= _TEXT_CHARACTERS_MAX else text[: _TEXT_CHARACTERS_MAX - 1] + "…"


def counted(number: int, noun: str) -> str:
    """Return a number of things.

    >>> counted(1, "card"), counted(3, "card")
    ('1 card', '3 cards')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
