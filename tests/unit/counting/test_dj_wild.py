"""Counting DJ Wild's raise: against the losing hands as the rules count them, and hands dealt beside a hand."""

from collections import Counter
from math import comb, sqrt
from random import Random

import pytest

from services.cli.codegen.generate import ROOT
from shared.cards import standard_deck
from shared.cards.ranking.deuces_wild import rank_with_wilds
from shared.counting.dj_wild import DEALS, NATURALS, PATH, Stand, counts_text, stands_of
from shared.rules.dj_wild.pairs import losing_hands
from shared.rules.packaged import parsed
from tests.support.nightly import AT_NIGHT

SEED = 687
HANDS = 4_000


@AT_NIGHT
def test_all_hands_counted_again_are_as_kept() -> None:
    """Every hand against every hand of the dealer beside it, in some seconds."""
    assert parsed((ROOT / PATH).read_text()) == parsed(counts_text())


def test_hands_lose_as_often_as_the_rules_count_by_inclusion_and_exclusion() -> None:
    """Another way to count the same deals finds the same losses in each category, and as many wins in all."""
    kept = parsed((ROOT / PATH).read_text())
    hands, wins, losses = Counter[str](), 0, Counter[str]()
    for rows in kept.values():
        for category, (number, won, lost) in rows.items():
            hands[category] += number
            wins += won
            losses[category] += lost
    assert {category.name: deals for category, deals in losing_hands().items()} == {**losses}
    assert [comb(53, 5), losses.total()] == [hands.total(), wins]


@pytest.mark.parametrize(
    "hand", ["Ah Kd 4s 4c 3h", "9h 9d Ks 8c 2d", "Kh Qh 7h 5h 3h", "Ts 8s 4d 2s Jk", "2s 2h 2d 2c 5h"]
)
def test_a_hand_stands_as_hands_dealt_beside_it_say(hand: str) -> None:
    """The shares of wins and losses lie within five standard errors of the counted ones."""
    cards = hand.split()
    natural = [card for card in cards if card != "Jk" and card[0] != "2"]
    places = tuple(sorted(NATURALS.index(card[0]) for card in natural))
    rank = rank_with_wilds(cards)  # type: ignore[arg-type]
    found = [one for one in stands_of(places, 5 - len(natural)) if _suits(one, rank)]
    chance, left = Random(SEED), [card for card in standard_deck(jokers=1) if card not in cards]
    dealt = [rank_with_wilds(chance.sample(left, 5)) for _ in range(HANDS)]
    wins, losses = sum(other < rank for other in dealt) / HANDS, sum(other > rank for other in dealt) / HANDS
    bound = 5 * sqrt(0.25 / HANDS)
    for share, counted in (
        (wins, [one.wins / DEALS for one in found]),
        (losses, [one.losses / DEALS for one in found]),
    ):
        assert min(counted) - bound < share < max(counted) + bound, f"seed {SEED}"


def _suits(one: Stand, rank: int) -> bool:
    return one.category == rank >> 20


def test_five_wilds_beat_every_hand() -> None:
    """There is one such hand, and nothing ties with it."""
    assert [(1, DEALS, 0)] == [(one.hands, one.wins, one.losses) for one in stands_of((), 5)]


def test_a_raise_must_be_worth_more_than_a_fold() -> None:
    """Three units are won and four lost; a fold loses two."""
    (wilds,) = stands_of((), 5)
    assert wilds.is_raised
    even = DEALS // 3
    assert not wilds._replace(wins=0, losses=DEALS).is_raised
    assert wilds._replace(wins=even, losses=even).is_raised
