"""Evidence against honest play: bets are fair, so alarms are as rare as stated, and what is dishonest is found."""

from fractions import Fraction
from math import exp, inf, isclose, log, log10
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.reporting.domain.evidence import EXCESSES, FALSE_ALARMS, Evidence

ways = st.lists(st.tuples(st.integers(1, 1000), st.integers(0, 2000)), min_size=1, max_size=8).filter(
    lambda rows: any(value for _, value in rows)
)
"""How often something has a value."""


@given(ways, st.fractions(Fraction(1), Fraction(3)))
def test_no_bet_gains_on_average(rows: list[tuple[int, int]], tolerance: Fraction) -> None:
    """Whatever is observed, each wealth has a mean of 1 after it at what is expected, and less above."""
    number = sum(count for count, _ in rows)
    mean = Fraction(sum(count * value for count, value in rows), number)
    variance = Fraction(sum(count * value**2 for count, value in rows), number) - mean**2
    for expected in (mean, mean * tolerance):
        after = [(count, Evidence().observed(value, expected, variance)) for count, value in rows]
        for bet in range(len(EXCESSES)):
            average = sum(count * exp(evidence.wealths[bet]) for count, evidence in after) / number
            assert isclose(1.0, average, rel_tol=1e-9) if expected == mean else average <= 1 + 1e-9


def test_the_statistic_is_the_mean_wealth_in_powers_of_ten() -> None:
    """Three wealths of 1, 10 and 100 are 37 together; the highest is kept when they fall again."""
    evidence = Evidence(wealths=(0.0, 0.0, 0.0)).multiplied([0.0, log(10), log(100)])
    assert isclose(log10(37), evidence.finding().statistic)
    lost = evidence.multiplied([-log(1000)] * 3)
    assert isclose(log10(0.037), lost.finding().statistic)
    assert isclose(log(37), lost.highest)
    assert (2, True, False) == (
        lost.n,
        lost.finding(Fraction(1, 37) + Fraction(1, 10**9)).alarm,
        lost.finding(Fraction(1, 38)).alarm,
    )


def test_the_threshold_follows_from_the_false_alarms() -> None:
    """One in a thousand is a thousand times the unit."""
    assert Fraction(1, 1000) == FALSE_ALARMS
    assert isclose(3.0, Evidence().finding().threshold)
    assert isclose(2.0, Evidence().finding(Fraction(1, 100)).threshold)


def test_what_happens_without_fail_is_found_after_a_few_times() -> None:
    """Something of one chance in ten that happens each time: five times, not four."""
    evidence, chance = Evidence(), Fraction(1, 10)
    for number in range(1, 6):
        evidence = evidence.observed(1, chance, chance * (1 - chance))
        assert (number == 5) == evidence.finding().alarm


@pytest.mark.parametrize("actual", [-1])
def test_what_is_below_zero_is_no_observation(actual: int) -> None:
    """A bet could lose more than there is."""
    with pytest.raises(AssertionError, match="-1 was observed"):
        Evidence().observed(actual, Fraction(1), Fraction(1))


def test_an_alarm_is_false_no_more_often_than_stated() -> None:
    """400 tests of 300 fair observations each, one false alarm in ten allowed."""
    chance, probability = Random(20_260_509), Fraction(1, 12)
    hit, miss = (
        Evidence().observed(outcome, probability, probability * (1 - probability)).wealths for outcome in (1, 0)
    )
    alarms = 0
    for _ in range(400):
        evidence = Evidence()
        for _ in range(300):
            evidence = evidence.multiplied(hit if chance.random() < probability else miss)
        alarms += evidence.finding(Fraction(1, 10)).alarm
    assert 4 <= alarms <= 40, "none at all would mean that nothing is ever found"


def test_certainty_does_not_overflow() -> None:
    """The wealth after twenty thousand hits is a number of many digits, and its logarithm is small."""
    evidence = Evidence()
    for _ in range(20_000):
        evidence = evidence.multiplied([3.0, 1.0, 2.0])
    assert 20_000 * 3 / log(10) - 1 < evidence.finding().statistic < inf
