"""Poker hands ranked in the slow, obvious way, as a second opinion: names of categories and sorted values."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

CATEGORIES = (
    "high_card",
    "pair",
    "two_pair",
    "three_of_a_kind",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
    "royal_flush",
)
_RANKS = "23456789TJQKA"

Standing = tuple[int, list[int]]
"""The place of the category in `CATEGORIES`, then the places of the ranks in the order in which they decide."""


def standing(cards: Sequence[str]) -> Standing:
    """Return where five cards stand among all hands: the greater standing wins, equal ones are a tie."""
    ranks = Counter(_RANKS.index(card[0]) for card in cards)
    decide = sorted(ranks, key=lambda rank: (ranks[rank], rank), reverse=True)
    in_sequence = decide[0] - decide[-1] == 4 and len(ranks) == 5
    if decide == [12, 3, 2, 1, 0]:
        in_sequence, decide = True, [3, 2, 1, 0, -1]
    one_suit = len({card[1] for card in cards}) == 1
    shape = sorted(ranks.values(), reverse=True)
    if in_sequence and one_suit:
        category = "royal_flush" if decide[0] == 12 else "straight_flush"
    elif shape[0] == 4:
        category = "four_of_a_kind"
    elif shape == [3, 2]:
        category = "full_house"
    elif one_suit:
        category = "flush"
    elif in_sequence:
        category = "straight"
    elif shape[0] == 3:
        category = "three_of_a_kind"
    elif shape[:2] == [2, 2]:
        category = "two_pair"
    else:
        category = "pair" if shape[0] == 2 else "high_card"
    return CATEGORIES.index(category), decide


def best_standing(cards: Sequence[str]) -> Standing:
    """Return where the best five of five or more cards stand: every five of them is tried."""
    return max(standing(five) for five in combinations(cards, 5))
