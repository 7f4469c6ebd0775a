"""What two cards are in the bonus paytables, and two cards with the Flop in the others."""

from collections import Counter
from itertools import combinations
from typing import cast

import pytest

from shared.cards import StandardCard, standard_deck
from shared.rules.holdem.hands import five_card_category, two_card_category
from tests.support.cards import standard_cards_named


@pytest.mark.parametrize(
    ("hand", "category"),
    [
        ("As Ad", "ace_ace"),
        ("Kc Ac", "ace_king_suited"),
        ("Kc Ad", "ace_king_unsuited"),
        ("Ah Qh", "ace_queen_or_ace_jack_suited"),
        ("Jh Ah", "ace_queen_or_ace_jack_suited"),
        ("Ah Qs", "ace_queen_or_ace_jack_unsuited"),
        ("Jd Ah", "ace_queen_or_ace_jack_unsuited"),
        ("Kh Kd", "king_king_queen_queen_or_jack_jack"),
        ("Qh Qd", "king_king_queen_queen_or_jack_jack"),
        ("Jh Jd", "king_king_queen_queen_or_jack_jack"),
        ("Ts Tc", "pair_of_tens_through_twos"),
        ("2s 2c", "pair_of_tens_through_twos"),
        ("Ah Th", None),
        ("Kh Qh", None),
        ("Ks Jd", None),
        ("7c 2d", None),
    ],
)
def test_two_cards_are_named(hand: str, category: str | None) -> None:
    """Each row has its hands, whatever the order of the cards; neighbors of a row have none."""
    assert category == two_card_category(standard_cards_named(hand))


def test_two_card_categories_are_as_frequent_as_they_must_be() -> None:
    """Of 1,326 hands of two cards: 6 of each pair, 4 of two ranks suited, 12 unsuited."""
    counted = Counter(
        two_card_category(cast("tuple[StandardCard, ...]", pair)) for pair in combinations(standard_deck(), 2)
    )
    assert {
        "ace_ace": 6,
        "ace_king_suited": 4,
        "ace_king_unsuited": 12,
        "ace_queen_or_ace_jack_suited": 8,
        "ace_queen_or_ace_jack_unsuited": 24,
        "king_king_queen_queen_or_jack_jack": 18,
        "pair_of_tens_through_twos": 54,
        None: 1200,
    } == counted


@pytest.mark.parametrize(
    ("hand", "flop", "category"),
    [
        ("As Ks", "Qs Js Ts", "royal_flush"),
        ("As 2s", "3s 4s 5s", "straight_flush"),
        ("7s 7h", "7d 7c Kd", "four_of_a_kind"),
        ("7s 7h", "7d Kc Kd", "full_house"),
        ("As 2s", "3s 4s 9s", "flush"),
        ("As 2h", "3s 4s 5s", "straight"),
        ("Ah 2c", "7d 7c 7h", "three_of_a_kind"),
        ("Ah Ac", "7d 7c 8h", None),
        ("Ah Ac", "7d 9c 8h", None),
    ],
)
def test_five_cards_are_named_from_three_of_a_kind_up(hand: str, flop: str, category: str | None) -> None:
    """Below three-of-a-kind no wager of the game pays, so the category does not matter."""
    assert category == five_card_category(standard_cards_named(hand), standard_cards_named(flop))
