"""Paybacks of Pai Gow Poker's wagers against published figures and another way of counting."""

from fractions import Fraction
from math import comb
from typing import Any, Final

import pytest

from shared.rules import parse_submission, payback
from shared.rules.packaged import parsed
from shared.rules.set_hands.payback import counts_text, seven_card_counts
from tests.support.nightly import AT_NIGHT
from tests.support.set_hands import suits_without_flush, unpaired_ranks

PENNSYLVANIA: Final = "pa-645a-2011"
RHODE_ISLAND: Final = "ri-pai-gow"
ALL_HANDS: Final = comb(53, 7)
# Published numbers of hands for the Fortune Pai Gow Poker bonus, of 154,143,080.
PUBLISHED: Final = {
    "seven_card_straight_flush": 32,
    "royal_match": 72,
    "seven_card_straight_flush_with_joker": 196,
    "five_aces": 1_128,
    "royal_flush": 26_020,
    "straight_flush": 184_644,
    "four_of_a_kind": 307_472,
    "full_house": 4_188_528,
    "flush": 6_172_088,
    "three_of_a_kind": 7_672_500,
    "straight": 11_034_204,
}
ODDS: Final = {
    "A": (8000, 2000, 1000, 400, 150, 50, 25, 5, 4, 3, 2),
    "B": (5000, 2000, 1000, 400, 150, 50, 25, 5, 4, 3, 2),
    "C": (5000, 2000, 1000, 400, 150, 50, 25, 5, 4, 3, 2),
    "D": (2500, 1000, 750, 250, 125, 50, 25, 5, 4, 3, 2),
}


def counted(regulation: str, wager: str, **selected: Any) -> Fraction:
    """Return the payback of a wager under a submission that offers it alone."""
    return payback(regulation, wager, parse_submission({"wagers": {wager: selected}}))


def published(odds: tuple[int, ...], *, matches: int = 72) -> Fraction:
    """Return what the published numbers of hands give back; further royal matches would be royal flushes."""
    hands = PUBLISHED | {"royal_match": matches, "royal_flush": PUBLISHED["royal_flush"] + 72 - matches}
    back = sum(number * (pays + 1) for number, pays in zip(hands.values(), odds, strict=True))
    return Fraction(back, ALL_HANDS)


@pytest.mark.parametrize("paytable", ODDS)
def test_the_emperors_treasure_pays_back_what_is_published(paytable: str) -> None:
    """One match, ace and king, is as frequent as the king and queen of the published game."""
    assert published(ODDS[paytable]) == counted(PENNSYLVANIA, "emperors_treasure", paytable=paytable)


@pytest.mark.parametrize("paytable", ODDS)
def test_the_fortune_bonus_pays_two_matches(paytable: str) -> None:
    """Ace and king as well as king and queen: twice as many matches."""
    assert published(ODDS[paytable], matches=144) == counted(PENNSYLVANIA, "fortune_bonus", paytable=paytable)


def test_rhode_islands_bonus_pays_back_what_is_published() -> None:
    """The published house edge of this schedule is 7.77 percent."""
    back = counted(RHODE_ISLAND, "bonus")
    assert published(ODDS["A"]) == back
    assert "7.77" == f"{float(100 * (1 - back)):.2f}"


@pytest.mark.parametrize(("paytable", "queen"), [("A", 6), ("B", 7)])
def test_insurance_pays_back_what_its_hands_say(paytable: str, queen: int) -> None:
    """Seven different ranks that hold no straight, in suits that hold no flush, counted by the highest."""
    odds = {9: 100, 10: 25, 11: 15, 12: queen, 13: 5, 14: 3}
    suits = {cards: suits_without_flush(cards) for cards in (6, 7)}
    # With six cards the joker is the ace.
    back = sum(suits[len(values)] * (odds[max(values) if len(values) == 7 else 14] + 1) for values in unpaired_ranks())
    assert Fraction(back, ALL_HANDS) == counted(PENNSYLVANIA, "pai_gow_insurance", paytable=paytable)


@pytest.mark.parametrize(("odds", "back"), [("5.5", Fraction(13, 14)), ("6", Fraction(1))])
def test_the_starting_position_pays_back_by_its_odds(odds: str, back: Fraction) -> None:
    """One number of seven; at 6 to 1 nobody has an edge."""
    submission = parse_submission({"wagers": {"starting_position": {}}, "options": {"starting_position_odds": odds}})
    assert back == payback(RHODE_ISLAND, "starting_position", submission)


@AT_NIGHT
def test_the_kinds_of_seven_cards_are_those_that_are_counted() -> None:
    """What lies beside the rules as data is what counting all hands gives."""
    counted = {tuple(kind): hands for *kind, hands in parsed(counts_text())}
    assert counted == seven_card_counts()
    assert ALL_HANDS == sum(counted.values())
