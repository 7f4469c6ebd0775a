"""The states of growing hands, drawn with replacement from a shoe, and the distribution of the dealer's result.

Values are 1 (an ace) to 10. Sequences of probabilities or counts of cards are indexed by value; index 0 is unused. A
state is a number that encodes a total: the total itself if it is hard, including busts (`BUSTS_WITH`), or `_SOFT` plus
the total if it is soft.
"""

from collections.abc import Sequence
from typing import Final

from shared.rules.blackjack.totals import MOST, VALUES

VALUES_OF_CARDS: Final = range(1, 11)
ACE: Final = 1
TEN: Final = 10

_SOFT: Final = 40
STATES: Final = _SOFT + MOST + 1

BUSTS_WITH: Final = range(MOST + 1, MOST + 11)
STANDS_ON: Final = 17

FINALS: Final = (17, 18, 19, 20, 21, 22, 23)
"""The dealer's final totals without a Blackjack; 23 stands for every total above 22."""


def add(state: int, value: int) -> int:
    """Return the state after another card.

    >>> points(add(add(add(0, 1), 6), 10)), is_soft(add(add(0, 1), 6))
    (17, True)
    """
    soft = state >= _SOFT
    low = (state - _SOFT - 10 if soft else state) + value
    return _SOFT + low + 10 if (soft or value == ACE) and low <= 11 else low


def points(state: int) -> int:
    """Return the total that a state encodes."""
    return state - _SOFT if state >= _SOFT else state


def soft(total: int) -> int:
    """Return the state that encodes a soft total."""
    return _SOFT + total


def is_soft(state: int) -> bool:
    """Return whether an ace counts as 11 in a state."""
    return state >= _SOFT


def two_cards(first: int, second: int) -> int:
    """Return the state of a hand of two cards, each given by its value."""
    return add(add(0, first), second)


def is_natural(first: int, second: int) -> bool:
    """Return whether two cards are an ace and a card with the value 10."""
    return {first, second} == {ACE, TEN}


NEXT: Final[tuple[tuple[int, ...], ...]] = tuple(
    tuple(add(state, value) if value else state for value in (0, *VALUES_OF_CARDS)) for state in range(STATES)
)
"""The state after another card, indexed by state, then by value."""

GROWING: Final[tuple[int, ...]] = (*range(11), *range(_SOFT + 11, _SOFT + MOST + 1), *range(11, MOST + 1))
"""The states in an order in which no card leads to an earlier one: low totals, soft totals, hard totals."""


def full_shoe(decks: int) -> list[int]:
    """Return the number of cards of each value in full decks."""
    counts = [0] * (TEN + 1)
    for value in VALUES.values():
        counts[ACE if value == 11 else value] += decks
    return counts


def without(shoe: Sequence[int], *values: int) -> list[int]:
    """Return a shoe with one card less of each of these values."""
    left = list(shoe)
    for value in values:
        left[value] -= 1
    return left


def shares(shoe: Sequence[int]) -> list[float]:
    """Return the probability of each value for the next card."""
    number = sum(shoe)
    return [cards / number for cards in shoe]


def draw(reached: list[float], state: int, drawn: Sequence[float]) -> None:
    """Draw one card in `state`: add its probability, weighted by `drawn`, to the next states in `reached`."""
    weight = reached[state]
    for after, share in zip(NEXT[state], drawn, strict=True):
        reached[after] += weight * share


class Dealer:
    """The distribution of the dealer's result.

    `blackjack` is the probability of a Blackjack. `finals` are the probabilities of FINALS if the dealer has no
    Blackjack; they sum to 1. `chances` are the probabilities of FINALS, followed by that of a Blackjack; all of these
    sum to 1.
    """

    def __init__(self, drawn: Sequence[float], up: int) -> None:
        """Draw the hole card and all further cards with the probabilities `drawn`, by value."""
        self.blackjack = drawn[TEN] if up == ACE else drawn[ACE] if up == TEN else 0.0
        reached = [0.0] * STATES
        for value in VALUES_OF_CARDS:
            if not is_natural(up, value):
                reached[two_cards(up, value)] = drawn[value] / (1 - self.blackjack)
        for state in GROWING:
            if reached[state] and points(state) < STANDS_ON:
                draw(reached, state, drawn)
        stood = [reached[total] + reached[_SOFT + total] for total in range(STANDS_ON, MOST + 1)]
        self.finals = (*stood, reached[FINALS[-2]], sum(reached[FINALS[-1] : BUSTS_WITH.stop]))
        self.chances = (*((1 - self.blackjack) * chance for chance in self.finals), self.blackjack)
