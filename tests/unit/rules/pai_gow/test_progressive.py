"""Rhode Island's progressive hand types against trying every way to set seven cards; awards off the meter."""

from itertools import combinations
from random import Random
from typing import Any, Final

import pytest

from shared.cards import JOKER, Card, standard_deck
from shared.cards.ranking.pai_gow import HighHands, card_set, formed, low_rank
from shared.cards.ranking.standard import Category, category_of
from shared.rules import Settlement, catalogue, parse_round, parse_submission, settle
from shared.rules.pai_gow.progressive import HandTypes, formed_beside_pair
from shared.rules.submission import select

RHODE_ISLAND: Final = "ri-pai-gow"
RANK: Final = HighHands().rank
DOLLARS: Final = {
    "natural_royal_flush_and_pair": 10**6,
    "five_aces_and_pair": 10**6,
    "natural_royal_flush": 10**5,
    "five_aces": 10**5,
    "royal_flush_and_pair": 200,
    "royal_flush": 100,
    "straight_flush_and_pair": 50,
    "straight_flush": 25,
    "four_of_a_kind_and_pair": 40,
    "four_of_a_kind": 20,
    "full_house_and_pair": 10,
    "full_house": 5,
    "flush_and_pair": 6,
    "flush": 3,
    "straight_and_pair": 4,
    "straight": 2,
    "three_of_a_kind": 2,
}


def submission(paytable: str, rate: str = "0.3") -> Any:
    """Return a submission with the progressive payout wager."""
    meter = {"rate": rate, "reset": 1_000_000}
    return parse_submission({"wagers": {"progressive_payout": {"paytable": paytable, "meter": meter}}})


def obvious_dollars(seven: tuple[Card, ...]) -> int:
    """Return the highest amount on $1 over all ways to lay two cards aside; parts of the meter count as very much."""
    best = 0
    for pair in combinations(seven, 2):
        five = [card for card in seven if card not in pair]
        category = category_of(RANK(card_set(five)))
        name = "five_aces" if category is Category.five_of_a_kind else category.name
        if category is Category.royal_flush and JOKER not in five:
            name = "natural_royal_flush"
        beside = category_of(low_rank(card_set(pair))) is Category.pair
        best = max(best, DOLLARS.get(name, 0), DOLLARS.get(f"{name}_and_pair", 0) if beside else 0)
    return best


def hands() -> list[tuple[Card, ...]]:
    """Return seeded hands, and structured ones: few ranks, one suit with pairs, royal flushes with anything else."""
    random = Random(45)
    deck = standard_deck(jokers=1)
    found = [tuple(random.sample(deck, 7)) for _ in range(1_500)]
    few = [card for card in deck if card[0] in "AKQ"] + [JOKER]
    suited = [card for card in deck if card[1] == "s" or card[0] in "95"] + [JOKER]
    low = [card for card in deck if card[0] in "23456"] + [JOKER]
    for cards in (few, suited, low):
        found += [tuple(random.sample(cards, 7)) for _ in range(1_000)]
    royal = [card for card in deck if card[1] == "h" and card[0] in "AKQJT"]
    found += [(*royal, *two) for two in combinations([card for card in deck if card not in royal], 2)][::3]
    return found


def test_the_hand_type_with_the_highest_payout_is_formed() -> None:
    """The first row found pays as much as the best of the twenty-one ways to lay two cards aside."""
    offer = select(catalogue(RHODE_ISLAND), submission("one_dollar")).offers["progressive_payout"]
    types = HandTypes(offer)
    for hand in hands():
        seven = card_set(hand)
        rows = types.rows(formed_beside_pair(seven, formed(seven)))
        assert obvious_dollars(hand) == (DOLLARS[rows[0].category] if rows else 0), hand


def settled(cards: str, low: str, meter: int, paytable: str = "one_dollar") -> Settlement:
    """Return a round of one seat with the progressive payout wager."""
    wagers = {"pai_gow_poker": 1000, "progressive_payout": 100 if paytable == "one_dollar" else 500}
    seat = {"seat": 2, "player": "p1", "wagers": wagers, "cards": cards.split(), "low": low.split()}
    dealer = {"cards": ["3h", "3c", "7s", "6h", "9c", "Jd", "2h"], "low": ["Jd", "9c"]}
    document = {"seats": [seat], "dealer": dealer, "meters": {"progressive_payout": meter}}
    return settle(RHODE_ISLAND, parse_round(RHODE_ISLAND, document), submission(paytable))


@pytest.mark.parametrize(
    ("cards", "low", "category"),
    [
        ("As Ks Qs Js Ts 9s 8s", "9s 8s", "natural_royal_flush"),
        ("4c 5c 6c 7c 8c 9d Tc", "Tc 9d", "straight_flush"),
        ("9s 9h 9d 4s 4h 4d Kc", "Kc 4d", "full_house"),
        ("8s 8h 8d 8c 4s 4h 4d", "4s 4h", "four_of_a_kind_and_pair"),
        ("9s 9h 5d 4d 4h Kd Kc", "9s 9h", None),
        ("9s 9d 5d 4d 2d Kd Jk", "9s 5d", "flush_and_pair"),
        ("5s 6d 7d 8c 9h Ac Jk", "Ac Jk", "straight_and_pair"),
    ],
)
def test_hand_types(cards: str, low: str, category: str | None) -> None:
    """Seven in sequence are a straight flush, two threes have no pair beside, joker and ace are a pair."""
    (line,) = [line for line in settled(cards, low, 2_000_000).lines if line.wager == "progressive_payout"]
    assert (category, "win" if category else "lose") == (line.category, line.outcome)


@pytest.mark.parametrize(
    ("beside", "meter", "category", "pays"),
    [("4h 8c", 400_000, "natural_royal_flush", 40_015), ("4h 4c", 10_000, "natural_royal_flush_and_pair", 10_150)],
)
def test_a_royal_flush_without_a_joker_is_natural_however_low_the_meter(
    beside: str, meter: int, category: str, pays: int
) -> None:
    """10% of $4,001.50, or all of $101.50, though the amount of a lower hand would be more."""
    result = settled(f"As Ks Qs Js Ts {beside}", beside, meter, "five_dollar")
    (line,) = [line for line in result.lines if line.wager == "progressive_payout"]
    assert (category, pays) == (line.category, line.payout)


def test_a_payout_takes_all_of_a_meter_that_shows_less() -> None:
    """$500 off a meter of $101.50: the house pays the rest, and money is conserved."""
    result = settled("As Ks Qs Jk Ts 4d 2c", "4d 2c", 10_000, "five_dollar")
    (line,) = [line for line in result.lines if line.wager == "progressive_payout"]
    assert (50_000, 10_150) == (line.payout, line.from_meter)
    assert {"progressive_payout": 0} == result.meters


def test_an_amount_is_paid_where_a_part_of_the_meter_is_less() -> None:
    """10% of $90.30 is less than the $200 that the joker as the king leaves beside a pair of kings."""
    (line,) = [
        line for line in settled("As Ks Qs Js Ts Kd Jk", "Ks Kd", 9_000).lines if line.wager == "progressive_payout"
    ]
    assert ("royal_flush_and_pair", 20_000) == (line.category, line.payout)
