"""Two hands from one deck: the number of deals in which the first hand loses, by its category.

Kinds of hands are counted instead of single hands. Inclusion and exclusion give the number of hands of one kind that
can be dealt next to a hand of another kind: if one hand has m cards of a rank and the other has d, the number C(4 - m,
d) is the sum over s of (-1)^s C(m, s) C(4 - s, d - s), a product with one factor for each hand. So for each choice of
s, the kinds are processed once from the highest rank down, with a running sum over the higher kinds.

The probability that the natural cards of a kind have one suit does not depend on the other hand, unless both hands are
distinguished by suit: two suited hands with k ranks in common can be dealt in 12 ways (16 if k is 0), but the product
of both probabilities would give 16 (3/4)^k. The difference is a sum over the common ranks too, and is added for the
kinds that are distinguished by suit.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import combinations, groupby, product
from math import comb, prod
from operator import itemgetter
from typing import Final, NamedTuple

from shared.cards import SUITS
from shared.cards.ranking.deuces_wild import WildCategory, rank_with_wilds, wild_category_of
from shared.rules.dj_wild.classes import HAND, WILDS, Kind, kinds
from shared.rules.packaged import packaged

_WILD: Final = "wild"
_SHARES: Final = len(SUITS) ** (HAND - 1)
"""The denominator of the probabilities that a kind has one suit."""

_Common = tuple[tuple[str, int], ...]
"""(rank, number) of common cards chosen by inclusion and exclusion; `suited` ranks are those of the correction."""


class _Term(NamedTuple):
    rank: int
    as_first: int
    as_second: int


COUNTS: Final = "losing_hands.yaml"


@cache
def losing_hands() -> Mapping[WildCategory, int]:
    """Return the number of deals of two hands, of C(53, 5) C(48, 5), in which the first has the category and loses.

    Counting takes a second, so the counts are stored next to this module. `pitledger payback recompute losing-hands`
    counts them again.
    """
    counted: dict[str, int] = packaged(__package__, COUNTS)
    return {WildCategory[name]: deals for name, deals in counted.items()}


def counts_text() -> str:
    """Return the content of the stored file: one line for each category, with its number of deals."""
    return "".join(f"{category.name}: {deals}\n" for category, deals in count_losing_hands().items())


def count_losing_hands() -> Mapping[WildCategory, int]:
    """Count the deals that `losing_hands` returns from the stored file."""
    terms: dict[_Common, list[_Term]] = defaultdict(list)
    for kind in kinds():
        rank = rank_with_wilds(kind.example)
        for common, as_first, as_second in _by_cards(kind):
            terms[common].append(_Term(rank, as_first, as_second))
        for common, as_first, as_second in _by_suits(kind):
            terms[common].append(_Term(rank, as_first, as_second))
    found: Counter[WildCategory] = Counter()
    for entries in terms.values():
        entries.sort(key=itemgetter(0), reverse=True)
        above = 0
        for rank, equal in groupby(entries, key=itemgetter(0)):
            tied = list(equal)
            found[wild_category_of(rank)] += above * sum(term.as_first for term in tied)
            above += sum(term.as_second for term in tied)
    return {category: count // _SHARES**2 for category, count in found.items()}


def _by_cards(kind: Kind) -> Iterator[tuple[_Common, int, int]]:
    """Yield (common cards, factor as first hand, factor as second hand) for a kind of hand.

    Each factor includes the probability, in units of 1 / `_SHARES`, that cards of these ranks have the kind's suits.
    """
    counts = Counter(card[0] for card in kind.naturals)
    copies = [(rank, len(SUITS), count) for rank, count in counts.items()]
    if kind.wilds:
        copies.append((_WILD, WILDS, kind.wilds))
    share = _SHARES * kind.ways // prod(comb(len(SUITS), count) for count in counts.values())
    for numbers in product(*(range(held + 1) for _, _, held in copies)):
        chosen = list(zip(copies, numbers, strict=True))
        first = prod(comb(all_, held) * comb(held, number) for (_, all_, held), number in chosen)
        second = prod(comb(all_ - number, held - number) for (_, all_, held), number in chosen)
        sign = -1 if sum(numbers) % 2 else 1
        yield tuple((rank, number) for (rank, _, _), number in chosen if number), sign * share * first, share * second


def _by_suits(kind: Kind) -> Iterator[tuple[_Common, int, int]]:
    """Yield corrections of the factors from `_by_cards` for two hands that are both distinguished by suit."""
    if kind.suited is None:
        return
    sign = 1 if kind.suited else -1
    ranks = [card[0] for card in kind.naturals]
    for size in range(2, len(ranks) + 1):
        difference = 4 * (-1) ** size * _SHARES**2 - 16 * (-1) ** size * _SHARES**2 // 4**size
        for common in combinations(ranks, size):
            for wilds in range(kind.wilds + 1):
                first = comb(WILDS, kind.wilds) * comb(kind.wilds, wilds) * (-1) ** wilds
                second = comb(WILDS - wilds, kind.wilds - wilds)
                key = (*((f"suited {rank}", 1) for rank in common), (_WILD, wilds))
                yield key, sign * difference * first, sign * second
