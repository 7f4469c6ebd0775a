"""Rounds of Blackjack that were dealt: a part dealt again, and what they say beside what is counted."""

from collections.abc import Mapping
from math import sqrt
from typing import Any

import pytest

from services.cli.codegen.generate import ROOT
from shared.counting import blackjack_tables
from shared.counting.blackjack_tables import PATH, REGULATION, TABLES
from shared.rules import parse_submission, play
from shared.rules.packaged import parsed
from shared.rules.play import Play
from tests.support.nightly import sampled

KEPT: dict[str, Any] = parsed((ROOT / PATH).read_text())
ONE_PLAYER = [name for name, table in TABLES.items() if not table.switch]
BAD_BEAT = {
    "blackjack": "dealer_blackjack",
    "3": "dealer_21_with_three_cards",
    "4": "dealer_21_with_four_cards",
    "5": "dealer_21_with_five_cards",
    "6": "dealer_21_with_six_cards",
    "7": "dealer_21_with_seven_or_more_cards",
    "other": "any_20",
}
STRAIGHTS = {"2": "two", "3": "three", "4": "four", "5": "five"}


def test_the_first_rounds_come_to_what_is_kept() -> None:
    """The same seeds, dealt again."""
    assert KEPT["first"] == blackjack_tables.dealt(blackjack_tables.FIRST)


@pytest.mark.parametrize("name", TABLES)
def test_the_house_edge_is_that_of_the_rounds(name: str) -> None:
    """Within four standard errors and the error of the shoe model, which is greatest with one deck: 0.015%."""
    table, net = TABLES[name], KEPT["tables"][name]["net"]
    wagers = 1 + table.switch
    rounds = sum(net.values())
    assert KEPT["counted"]["deals"] == rounds * len(TABLES)
    mean = sum(won * ways for won, ways in net.items()) / rounds
    deviation = sqrt(sum(won**2 * ways for won, ways in net.items()) / rounds - mean**2)
    found = play(REGULATION, "blackjack", table.submission())
    error = deviation / sqrt(rounds) / 2 / wagers
    assert abs(-mean / 2 / wagers - float(found.house_edge)) < 4 * error + 0.00015
    assert deviation / 2 / wagers == pytest.approx(found.standard_deviation, rel=0.001)


def progressive(wager: str, table: str, **options: Any) -> Play:
    """Return what a progressive wager comes to at its reset amount."""
    entry = {"meter": {"rate": "0.2", "reset": 500_000}, **options}
    submission = {"decks": TABLES[table].decks, "options": {"resplits": 2}, "wagers": {wager: entry}}
    return play(REGULATION, wager, parse_submission(submission))


def agree(rounds: Mapping[str, int], expected: Mapping[str, float], error: float) -> None:
    """Hold how often each row came to what is counted, within four standard errors and an `error` of the share."""
    number = sum(KEPT["tables"]["6"]["net"].values())
    for row, chance in expected.items():
        allowed = 4 * sqrt(chance * number) + error * chance * number
        assert abs(rounds.get(row, 0) - chance * number) < allowed, (row, rounds.get(row), chance * number)


@sampled(1)
@pytest.mark.parametrize("name", ONE_PLAYER)
def test_a_20_meets_each_21_as_often_as_counted(name: str) -> None:
    """Only hands that are split are counted by a model: a thousandth of a row at most."""
    found = progressive("bad_beat_progressive", name, any_20=True)
    expected = {key: float(found.probability(row)) for key, row in BAD_BEAT.items()}
    agree(KEPT["tables"][name]["bad_beat"], expected, error=0.001)


@pytest.mark.parametrize("name", ONE_PLAYER)
def test_straights_are_as_long_as_counted(name: str) -> None:
    """Counted exactly; a straight of six has one ace, and of four aces one is of spades."""
    found = progressive("straight_jack_progressive", name)
    expected = {key: float(found.probability(f"{length}_card_straight")) for key, length in STRAIGHTS.items()}
    spades = found.probability("six_card_straight_with_an_ace_of_spades")
    assert 3 * spades == found.probability("six_card_straight_with_another_ace")
    agree(KEPT["tables"][name]["straight_jack"], expected | {"6": float(4 * spades)}, error=0.0)
