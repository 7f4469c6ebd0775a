"""High and low hands with a joker, ranked in another way than the settlement does: names and sorted places of ranks."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, product

RANKS = "23456789TJQKA"
DECK = [rank + suit for rank in RANKS for suit in "shdc"] + ["Jk"]
# The order of straights: ace to five stands between ace-high and king-high, and above all straight flushes.
_STRAIGHTS = ["23456", "34567", "45678", "56789", "6789T", "789TJ", "89TJQ", "9TJQK", "A2345", "TJQKA"]
_COMPLETED = (4, 5, 8, 9)

Rank = tuple[int, ...]
"""The place of the category, then what decides inside it; a category has the same place for high and low hands."""


def rank_natural(cards: Sequence[str], *, wheel_lowest: bool = False) -> Rank:
    """Return the rank of five cards without a joker; an ace may be there five times."""
    values = [RANKS.index(card[0]) for card in cards]
    groups = sorted(((count, value) for value, count in Counter(values).items()), reverse=True)
    shape, order = tuple(count for count, _ in groups), tuple(value for _, value in groups)
    flush = len({card[1] for card in cards}) == 1
    held = {card[0] for card in cards}
    straight = next((place for place, ranks in enumerate(_STRAIGHTS) if held == set(ranks)), None)
    if straight == 8 and wheel_lowest:
        straight = -1
    if shape == (5,):
        return (10,)
    if straight is not None and flush:
        return (9,) if straight == 9 else (8, straight)
    if shape == (4, 1):
        return (7, *order)
    if shape == (3, 2):
        return (6, *order)
    if flush:
        return (5, *order)
    if straight is not None:
        return (4, straight)
    return ({(3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}.get(shape, 0), *order)


def rank_high(cards: Sequence[str], *, wheel_lowest: bool = False) -> Rank:
    """Return the rank of a high hand: the joker as an ace, or as each card that completes a straight or a flush."""
    if "Jk" not in cards:
        return rank_natural(cards, wheel_lowest=wheel_lowest)
    rest = [card for card in cards if card != "Jk"]
    # As an ace it has no suit, so it is no part of a flush and may be a fifth ace.
    ranks = [rank_natural([*rest, "A?"], wheel_lowest=wheel_lowest)]
    for card in DECK[:-1]:
        if card not in rest:
            rank = rank_natural([*rest, card], wheel_lowest=wheel_lowest)
            if rank[0] in _COMPLETED:
                ranks.append(rank)
    return max(ranks)


def rank_low(cards: Sequence[str]) -> Rank:
    """Return the rank of a low hand, the joker as an ace."""
    values = sorted((RANKS.index("A" if card == "Jk" else card[0]) for card in cards), reverse=True)
    return (1, values[0]) if values[0] == values[1] else (0, *values)


def high_of(seven: Sequence[str], below: Sequence[str]) -> list[str]:
    """Return the cards that are not low."""
    return [card for card in seven if card not in below]


def is_fouled(seven: Sequence[str], below: Sequence[str]) -> bool:
    """Return whether a hand was not set correctly: not two cards low, or a low hand above the high hand."""
    return len(below) != 2 or rank_high(high_of(seven, below))[:3] < rank_low(below)


def correct_lows(seven: Sequence[str]) -> list[list[str]]:
    """Return all low hands that leave a high hand that is not lower."""
    return [list(two) for two in combinations(seven, 2) if not is_fouled(seven, two)]


def unpaired_ranks() -> Iterator[tuple[int, ...]]:
    """Yield seven different values through which no straight runs, and six with which the joker makes none."""
    yield from (values for values in combinations(range(2, 15), 7) if not _runs(values, 5))
    yield from (values for values in combinations(range(2, 14), 6) if not _runs(values, 4))


@cache
def suits_without_flush(cards: int) -> int:
    """Return in how many ways seven cards get suits without five alike, or six without four beside the joker."""
    most = 4 if cards == 7 else 3
    return sum(max(map(suits.count, "shdc")) <= most for suits in product("shdc", repeat=cards))


def _runs(values: tuple[int, ...], needed: int) -> bool:
    """Return whether any five ranks in sequence, an ace at either end, hold so many of these."""
    low_ace = {1 if value == 14 else value for value in values}
    windows = [set(range(low, low + 5)) for low in range(1, 11)]
    return any(max(len(window & set(values)), len(window & low_ace)) >= needed for window in windows)
