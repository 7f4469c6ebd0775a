"""Point counts."""

import pytest

from shared.rules.blackjack.totals import first_full, is_blackjack, total
from tests.support.cards import standard_cards_named


@pytest.mark.parametrize(
    ("cards", "points"),
    [
        ("Th 9d", 19),
        ("As 6d", 17),
        ("As 6d Th", 17),
        ("As Ah", 12),
        ("As Ah Ad Ac", 14),
        ("As Ah 9c", 21),
        ("Th 5d 9c", 24),
        ("As Th Kd 5c", 26),
        ("As", 11),
        ("", 0),
    ],
)
def test_an_ace_is_11_unless_that_would_exceed_21(cards: str, points: int) -> None:
    """Each ace counts 11 as long as the total stays at 21 or less (§ 633a.3(e)(3))."""
    assert points == total(standard_cards_named(cards))


@pytest.mark.parametrize(
    ("cards", "count"),
    [("Th 9d", None), ("As Kd", 2), ("Ah 5d 5s 2c", 3), ("Th 5d 9c", 3), ("Th 2d 3h", None), ("As Ad", None)],
)
def test_a_hand_is_full_at_the_card_that_makes_21_or_more(cards: str, count: int | None) -> None:
    """No further card may be drawn from there on (§ 633a.7(k)(1))."""
    assert count == first_full(standard_cards_named(cards))


def test_a_blackjack_is_an_ace_with_a_ten_value() -> None:
    """In either order; ace and nine is none (§ 633a.1)."""
    assert is_blackjack("As", "Qd")
    assert is_blackjack("Th", "Ac")
    assert not is_blackjack("As", "9d")
    assert not is_blackjack("Kh", "Qd")
