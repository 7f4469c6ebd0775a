"""How a settlement is compared with a case."""

from typing import Any

import pytest

from shared.rules import Line, Settlement, parse_cases
from shared.rules.cases import differences

LINE = Line(seat=1, wager="blackjack", outcome="win", stake=1000, payout=1500, stake_returned=1000, paragraph="§ 1")
SETTLED = Settlement(lines=(LINE,), meters={"m": 5}, contributions=(), meter_resets={}, meters_before={"m": 5})


def compare(*expect: dict[str, Any]) -> list[str]:
    """Return the differences between the one-line settlement and these expected entries."""
    (case,) = parse_cases({"id": "x", "regulation": "r", "round": {}, "expect": list(expect)})
    assert case.expect is not None
    return differences(case.expect, SETTLED)


def test_only_listed_fields_are_compared() -> None:
    """A line that states two fields fits a line that has them."""
    assert [] == compare({"seat": 1, "wager": "blackjack", "payout": 1500}, {"meter": "m", "after": 5})


@pytest.mark.parametrize(
    ("expect", "difference"),
    [
        ([{"seat": 1, "wager": "blackjack", "payout": 1}], "seat 1 blackjack: payout 1500, expected 1"),
        ([{"seat": 1, "wager": "blackjack", "hand": 1}], "seat 1 blackjack hand 1 is missing"),
        ([{"seat": 1, "wager": "blackjack", "category": "x"}], "seat 1 blackjack: category None, expected 'x'"),
        ([], "seat 1 blackjack is not expected"),
        ([{"seat": 1, "wager": "blackjack"}, {"seat": 1, "wager": "blackjack"}], "seat 1 blackjack is missing"),
        ([{"seat": 1, "wager": "blackjack"}, {"meter": "m", "after": 6}], "meter 'm' shows 5, expected 6"),
        ([{"seat": 1, "wager": "blackjack"}, {"meter": "n", "after": 6}], "meter 'n' shows None, expected 6"),
    ],
)
def test_what_differs_is_named(expect: list[dict[str, Any]], difference: str) -> None:
    """A wrong value, a missing line, a line too many, a meter."""
    assert any(difference in found for found in compare(*expect))
