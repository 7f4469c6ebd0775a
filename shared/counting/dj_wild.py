"""Counts DJ Wild: each hand's wins and losses against all dealer hands, and whether raising is profitable.

Wild cards are interchangeable, so a hand is represented by its natural ranks, its number of wild cards, and whether the
natural cards are of one suit. The number of dealer hands with given ranks is a product over the ranks; for dealer hands
of one suit, the suits that still have all these ranks are counted. So all five-card hands from the 53 cards are counted
against all dealer hands, and hands that differ only by an exchange of suits are counted together.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from math import comb
from typing import Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from shared.cards import JOKER, RANKS, SUITS, Card
from shared.cards.ranking.deuces_wild import WildCategory, rank_with_wilds, wild_category_of
from shared.rules.dj_wild.classes import HAND, WILDS

Ints = npt.NDArray[np.int64]

NAME: Final = "dj-wild"
PATH: Final = "shared/rules/dj_wild/stands.yaml"
NATURALS: Final = tuple(rank for rank in RANKS if rank != "2")
DEALS: Final = comb(len(NATURALS) * len(SUITS) + WILDS - HAND, HAND)
"""The number of dealer hands that are possible against any hand."""


class Stand(NamedTuple):
    """Hands of a category with equal results: their number, and the dealer hands that each beats and loses to."""

    category: WildCategory
    hands: int
    wins: int
    losses: int

    @property
    def is_raised(self) -> bool:
        """Return whether a Raise Wager has a higher expected value than a fold, if a winning Blind Wager only pushes.

        The raise is twice the ante: a win gains three units and a loss costs four; a fold costs two.
        """
        return 3 * self.wins - 4 * self.losses > -2 * DEALS


class _Ranks(NamedTuple):
    """The ranks of a hand: natural ranks as indexes of `NATURALS`, and the number of wild cards."""

    places: tuple[int, ...]
    wilds: int


def count_stands() -> Iterator[Stand]:
    """Yield the results of all hands, by ranks and suit pattern: C(53, 5) hands in total."""
    for ranks in _every_ranks():
        yield from stands_of(ranks.places, ranks.wilds)


def stands_of(places: Sequence[int], wilds: int) -> Iterator[Stand]:
    """Yield the results of the hands with these natural ranks and number of wild cards."""
    dealer = _dealer()
    held = np.bincount(np.array(places, np.int64), minlength=len(NATURALS))
    ways = _CHOOSE[len(SUITS) - held, dealer.copies].prod(axis=1) * _CHOOSE[WILDS - wilds, dealer.wilds]
    suited_ways = _CHOOSE[WILDS - wilds, dealer.suited_wilds]
    for suited, patterns in _patterns(tuple(Counter(places).values())):
        if not patterns:
            continue
        rank = _rank(tuple(places), wilds, suited=suited)
        lower = int(ways[dealer.ranks < rank].sum())
        higher = int(ways[dealer.ranks > rank].sum())
        # Corrections: dealer hands of one suit were counted above with the rank that they have in several suits.
        up = dealer.suited_ranks, dealer.unsuited_ranks
        less = suited_ways * ((up[0] < rank).astype(np.int64) - (up[1] < rank))
        more = suited_ways * ((up[0] > rank).astype(np.int64) - (up[1] > rank))
        distinct = tuple(dict.fromkeys(places))
        for pattern, number in patterns.items():
            free = np.zeros(len(less), np.int64)
            for suit in pattern:
                free += (dealer.suited_masks & sum(1 << distinct[place] for place in suit)) == 0
            hands = number * comb(WILDS, wilds)
            wins, losses = lower + int(free @ less), higher + int(free @ more)
            yield Stand(wild_category_of(rank), hands, wins, losses)


class _Dealer(NamedTuple):
    """Arrays over the dealer's possible hands by ranks; the last four cover only the hands that can be of one suit."""

    copies: Ints
    wilds: Ints
    ranks: Ints
    suited_masks: Ints
    suited_wilds: Ints
    suited_ranks: Ints
    unsuited_ranks: Ints


@cache
def _dealer() -> _Dealer:
    every = list(_every_ranks())
    suitable = [ranks for ranks in every if _can_be_suited(ranks.places)]
    return _Dealer(
        copies=np.array([np.bincount(np.array(one.places, np.int64), minlength=len(NATURALS)) for one in every]),
        wilds=np.array([one.wilds for one in every]),
        ranks=np.array([_rank(one.places, one.wilds, suited=False) for one in every]),
        suited_masks=np.array([sum(1 << place for place in one.places) for one in suitable]),
        suited_wilds=np.array([one.wilds for one in suitable]),
        suited_ranks=np.array([_rank(one.places, one.wilds, suited=True) for one in suitable]),
        unsuited_ranks=np.array([_rank(one.places, one.wilds, suited=False) for one in suitable]),
    )


_CHOOSE: Final = np.array([[comb(cards, taken) for taken in range(HAND + 1)] for cards in range(HAND + 1)])


def _every_ranks() -> Iterator[_Ranks]:
    for wilds in range(WILDS + 1):
        for places in combinations_with_replacement(range(len(NATURALS)), HAND - wilds):
            if max(Counter(places).values(), default=0) <= len(SUITS):
                yield _Ranks(places, wilds)


def _can_be_suited(places: Sequence[int]) -> bool:
    """Return whether natural cards can be of one suit and then form another hand: two or more, no rank twice."""
    return len(places) > 1 and len(set(places)) == len(places)


@cache
def _rank(places: tuple[int, ...], wilds: int, *, suited: bool) -> int:
    cards = [NATURALS[place] + SUITS[0 if suited else order % len(SUITS)] for order, place in enumerate(places)]
    wild = [*("2" + suit for suit in SUITS), JOKER][:wilds]
    return rank_with_wilds(cast("tuple[Card, ...]", (*cards, *wild)))


_Pattern = tuple[tuple[int, ...], ...]
"""For each suit, the ranks that a hand holds in it, as indexes of the hand's distinct ranks."""


@cache
def _patterns(copies: tuple[int, ...]) -> tuple[tuple[bool, Counter[_Pattern]], ...]:
    """Return the suit patterns of ranks with these numbers of copies, separately for cards of one suit (True) or not.

    Each pattern is mapped to its number of suit assignments.
    """
    found: dict[bool, Counter[_Pattern]] = {False: Counter(), True: Counter()}
    for held in product(*(combinations(range(len(SUITS)), number) for number in copies)):
        suits = [tuple(place for place, taken in enumerate(held) if suit in taken) for suit in range(len(SUITS))]
        suited = len(copies) > 1 and max(copies) == 1 and max(map(len, suits)) == len(copies)
        found[suited][tuple(sorted(suits))] += 1
    return tuple(found.items())


def counts_text() -> str:
    """Return the content of the file of counts: raised and folded hands, by category."""
    sums: dict[tuple[bool, WildCategory], list[int]] = {}
    for stand in count_stands():
        entry = sums.setdefault((stand.is_raised, stand.category), [0, 0, 0])
        for place, number in enumerate((1, stand.wins, stand.losses)):
            entry[place] += stand.hands * number
    text = ""
    for raised, heading in ((True, "raised"), (False, "folded")):
        rows = {category: row for (is_raised, category), row in sorted(sums.items()) if is_raised == raised}
        text += f"{heading}:\n" + "".join(
            f"  {category.name}: [{', '.join(map(str, row))}]\n" for category, row in rows.items()
        )
    return text
