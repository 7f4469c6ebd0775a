"""The standard ranking of poker hands: the best five of five to seven cards, exact on ties and kickers.

A hand's rank is an integer: the higher rank wins, equal ranks are a tie. Its upper bits are the category; below them
are five values of four bits each, in the order in which they decide. `pack` composes a rank, and `category_of` and
`values_of` read its parts.
"""

from collections.abc import Iterable, Sequence
from enum import IntEnum
from itertools import combinations
from typing import Final, cast, get_args

from shared.cards._deck import RANKS, SUITS
from shared.cards._names import Card, StandardCard


class Category(IntEnum):
    """The categories of five-card poker hands, lowest first. Five of a kind needs a wild card."""

    high_card = 0
    pair = 1
    two_pair = 2
    three_of_a_kind = 3
    straight = 4
    flush = 5
    full_house = 6
    four_of_a_kind = 7
    straight_flush = 8
    royal_flush = 9
    five_of_a_kind = 10


ACE: Final = 14
"""The value of an ace; the other ranks count down from 13 for a king to 2."""

VALUES: Final[dict[str, int]] = {rank: ACE - position for position, rank in enumerate(RANKS)}
"""The value of each rank of `RANKS`, 14 for an ace down to 2."""

CATEGORY_SHIFT: Final = 20
"""The bit position of the category in a rank, above the values."""

_CATEGORIES: Final = tuple(Category)
_VALUE_SHIFTS: Final = (16, 12, 8, 4, 0)


def pack(category: IntEnum, values: Iterable[int] = ()) -> int:
    """Return the rank of a hand: a `category` of this or another ranking, and up to five values that decide in order.

    >>> pack(Category.pair, (9, 14, 5, 3)) < pack(Category.pair, (10, 5, 3, 2))
    True
    """
    rank = category << CATEGORY_SHIFT
    for shift, value in zip(_VALUE_SHIFTS, values, strict=False):
        rank |= value << shift
    return rank


def category_of(rank: int) -> Category:
    """Return the category of a hand of this rank.

    >>> category_of(rank_five(["As", "Ks", "Qs", "Js", "Ts"])).name
    'royal_flush'
    """
    return _CATEGORIES[rank >> CATEGORY_SHIFT]


def values_of(rank: int) -> tuple[int, ...]:
    """Return the values that decide within the category, most significant first.

    >>> values_of(rank_five(["9s", "9h", "Ad", "5c", "3s"]))
    (9, 14, 5, 3)
    """
    return tuple(value for shift in _VALUE_SHIFTS if (value := rank >> shift & 15))


def rank_five(cards: Sequence[Card]) -> int:
    """Return the rank of exactly five cards of one standard deck; raise `ValueError` for another number or a joker."""
    if len(cards) != 5:
        raise ValueError(f"a poker hand has 5 cards, not {len(cards)}")
    return rank_best(cards)


def rank_best(cards: Sequence[Card]) -> int:
    """Return the rank of the best five of five to seven cards of one standard deck.

    Raise `ValueError` for another number of cards and for a card that is not in a standard deck.
    """
    if not 5 <= len(cards) <= 7:
        raise ValueError(f"the best hand is formed from 5 to 7 cards, not {len(cards)}")
    try:
        counts = sum([_COUNTS[card] for card in cards])
    except KeyError as error:
        raise ValueError(f"{error.args[0]!r} is not a card of a standard deck") from None
    flush = (counts & _SUIT_COUNTS) + _FIVE_OVERFLOWS & _OVERFLOWED
    if not flush:
        return _OFFSUIT[counts >> _RANKS_SHIFT]
    # With five cards of a suit among seven, a full house or four of a kind is impossible.
    suit = SUITS[flush.bit_length() // 4 - 1]
    return _SUITED[sum([1 << VALUES[card[0]] for card in cards if card[1] == suit])]


def best_five(cards: Sequence[Card]) -> tuple[Card, ...]:
    """Return the five cards that form the best hand of five to seven, in the given order; of equal hands, the first.

    >>> best_five(["2c", "Ah", "Kd", "As", "Kc", "9h", "9d"])
    ('Ah', 'Kd', 'As', 'Kc', '9h')
    """
    best = rank_best(cards)
    return next(five for five in combinations(cards, 5) if rank_best(five) == best)


# A card adds one to the count of its suit (four bits, so that seven plus three does not carry) and one to the count of
# its rank (three bits). The sum over the cards has all counts of suits and ranks.
_RANKS_SHIFT: Final = 4 * len(SUITS)
_SUIT_COUNTS: Final = 0xFFFF
_FIVE_OVERFLOWS: Final = 0x3333
_OVERFLOWED: Final = 0x8888
_COUNTS: Final[dict[Card, int]] = {
    card: (1 << 4 * SUITS.index(card[1])) + (1 << _RANKS_SHIFT + 3 * (VALUES[card[0]] - 2))
    for card in cast(tuple[StandardCard, ...], get_args(StandardCard))
}


class _Offsuit(dict[int, int]):
    """Counts of ranks -> rank of the hand without a flush, computed on first use."""

    def __missing__(self, counts: int) -> int:
        rank = self[counts] = _rank_offsuit([counts >> 3 * (value - 2) & 7 if value > 1 else 0 for value in range(15)])
        return rank


class _Suited(dict[int, int]):
    """Bit mask of the values in the suit -> rank of the flush, computed on first use."""

    def __missing__(self, present: int) -> int:
        top = _straight(present)
        if top:
            rank = pack(Category.royal_flush if top == ACE else Category.straight_flush, (top,))
        else:
            rank = pack(Category.flush, [value for value in range(ACE, 1, -1) if present >> value & 1][:5])
        self[present] = rank
        return rank


_OFFSUIT: Final = _Offsuit()
_SUITED: Final = _Suited()


def _rank_offsuit(counts: Sequence[int]) -> int:
    """Return the rank of the best five cards without a flush; `counts[value]` is the number of cards of that value."""
    # Most frequent value first, and of equally frequent values the highest first.
    groups = sorted(((count, value) for value, count in enumerate(counts) if count), reverse=True)
    (most, first), (next_most, second) = groups[:2]

    def kickers(number: int, *used: int) -> list[int]:
        return sorted((value for _, value in groups if value not in used), reverse=True)[:number]

    if most >= 4:
        return pack(Category.four_of_a_kind, (first, *kickers(1, first)))
    if most == 3 and next_most >= 2:
        return pack(Category.full_house, (first, max(value for count, value in groups[1:] if count >= 2)))
    top = _straight(sum(1 << value for _, value in groups))
    if top:
        return pack(Category.straight, (top,))
    if most == 3:
        return pack(Category.three_of_a_kind, (first, *kickers(2, first)))
    if next_most == 2:
        return pack(Category.two_pair, (first, second, *kickers(1, first, second)))
    if most == 2:
        return pack(Category.pair, (first, *kickers(3, first)))
    return pack(Category.high_card, kickers(5))


def _straight(present: int) -> int:
    """Return the top value of the best straight in a bit mask of values, 5 for A-2-3-4-5; 0 without a straight."""
    present |= present >> ACE << 1  # an ace is also the 1 below the 2
    runs = present & present >> 1 & present >> 2 & present >> 3 & present >> 4
    return runs.bit_length() + 3 if runs else 0
