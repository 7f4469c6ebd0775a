"""The house way: every hand is set, rules are read strictly, and a licensee may file its own."""

import re
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from shared.cards import standard_deck
from shared.cards.ranking.pai_gow import HighHands, by_value, card_set, cards_of, low_rank
from shared.rules import Refused
from shared.rules.set_hands.house_way import HouseWay, house_way, named_ways
from tests.support.cards import cards_named

PARAGRAPH = "§ 645a.11(c)"
RANKING = HighHands()
DECK = standard_deck(jokers=1)
COMPLETE = "\n".join(
    f"{shape}: {low}"
    for shape, low in {
        "five aces and pair": "pair",
        "five aces": "two of the five",
        "four and three": "two of the three",
        "four and pair": "pair",
        "four of a kind": "two of the four",
        "two threes": "two of the three",
        "three and two pair": "pair",
        "full house": "pair",
        "three of a kind": "two highest singles",
        "three pair": "pair",
        "two pair": "low pair",
        "pair": "two highest singles",
        "no pair": "second and third single",
    }.items()
)


def way(text: str = "standard") -> HouseWay:
    """Return a house way by its name or its rules."""
    return house_way(text, RANKING, PARAGRAPH)


@pytest.mark.parametrize(
    ("seven", "low"),
    [
        ("As Ah Ad Ac Jk Ks Kh", "Ks Kh"),
        ("As Ah Ad Ac Jk 9s 9h", "two aces"),
        ("As Ah Ad Ac Jk Ks 2h", "two aces"),
        ("Ks Kh Kd Kc 9s 9h 9d", "two nines"),
        ("As Ah Ad Ac 6s 6h 2d", "two aces"),
        ("As Ah Ad Ac 7s 7h 2d", "7s 7h"),
        ("6s 6h 6d 6c As Kh 2d", "As Kh"),
        ("Ts Th Td Tc As 4h 2d", "As 4h"),
        ("Ts Th Td Tc Qs 4h 2d", "two tens"),
        ("Ks Kh Kd Kc As 4h 2d", "As 4h"),
        ("Ks Kh Kd Kc Qs 4h 2d", "two kings"),
        ("9s 9h 9d 4s 4h 4d Kc", "two nines"),
        ("9s 9h 9d 4s 4h 2d 2c", "4s 4h"),
        ("9s 9h 9d 4s 4h Kd 2c", "4s 4h"),
        ("9s 9h 9d 2s 2h Ad Kc", "Ad Kc"),
        ("9s 9h 9d Ks 7h 4d 2c", "Ks 7h"),
        ("As Ah Ad Ks 7h 4d 2c", "one ace, Ks"),
        ("9s 9h 9d 8s 7h 6d 5c", "two nines"),
        ("Js Jh 8d 8c 3s 3h Kd", "Js Jh"),
        ("As Ah 3d 3c Ks 7h 2d", "3d 3c"),
        ("Ks Kh 8d 8c As 7h 2d", "8d 8c"),
        ("Ks Kh 4d 4c As 7h 2d", "As 7h"),
        ("Ks Kh 4d 4c Qs 7h 2d", "4d 4c"),
        ("5s 5h 4d 4c Ks 7h 2d", "Ks 7h"),
        ("5s 5h 4d 4c Qs 7h 2d", "4d 4c"),
        ("Js Jh Ad 9c 7s 4h 2d", "Ad 9c"),
        ("Js Jh Td 9c 8s 7h 2d", "Js 2d"),
        ("As Js 9s 7s 4s Kh Qd", "Kh Qd"),
        ("As Qh Td 8c 7s 4h 2d", "Qh Td"),
        ("Jk Qh Td 8c 7s 4h 2d", "Qh Td"),
    ],
)
def test_the_customary_way_sets_these_hands(seven: str, low: str) -> None:
    """Each rule of the documented way by a hand that it decides."""
    held = card_set(cards_named(seven))
    found = cards_of(way().low(held))
    ranks = "".join(sorted("A" if card == "Jk" else card[0] for card in found))
    named = {"two aces": "AA", "two nines": "99", "two tens": "TT", "two kings": "KK", "one ace, Ks": "AK"}
    expected = named.get(low) or "".join(sorted(card[0] for card in low.split()))
    assert expected == ranks


