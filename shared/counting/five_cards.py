"""Counts five-card hands of two hole cards and the Flop, for the progressives of Texas Hold 'Em Bonus Poker."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Final

from shared.cards import RANKS, StandardCard
from shared.cards.ranking import rank_five
from shared.cards.ranking.standard import CATEGORY_SHIFT, Category
from shared.counting.holdem import deck, kind_of

NAME: Final = "five-cards"
PATH: Final = "shared/rules/holdem/five_cards.yaml"
ROWS: Final = tuple(
    category.name for category in Category if Category.three_of_a_kind <= category < Category.five_of_a_kind
)


def count_five_cards(cards: Sequence[StandardCard] | None = None) -> dict[str, list[int]]:
    """Return, by kind of two hole cards, the number of ways to form each of `ROWS` with three other cards."""
    least = Category.three_of_a_kind << CATEGORY_SHIFT
    found: Counter[tuple[str, int]] = Counter()
    for five in combinations(deck(RANKS) if cards is None else cards, 5):
        rank = rank_five(five)
        if rank >= least:
            row = (rank >> CATEGORY_SHIFT) - Category.three_of_a_kind
            found.update((kind_of(hole), row) for hole in combinations(five, 2))
    kinds = sorted({kind_of(hole) for hole in combinations(deck(RANKS), 2)})
    return {kind: [found[kind, row] for row in range(len(ROWS))] for kind in kinds}


def counts_text() -> str:
    """Return the content of the file of counts."""
    return "".join(f'"{kind}": [{", ".join(map(str, row))}]\n' for kind, row in count_five_cards().items())
