"""Totals of three cards decide; paybacks are exact and agree with the Board's figures."""

from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest

from shared.rules import parse_round, parse_submission, payback, settle
from shared.rules.over_under.totals import LEAST, MOST, VALUES, bonus_category, total, wins

REGULATION = "pa-686a"
WITH_BONUS = parse_submission({"wagers": {"bonus": {}}})
BONUS_PAYS = {6: 50, 7: 10, 8: 5, 9: 4, 10: 3, 11: 2, 12: 1, 27: 1, 28: 2, 29: 3, 30: 4, 31: 5, 32: 10, 33: 50}


def hand_of(points: int) -> list[str]:
    """Return three cards with this total."""
    found = next(cards for cards in combinations_with_replacement(sorted(VALUES), 3) if total(cards) == points)
    return list(found)


@pytest.mark.parametrize("side", ["over_23", "under_18", "surrendered"])
@pytest.mark.parametrize("points", range(LEAST, MOST + 1))
def test_every_total_settles_as_the_text_lists_it(points: int, side: str) -> None:
    """Over 23 wins from 24 to 33, Under 18 from 6 to 17, anything else loses; the bonus looks at the total alone."""
    chosen = {} if side == "surrendered" else {side: 1000}
    seat = {"seat": 1, "player": "p1", "wagers": {"ante": 1000, "bonus": 100} | chosen, "cards": hand_of(points)}
    if not chosen:
        seat["surrendered"] = True
    nets = {
        line.wager: line.net
        for line in settle(REGULATION, parse_round(REGULATION, {"seats": [seat]}), WITH_BONUS).lines
    }
    won = points in (range(24, 34) if side == "over_23" else range(6, 18) if side == "under_18" else ())
    expected = {"ante": 1000 if won else -1000, "bonus": BONUS_PAYS.get(points, -1) * 100}
    assert expected | dict.fromkeys(chosen, 1000 if won else -1000) == nets


def test_rows_pair_totals_from_both_ends() -> None:
    """6 and 33 share a row, 7 and 32, and so on."""
    assert {bonus_category(points) for points in (12, 27)} == {"12_or_27"}
    assert {bonus_category(points) for points in (6, 33)} == {"6_or_33"}


def test_the_bonus_pays_back_what_all_deals_of_six_decks_give() -> None:
    """Card by card, each with the number of copies that the shoe still holds."""
    values = {value: list(VALUES.values()).count(value) * 6 for value in set(VALUES.values())}
    back = ways = 0
    for first, second, third in product(values, repeat=3):
        left = (
            values[first]
            * (values[second] - (second == first))
            * (values[third] - (third == first) - (third == second))
        )
        ways += left
        back += left * (BONUS_PAYS.get(first + second + third, -1) + 1)
    assert 312 * 311 * 310 == ways
    assert Fraction(back, ways) == payback(REGULATION, "bonus", WITH_BONUS)
    assert round(float(payback(REGULATION, "bonus", WITH_BONUS)), 5) == 0.94395


def test_the_best_decisions_pay_back_what_the_board_states() -> None:
    """After the first card the better of Over 23, Under 18 and surrender: 98.95% of the two wagers."""
    values = {value: list(VALUES.values()).count(value) * 6 for value in set(VALUES.values())}
    expected = Fraction(0)
    for first, count in values.items():
        left = dict(values)
        left[first] -= 1
        choices = {"surrender": Fraction(-1)}
        for choice in ("over_23", "under_18"):
            good = sum(
                left[second] * (left[third] - (second == third))
                for second, third in product(left, repeat=2)
                if wins(choice, first + second + third)
            )
            choices[choice] = 2 * (2 * Fraction(good, 311 * 310) - 1)
        expected += Fraction(count, 312) * max(choices.values())
    assert round(float(1 + expected / 2), 4) == 0.9895


def test_decks_may_be_left_out_or_repeated() -> None:
    """The text fixes six decks."""
    stated = parse_submission({"decks": 6, "wagers": {"bonus": {}}})
    assert payback(REGULATION, "bonus", WITH_BONUS) == payback(REGULATION, "bonus", stated)