def test_every_hand_is_set_correctly() -> None:
    """Seeded hands, and hands of few ranks: two cards of the seven whose rank the high hand reaches."""
    random = Random(20)
    hands = [tuple(random.sample(DECK, 7)) for _ in range(3_000)]
    hands += list(combinations([card for card in DECK if card[0] in "AKJ"], 7))[::5]
    for hand in hands:
        seven = card_set(hand)
        low = way().low(seven)
        assert (2, 0) == (low.bit_count(), low & ~seven)
        assert RANKING.rank(seven ^ low) >= low_rank(low)


def test_of_equal_cards_those_go_low_that_leave_the_higher_high_hand() -> None:
    """Four aces that are split keep the ace that completes a flush."""
    seven = card_set(["As", "Ah", "Ad", "Ac", "Ks", "Js", "9s"])
    low = way(COMPLETE).low(seven)
    assert {"As"} == set(cards_of(seven ^ low)) & {"As"}
    assert [2] == [len(cards) for value, cards in by_value(low).items() if value == 14]


def test_a_straight_or_flush_is_kept_behind_the_highest_low_hand() -> None:
    """Of all splits that keep a straight, a flush or better the one with the highest low hand is set."""
    seven = card_set(["9s", "8s", "7d", "6c", "5h", "Ks", "2d"])
    assert {"Ks", "2d"} == set(cards_of(way().low(seven)))
    long = card_set(["9s", "8s", "7d", "6c", "5h", "4s", "3d"])
    assert {"9s", "8s"} == set(cards_of(way().low(long)))


def test_a_licensee_may_file_its_own_way() -> None:
    """Rules in a text decide in their order."""
    seven = card_set(["Ks", "Kh", "4d", "4c", "As", "7h", "2d"])
    assert {"4d", "4c"} == set(cards_of(way(COMPLETE).low(seven)))
    own = f"two pair, single Q or higher: two highest singles\n{COMPLETE}"
    assert {"As", "7h"} == set(cards_of(way(own).low(seven)))


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("two pair low pair", "it must be 'SHAPE, CONDITION: LOW HAND'"),
        ("a pair: pair", "no shape 'a pair'"),
        ("pair, single B: pair", "no condition 'single B'"),
        ("pair, pair K or better: pair", "no condition 'pair K or better'"),
        ("no pair: pair", "'no pair' holds no pair"),
        ("three pair: two highest singles", "'three pair' holds no two highest singles"),
        ("pair: behind straight or flush", "it needs the condition 'straight or flush'"),
        ("pair: the best two", "no low hand 'the best two'"),
    ],
)
def test_a_rule_that_cannot_be_read_is_refused(rule: str, why: str) -> None:
    """The refusal shows the rule and says what is wrong with it."""
    with pytest.raises(Refused, match=re.escape(why)) as refusal:
        way(f"{rule}\n{COMPLETE}")
    assert repr(rule) in refusal.value.reason
    assert PARAGRAPH == refusal.value.paragraph


def test_a_way_without_a_last_rule_for_some_hand_is_refused() -> None:
    """A condition that may fail leaves hands that nobody knows how to set."""
    with pytest.raises(Refused, match="no rule without a condition says how 'three pair' is set"):
        way(COMPLETE.replace("three pair:", "three pair, pair K:"))


def test_a_way_that_sets_hands_wrongly_is_refused_with_the_hand() -> None:
    """A pair below a hand without one is no correct setting."""
    wrong = way(COMPLETE.replace("pair: two highest singles", "pair: pair"))
    with pytest.raises(Refused, match="rule 'pair: pair' sets no correct hands from Ks 9s 7s 5s Kh 4d 2d") as refusal:
        wrong.low(card_set(["Ks", "Kh", "9s", "7s", "5s", "4d", "2d"]))
    assert PARAGRAPH == refusal.value.paragraph


def test_the_documented_way_is_shipped_and_documented() -> None:
    """There is one, by the name that the options mention, and its page holds its rules as they are."""
    assert ["standard"] == list(named_ways())
    page = (Path(__file__).parents[4] / "docs" / "games" / "house-way.md").read_text(encoding="utf-8")
    assert f"```text\n{named_ways()['standard']}```" in page
