"""Paybacks are exact: they agree with the Board's figures, with hand counts, and with slower counts."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb, prod
from random import Random
from typing import Any

import pytest

from shared.cards import SUITS
from shared.cards.ranking.deuces_wild import rank_with_wilds
from shared.rules import catalogue, parse_submission, payback
from shared.rules.dj_wild.classes import Kind, classes, kinds
from shared.rules.dj_wild.pairs import _by_cards, _by_suits, count_losing_hands, losing_hands
from shared.rules.dj_wild.payback import progressive_at_reset
from shared.rules.submission import select
from tests.support.nightly import AT_NIGHT

REGULATION = "pa-687a"
PAIRS = comb(53, 5) * comb(48, 5)


def of(wager: str, paytable: str, *, meter: dict[str, Any] | None = None, **options: bool) -> Fraction:
    """Return the payback of a wager under one paytable."""
    selected = {"paytable": paytable} | ({} if meter is None else {"meter": meter})
    return payback(REGULATION, wager, parse_submission({"options": options, "wagers": {wager: selected}}))


@pytest.mark.parametrize(
    ("paytable", "percent"), [("DJWT-04", 93.843), ("DJWT-05", 92.474), ("DJWT-06", 92.338), ("DJWT-07", 91.454)]
)
def test_the_trips_bonus_pays_back_what_the_board_states(paytable: str, percent: float) -> None:
    """To the third decimal; for DJWT-04 the stated 98.843% is a slip of one digit."""
    assert percent == round(float(100 * of("trips_bonus", paytable)), 3)


@pytest.mark.parametrize(("paytable", "reset"), [("1", 200000), ("2", 1000000)])
@pytest.mark.parametrize(("deuces_wild", "percent"), [(False, 56.51), (True, 686.11)])
def test_the_progressive_bonus_at_its_reset_amount(
    paytable: str, reset: int, deuces_wild: bool, percent: float
) -> None:
    """About 57% with natural twos and 686% with wild deuces, under either paytable."""
    submission = parse_submission(
        {
            "options": {"progressive_deuces_wild": deuces_wild},
            "wagers": {"progressive_bonus": {"paytable": paytable, "meter": {"rate": "0.1", "reset": reset}}},
        }
    )
    assert percent == round(float(100 * progressive_at_reset(select(catalogue(REGULATION), submission))), 2)


def test_the_progressive_bonus_by_the_published_frequencies() -> None:
    """With natural twos it is decided by the frequencies of five cards from 52."""
    hands = {300: 624, 50: 3744, 40: 5108, 30: 10200, 9: 54912}
    back = sum((odds + 1) * count for odds, count in hands.items()) + 4 * 2000 + 36 * 200
    wager = {"paytable": "1", "meter": {"rate": "0.1", "reset": 200000}}
    submission = parse_submission({"wagers": {"progressive_bonus": wager}})
    assert Fraction(back, 2598960) == progressive_at_reset(select(catalogue(REGULATION), submission))


@pytest.mark.parametrize(
    ("paytable", "percent"),
    [("DJWBB-01", 43.456), ("DJWBB-02", 43.771), ("DJWBB-03", 43.013), ("DJWBB-04", 42.990)],
)
def test_the_bad_beat_pays_back_about_43_percent_one_way_and_twice_as_much_both_ways(
    paytable: str, percent: float
) -> None:
    """The dealer's hand loses as often as the player's; the Board states 85.8% to 87.7%, which are both ways."""
    one_way = of("two_way_bad_beat_bonus", paytable)
    assert percent == round(float(100 * one_way), 3)
    assert 2 * one_way == of("two_way_bad_beat_bonus", paytable, bad_beat_dealer_hand_pays=True)


def test_the_classes_are_all_hands() -> None:
    """Each class is represented by five different cards, and together they are C(53, 5)."""
    found = list(classes())
    assert comb(53, 5) == sum(ways for _, ways in found)
    assert {5} == {len(set(cards)) for cards, _ in found}
    assert len(found) == len({cards for cards, _ in found})
    assert comb(53, 5) == sum(kind.ways * comb(5, kind.wilds) for kind in kinds())


def test_the_losing_hands_are_those_that_are_counted() -> None:
    """What lies beside the rules as data is what counting gives."""
    assert count_losing_hands() == losing_hands()


def test_of_two_hands_one_loses_or_both_tie() -> None:
    """Losing hands of either side and ties are all pairs; five wilds never lose, a royal flush to them alone."""
    by_name = {category.name: count for category, count in losing_hands().items()}
    assert (0, 4) == (by_name["five_wilds"], by_name["royal_flush"])
    tied = PAIRS - 2 * sum(by_name.values())
    assert 0.0001 < tied / PAIRS < 0.0002


def better_beside(hand: tuple[str, ...], wilds: int, rank: int, ranked: list[tuple[Kind, int]]) -> int:
    """Return how many hands of a higher rank the deck holds without these natural cards and so many wild cards."""
    left = Counter(dict.fromkeys("3456789TJQKA", 4))
    left.subtract(card[0] for card in hand)
    found = 0
    for kind, other in ranked:
        if other > rank:
            ways = prod(comb(left[value], count) for value, count in Counter(c[0] for c in kind.naturals).items())
            suited = sum(all(card[0] + suit not in hand for card in kind.naturals) for suit in SUITS)
            if kind.suited is not None:
                ways = suited if kind.suited else ways - suited
            found += ways * comb(5 - wilds, kind.wilds)
    return found


def every_choice_of_suits(kind: Kind) -> list[tuple[str, ...]]:
    """Return the natural cards of every hand of a kind."""
    counts = Counter(card[0] for card in kind.naturals)
    chosen = product(*(combinations(SUITS, count) for count in counts.values()))
    hands = [
        tuple(rank + suit for rank, suits in zip(counts, choice, strict=True) for suit in suits) for choice in chosen
    ]
    return [hand for hand in hands if kind.suited is None or kind.suited == (len({card[1] for card in hand}) == 1)]


@AT_NIGHT
def test_a_kind_loses_as_often_as_its_hands_one_by_one() -> None:
    """For some kinds of each sort, against removing each of their hands from the deck and counting what is left."""
    ranked = [(kind, rank_with_wilds(kind.example)) for kind in kinds()]
    above: dict[Any, list[tuple[int, int]]] = {}
    for kind, rank in ranked:
        for common, _, as_second in [*_by_cards(kind), *_by_suits(kind)]:
            above.setdefault(common, []).append((rank, as_second))
    sample = Random(687).sample([entry for entry in ranked if entry[0].ways <= 256], 6)
    for kind, rank in sample:
        seen: dict[tuple[str, ...], int] = {}
        one_by_one = 0
        for hand in every_choice_of_suits(kind):
            alike = min(tuple(sorted(c[0] + p[SUITS.index(c[1])] for c in hand)) for p in permutations(SUITS))
            if alike not in seen:
                seen[alike] = better_beside(alike, kind.wilds, rank, ranked)
            one_by_one += seen[alike]
        counted = sum(
            as_first * sum(as_second for other, as_second in above[common] if other > rank)
            for common, as_first, _ in [*_by_cards(kind), *_by_suits(kind)]
        )
        assert one_by_one * comb(5, kind.wilds) * 4**8 == counted, kind
