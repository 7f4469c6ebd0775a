"""The ranking of five-card hands from 53 cards in which the four deuces and the joker are wild, exact on ties.

A wild card takes any rank and suit. Five wild cards are the highest hand; five of a kind ranks between a straight
flush and a royal flush. In a flush a wild card is the highest card that the hand lacks. A hand without wild
cards ties with the same hand made with wild cards. Ranks are integers as in the standard ranking, but not comparable
with them, because the categories differ.
"""

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Final, cast, get_args

from shared.cards._deck import JOKER, SUITS
from shared.cards._names import Card
from shared.cards.ranking.standard import ACE, CATEGORY_SHIFT, VALUES, pack


class WildCategory(IntEnum):
    """The categories of five-card hands where deuces and the joker are wild, lowest first."""

    high_card = 0
    pair = 1
    two_pair = 2
    three_of_a_kind = 3
    straight = 4
    flush = 5
    full_house = 6
    four_of_a_kind = 7
    straight_flush = 8
    five_of_a_kind = 9
    royal_flush = 10
    five_wilds = 11


DEUCE: Final = VALUES["2"]

WILD_CARDS: Final[frozenset[Card]] = frozenset(
    card for card in cast("tuple[Card, ...]", get_args(Card)) if card == JOKER or card[0] == "2"
)
"""The four deuces and the joker."""

_CATEGORIES: Final = tuple(WildCategory)


def wild_category_of(rank: int) -> WildCategory:
    """Return the category of a hand of this rank.

    >>> wild_category_of(rank_with_wilds(["2s", "2h", "Jk", "Qs", "Ts"])).name
    'royal_flush'
    """
    return _CATEGORIES[rank >> CATEGORY_SHIFT]


def rank_with_wilds(cards: Sequence[Card]) -> int:
    """Return the rank of the best hand that five cards make; raise `ValueError` for another number of cards.

    >>> rank_with_wilds(["Kc", "Kd", "Kh", "2s", "Jk"]) > rank_with_wilds(["Qh", "Jh", "Th", "9h", "2c"])
    True
    """
    return _rank(cards, _WITH_FIVES)


def rank_without_fives(cards: Sequence[Card]) -> int:
    """Return the rank of the best hand that five cards make if five wilds and five of a kind do not count.

    Raise `ValueError` for another number of cards.

    >>> wild_category_of(rank_without_fives(["2c", "2d", "2h", "Kc", "Kd"])).name
    'four_of_a_kind'
    """
    return _rank(cards, _WITHOUT_FIVES)


# A natural card adds one to the count of its suit (four bits) and one to the count of its rank (three bits); a wild
# card adds one to every suit and one to the count of the deuces. The sum over the cards gives the ranks and the number
# of wild cards, and all natural cards are of one suit if some suit's count is five.
_RANKS_SHIFT: Final = 4 * len(SUITS)
_FIVE_OVERFLOWS: Final = 0x3333
_OVERFLOWED: Final = 0x8888
_SUIT_COUNTS: Final = 0xFFFF
_COUNTS: Final[dict[Card, int]] = {
    card: 0x1111 + (1 << _RANKS_SHIFT)
    if card in WILD_CARDS
    else (1 << 4 * SUITS.index(card[1])) + (1 << _RANKS_SHIFT + 3 * (VALUES[card[0]] - DEUCE))
    for card in cast("tuple[Card, ...]", get_args(Card))
}


class _Ranks(dict[tuple[int, bool], int]):
    """(counts of ranks, whether the hand is suited) -> rank of the hand, computed on first use."""

    def __init__(self, *, fives: bool) -> None:
        super().__init__()
        self._fives = fives

    def __missing__(self, key: tuple[int, bool]) -> int:
        counts, suited = key
        naturals = [value for value in range(ACE, DEUCE, -1) for _ in range(counts >> 3 * (value - DEUCE) & 7)]
        rank = self[key] = max(_candidates(naturals, counts & 7, suited=suited, fives=self._fives))
        return rank


_WITH_FIVES: Final = _Ranks(fives=True)
_WITHOUT_FIVES: Final = _Ranks(fives=False)


def _rank(cards: Sequence[Card], ranks: _Ranks) -> int:
    if len(cards) != 5:
        raise ValueError(f"a hand has 5 cards, not {len(cards)}")
    counts = sum([_COUNTS[card] for card in cards])
    return ranks[counts >> _RANKS_SHIFT, bool((counts & _SUIT_COUNTS) + _FIVE_OVERFLOWS & _OVERFLOWED)]


def _candidates(naturals: Sequence[int], wilds: int, *, suited: bool, fives: bool) -> Iterable[int]:
    """Yield the ranks of hands that `naturals` (values, descending) form with `wilds` wild cards."""
    if not naturals:
        yield pack(WildCategory.five_wilds) if fives else pack(WildCategory.royal_flush, (ACE,))
        return
    counts = {value: naturals.count(value) for value in naturals}
    if len(counts) == len(naturals):
        top = _straight_top(naturals)
        if top and suited:
            yield pack(WildCategory.royal_flush if top == ACE else WildCategory.straight_flush, (top,))
        elif top:
            yield pack(WildCategory.straight, (top,))
        if suited:
            missing = [value for value in range(ACE, 1, -1) if value not in counts]
            yield pack(WildCategory.flush, sorted([*naturals, *missing[:wilds]], reverse=True))
    yield _of_a_kind(counts, wilds, fives=fives)


def _of_a_kind(counts: dict[int, int], wilds: int, *, fives: bool) -> int:
    """Return the rank of the hand if every wild card takes the most frequent natural rank (in a tie, the highest)."""
    value, *others = sorted(counts, key=lambda value: (counts[value], value), reverse=True)
    alike = counts[value] + wilds
    if alike == 5:
        if fives:
            return pack(WildCategory.five_of_a_kind, (value,))
        return pack(WildCategory.four_of_a_kind, (value, ACE if value != ACE else ACE - 1))
    kickers = sorted(others, reverse=True)
    paired = counts[others[0]] == 2
    if alike == 4:
        return pack(WildCategory.four_of_a_kind, (value, *kickers))
    if alike == 3:
        return pack(WildCategory.full_house if paired else WildCategory.three_of_a_kind, (value, *kickers))
    if alike == 2:
        return pack(WildCategory.two_pair, (value, *others)) if paired else pack(WildCategory.pair, (value, *kickers))
    return pack(WildCategory.high_card, (value, *kickers))


def _straight_top(naturals: Sequence[int]) -> int:
    """Return the highest value of the best straight that contains these distinct values; 0 if there is none.

    An ace below the deuce counts as 1, so the lowest straight is A-2-3-4-5.
    """
    for top in range(ACE, 4, -1):
        run = range(top - 4, top + 1)
        if all(value in run or (value == ACE and 1 in run) for value in naturals):
            return top
    return 0
