"""Exact numbers of seven-card hands by kind, from one deck with a joker. Counting takes a second or two.

154,143,080 hands fall into about 300,000 classes. The hands of a class have the same ranks, and the same ranks in the
one suit that can make a flush. Rankings of poker hands do not distinguish them, so one hand represents its class.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement, cycle, groupby
from math import comb
from typing import Final, NamedTuple, TypeVar, cast, get_args

from shared.cards._deck import JOKER, RANKS, SUITS
from shared.cards._names import Card, StandardCard

_Kind = TypeVar("_Kind")

_HAND: Final = 7
_FLUSH: Final = 5
_ROYAL: Final = frozenset(RANKS[:_FLUSH])
_CARDS: Final[dict[tuple[str, str], Card]] = {
    (card[0], card[1]): card for card in cast("tuple[Card, ...]", get_args(StandardCard))
}
_FLUSH_SUIT: Final = SUITS[0]
_OTHER_SUITS: Final = SUITS[1:]


class HandClass(NamedTuple):
    """A class of hands that no ranking distinguishes: an example of the hands, and their number."""

    cards: tuple[Card, ...]
    hands: int


@cache
def count_seven_cards(kind: Callable[[tuple[Card, ...]], _Kind]) -> Counter[_Kind]:
    """Return kind -> number of seven-card hands of that kind, from 52 cards and a joker.

    `kind` may depend only on the ranks, straights and flushes, the joker, and whether the two cards outside the four or
    five cards of a royal flush are suited. Hands that differ in anything else are counted as one class.
    """
    counts: Counter[_Kind] = Counter()
    for cards, hands in seven_card_classes():
        counts[kind(cards)] += hands
    return counts


def seven_card_classes(*, ranks: str = RANKS) -> Iterator[HandClass]:
    """Yield the classes of seven-card hands from four suits of `ranks`, in the order of `RANKS`, and a joker.

    >>> sum(hands for _, hands in seven_card_classes(ranks="AKQ")) == comb(13, 7)
    True
    """
    yield from _classes(ranks, ())
    yield from _classes(ranks, (JOKER,))


def _classes(ranks: str, jokers: tuple[Card, ...]) -> Iterator[HandClass]:
    cards = _HAND - len(jokers)
    for dealt in combinations_with_replacement(ranks, cards):
        copies = {rank: len(list(group)) for rank, group in groupby(dealt)}
        if max(copies.values()) > len(SUITS):
            continue
        hands = 1
        for count in copies.values():
            hands *= comb(len(SUITS), count)
        # Five cards of a suit, or four and the joker; only one suit can have them.
        for size in range(_FLUSH - len(jokers), len(copies) + 1):
            for suited in combinations(copies, size):
                for flush in _flushes(copies, suited, jokers):
                    hands -= flush.hands
                    yield flush
        yield HandClass(_in_turn(dealt, SUITS) + jokers, hands)


def _flushes(copies: dict[str, int], suited: Sequence[str], jokers: tuple[Card, ...]) -> Iterator[HandClass]:
    """Yield the classes of hands whose flush suit has exactly the ranks `suited`."""
    rest: list[str] = []
    hands = len(SUITS)
    for rank, count in copies.items():
        others = count - (rank in suited)
        hands *= comb(len(_OTHER_SUITS), others)
        rest += [rank] * others
    flush = _in_turn(suited, _FLUSH_SUIT)
    if len(set(rest)) == 2 and _ROYAL.issuperset(suited):
        # For a Royal Match the two cards besides a royal flush are of one suit: 3 of their 9 pairs of suits.
        matched = hands // len(_OTHER_SUITS)
        yield HandClass(flush + _in_turn(rest, _OTHER_SUITS[:1]) + jokers, matched)
        hands -= matched
    yield HandClass(flush + _in_turn(rest, _OTHER_SUITS) + jokers, hands)


def _in_turn(ranks: Sequence[str], suits: Sequence[str]) -> tuple[Card, ...]:
    """Return cards of these ranks, equal ones adjacent, with the suits in rotation."""
    return tuple([_CARDS[pair] for pair in zip(ranks, cycle(suits), strict=False)])
