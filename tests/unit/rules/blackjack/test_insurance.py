"""Insurance: what it pays back by the number of decks, and that no two cards of one's own make it worth taking."""

from fractions import Fraction
from itertools import product

import pytest

from shared.rules import parse_submission, play


@pytest.mark.parametrize("decks", range(1, 9))
def test_insurance_is_never_worth_taking_on_ones_own_two_cards(decks: int) -> None:
    """Counted card by card: with no card of value 10 among the two it pays back most, and that is less than all."""
    hole: dict[int, list[Fraction]] = {}
    tens, others = 16 * decks, 36 * decks - 1
    for own in product((True, False), repeat=2):
        left = tens - sum(own)
        hole.setdefault(sum(own), []).append(Fraction(3 * left, tens + others - 2))
    assert max(hole) == 2
    assert all(back < 1 for backs in hole.values() for back in backs)
    chances = {0: others * (others - 1), 1: 2 * tens * others, 2: tens * (tens - 1)}
    mean = sum(Fraction(chances[held], (tens + others) * (tens + others - 1)) * hole[held][0] for held in chances)
    assert mean == play("pa-633a-2024", "insurance", parse_submission({"decks": decks})).payback
