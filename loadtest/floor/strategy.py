"""Basic strategy for several decks: the dealer stands on all 17s, doubling after splits, late surrender.

The columns of each row are the dealer's up card from 2 to 10 and ace. H: hit. S: stand. D: double, or else hit. d:
double, or else stand. P: split. R: surrender. A dot means no entry: the hand is played by its total.
"""

from collections.abc import Sequence
from typing import Final, Literal

from shared.cards import StandardCard
from shared.rules.blackjack.totals import VALUES, total

Action = Literal["hit", "stand", "double", "split", "surrender"]

_HARD: Final = {
    9: "HDDDDHHHHH",
    10: "DDDDDDDDHH",
    11: "DDDDDDDDDH",
    12: "HHSSSHHHHH",
    13: "SSSSSHHHHH",
    14: "SSSSSHHHHH",
    15: "SSSSSHHHHH",
    16: "SSSSSHHHHH",
}
_SOFT: Final = {
    12: "HHHHHHHHHH",
    13: "HHHDDHHHHH",
    14: "HHHDDHHHHH",
    15: "HHDDDHHHHH",
    16: "HHDDDHHHHH",
    17: "HDDDDHHHHH",
    18: "SddddSSHHH",
}
_PAIRS: Final = {
    2: "PPPPPP....",
    3: "PPPPPP....",
    4: "...PP.....",
    6: "PPPPP.....",
    7: "PPPPPP....",
    8: "PPPPPPPPPP",
    9: "PPPPP.PP..",
    11: "PPPPPPPPPP",
}
_SURRENDER: Final = {
    15: "........R.",
    16: ".......RRR",
}


def decide(
    cards: Sequence[StandardCard], up: StandardCard, *, may_double: bool, may_split: bool, may_surrender: bool
) -> Action:
    """Return the basic strategy decision for a hand of two or more cards against the dealer's up card.

    >>> decide(["8s", "8d"], "Th", may_double=True, may_split=True, may_surrender=True)
    'split'
    >>> decide(["Ts", "6d"], "Th", may_double=True, may_split=False, may_surrender=False)
    'hit'
    """
    points, column = total(cards), VALUES[up] - 2
    soft = is_soft(cards)
    if may_split and len(cards) == 2 and VALUES[cards[0]] == VALUES[cards[1]]:
        row = _PAIRS.get(VALUES[cards[0]])
        if row is not None and row[column] == "P":
            return "split"
    if may_surrender and not soft and points in _SURRENDER and _SURRENDER[points][column] == "R":
        return "surrender"
    entry = _SOFT.get(points, "S" * 10)[column] if soft else _hard(points)[column]
    if entry in "Dd":
        return "double" if may_double else "hit" if entry == "D" else "stand"
    return "hit" if entry == "H" else "stand"


def is_soft(cards: Sequence[StandardCard]) -> bool:
    """Return whether an ace of the hand counts as 11.

    >>> is_soft(["As", "6d"]), is_soft(["As", "6d", "Th"])
    (True, False)
    """
    lowest = sum(1 if card[0] == "A" else VALUES[card] for card in cards)
    return total(cards) != lowest


def _hard(points: int) -> str:
    return _HARD.get(points, "H" * 10 if points < 9 else "S" * 10)


_PROMISE_HARD: Final = {21: 88, 20: 63, 19: 35, 18: 10, 17: -15, 11: 30, 10: 24, 9: 8}
"""The approximate value of a total against an average up card, in hundredths of the wager."""
_PROMISE_STIFF: Final = -30
_PROMISE_LOW: Final = -10
_PROMISE_ACES: Final = 45
_PROMISE_BLACKJACK: Final = 110


def promise(first: StandardCard, second: StandardCard, *, dealt: bool) -> int:
    """Return the approximate value of two cards in hundredths of the wager, to decide whether to switch.

    `dealt` means that the two cards were dealt together, so that an ace and a ten are a Blackjack.
    """
    points = total((first, second))
    if points == 21 and dealt:
        return _PROMISE_BLACKJACK
    if first[0] == "A" and second[0] == "A":
        return _PROMISE_ACES
    return _PROMISE_HARD.get(points, _PROMISE_STIFF if 12 <= points <= 16 else _PROMISE_LOW)
