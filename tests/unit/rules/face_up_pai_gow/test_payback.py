"""Paybacks of the optional wagers against published figures, other ways of counting, and dealt hands."""

from fractions import Fraction
from itertools import product
from math import comb
from random import Random
from typing import Any, Final

import pytest

from shared.cards import JOKER, SUITS, Card, standard_deck
from shared.cards.ranking.pai_gow import card_set
from shared.rules import catalogue, parse_submission, payback
from shared.rules.face_up_pai_gow.ace_high import is_ace_high
from shared.rules.face_up_pai_gow.ace_high_counts import Kind, ace_high_counts, disjoint_suitings
from shared.rules.face_up_pai_gow.payback import progressive_at_reset
from shared.rules.submission import select
from tests.support.set_hands import suits_without_flush, unpaired_ranks

REGULATION: Final = "pa-688a"
ACE_HIGH: Final = {"1": (20, 10, 8), "2": (40, 15, 5), "3": (30, 15, 6), "4": (25, 10, 7), "5": (40, 12, 5)}


def house_edge(wager: str, paytable: str) -> float:
    """Return what the house keeps of a wager, percent."""
    submission = parse_submission({"wagers": {wager: {"paytable": paytable}}})
    return float(100 * (1 - payback(REGULATION, wager, submission)))


def test_the_fortune_bonus_has_the_published_house_edge() -> None:
    """Analysts give 7.8 percent, without Envy Bonuses, for 5,000, 2,000, 1,000, 400, 150, 50, 25, 5, 4, 3, 2 to 1."""
    assert "7.8" == f"{house_edge('fortune_bonus', '3'):.1f}"
    assert house_edge("fortune_bonus", "3") == house_edge("fortune_bonus", "6")


def test_a_push_returns_the_stake() -> None:
    """Paytable 1 pays less for rare hands but returns 2,862,000 hands of three pair: one stake each."""
    without = {7: (32, 5000), 6: (72, 1000), 5: (196, 750), 4: (1_128, 250), 3: (26_020, 100), 2: (184_644, 50)}
    common = {(307_472, 20), (4_188_528, 5), (6_172_088, 4), (7_672_500, 3), (11_034_204, 2)}
    back = 2_862_000 + sum(hands * (odds + 1) for hands, odds in [*without.values(), *common])
    assert house_edge("fortune_bonus", "1") == pytest.approx(100 * (1 - back / comb(53, 7)), abs=1e-12)


def progressive(paytable: str) -> Fraction:
    """Return what comes back of the Progressive Payout Wager at its seed."""
    submission = parse_submission({"wagers": {"progressive_payout": {"paytable": paytable}}})
    return progressive_at_reset(select(catalogue(REGULATION), submission))


def test_the_progressive_at_its_seed() -> None:
    """Paytable 1 from the published frequencies: the seven-card hands together, a Royal Match as a royal flush."""
    pays = {228: 10_000, 1_128: 1_000, 26_092: 500, 184_644: 100, 307_472: 75, 4_188_528: 4}
    assert Fraction(sum(hands * dollars for hands, dollars in pays.items()), comb(53, 7)) == progressive("1")


def test_paytables_6_and_7_differ_in_the_seed_only() -> None:
    """$1,000 more of it on 228 hands, a tenth of that on 1,128; the joker is fully wild in both."""
    assert Fraction(228 * 1000 + 1_128 * 100, comb(53, 7)) == progressive("6") - progressive("7")


@pytest.mark.parametrize("paytable", ACE_HIGH)
def test_the_ace_high_bonus_pays_what_its_counts_say(paytable: str) -> None:
    """The rows exclude each other, and each pays its odds and the stake."""
    counts, (both, with_joker, no_joker) = ace_high_counts(), ACE_HIGH[paytable]
    back = counts.both * (both + 1) + counts.only_dealer_with_joker * (with_joker + 1)
    back += counts.only_dealer_no_joker * (no_joker + 1)
    assert house_edge("ace_high_bonus", paytable) == pytest.approx(100 * (1 - back / counts.all_pairs), abs=1e-12)


def test_the_edges_of_all_ace_high_paytables() -> None:
    """Between three and a half and seven and a half percent, as offered side bets are."""
    edges = {paytable: f"{house_edge('ace_high_bonus', paytable):.2f}" for paytable in ACE_HIGH}
    assert {"1": "3.59", "2": "4.79", "3": "5.85", "4": "6.88", "5": "7.38"} == edges


def test_ace_high_hands_are_as_many_as_the_ranking_finds() -> None:
    """Each set of seven ranks with every choice of suits for it: the dealer's hands alone, without the joker."""
    counts = ace_high_counts()
    of_dealer = counts.both + counts.only_dealer_with_joker + counts.only_dealer_no_joker
    ranks = [values for values in unpaired_ranks() if len(values) == 6 or 14 in values]
    assert of_dealer == sum(suits_without_flush(len(values)) for values in ranks) * comb(46, 7)


@pytest.mark.parametrize("common", range(4))
def test_suits_of_two_hands_are_counted_right(common: int) -> None:
    """Small hands with every choice of suits tried: no suit too often, and no card in both hands."""
    one, other = Kind(cards=4, most_of_a_suit=2, joker=False), Kind(cards=3, most_of_a_suit=1, joker=True)
    tried = 0
    for suits in product(SUITS, repeat=one.cards + other.cards):
        first, second = suits[: one.cards], suits[one.cards :]
        if max(map(first.count, SUITS)) <= 2 and max(map(second.count, SUITS)) <= 1:
            tried += all(first[place] != second[place] for place in range(common))
    assert tried == disjoint_suitings(one, other, common)


def test_dealt_hands_agree_with_the_counts() -> None:
    """60,000 pairs of hands with a fixed seed: each share within four standard errors (a false alarm in 5,000 runs)."""
    chance, deck, pairs = Random(688), list(standard_deck(jokers=1)), 60_000
    dealt = dict.fromkeys(("both", "only_dealer_with_joker", "only_dealer_no_joker"), 0)
    for _ in range(pairs):
        cards: list[Card] = chance.sample(deck, 14)
        if is_ace_high(card_set(cards[:7])):
            alone = "only_dealer_with_joker" if JOKER in cards[:7] else "only_dealer_no_joker"
            dealt["both" if is_ace_high(card_set(cards[7:])) else alone] += 1
    counts = ace_high_counts()
    for who, found in dealt.items():
        share = getattr(counts, who) / counts.all_pairs
        assert found / pairs == pytest.approx(share, abs=4 * (share * (1 - share) / pairs) ** 0.5)


@pytest.mark.parametrize(
    ("cards", "ace_high"),
    [
        ("As Kd Jh 9c 7s 5d 3h", True),
        ("Jk Kd Jh 9c 7s 5d 3h", True),
        ("Ks Qd Jh 9c 7s 5d 3h", False),
        ("As Jk Jh 9c 7s 5d 3h", False),
        ("Jk Kd Qh Jc Ts 5d 3h", False),
        ("Jk 2d 3h 4c 5s 9d Kh", False),
        ("Jk 2d 4d 6d 8d 9c Kh", False),
        ("As 2d 3h 4c 5s 9d Kh", False),
        ("As Ks Js 9s 2s 5d 3h", False),
        ("As Ad Jh 9c 7s 5d 3h", False),
    ],
)
def test_an_ace_high_pai_gow_is_an_ace_and_nothing_else(cards: str, *, ace_high: bool) -> None:
    """The joker is the ace unless it completes a straight or a flush, or joins another ace."""
    hand: Any = cards.split()
    assert ace_high == is_ace_high(card_set(hand))
