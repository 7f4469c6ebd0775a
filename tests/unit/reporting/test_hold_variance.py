"""Hold variance: each method of law says how far a hold may lie from its base."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.reporting.reports.hold_variances.hold_variance import (
    METHODS,
    Hold,
    chance_of_days,
    chance_of_wagers,
    confidence_interval,
    percent,
    percentage_points,
)

SHARES = st.fractions(min_value=-1, max_value=1)


@pytest.mark.parametrize(
    ("actual", "investigated"), [("0.18", True), ("0.19", False), ("0.25", False), ("0.2501", True)]
)
def test_points_are_counted_to_both_sides(actual: str, investigated: bool) -> None:
    """More than three points from 22 percent, not exactly three."""
    found = percentage_points(Hold(Fraction(actual), Fraction("0.22")), Fraction("0.03"))
    assert (abs(Fraction(actual) - Fraction("0.22")), investigated) == (abs(found.deviation), found.investigated)


@pytest.mark.parametrize(("actual", "investigated"), [("0.192", False), ("0.1919", True), ("0.2081", True)])
def test_percent_is_of_the_base(actual: str, investigated: bool) -> None:
    """Four percent of a base of 20 percent are 0.8 points."""
    found = percent(Hold(Fraction(actual), Fraction("0.2")), Fraction("0.04"))
    assert found is not None
    assert investigated == found.investigated


def test_of_a_base_of_nothing_there_is_no_percentage() -> None:
    """A base of 0 has no share of itself; without chance there is no interval."""
    assert (None, None) == (
        percent(Hold(Fraction(1, 5), Fraction(0)), Fraction("0.04")),
        confidence_interval(Hold(Fraction(1, 5), Fraction(1, 4)), Fraction("0.95")),
    )


@pytest.mark.parametrize(("deviations", "investigated"), [("1.95", False), ("1.97", True)])
def test_the_interval_of_95_percent_is_196_standard_deviations(deviations: str, investigated: bool) -> None:
    """The published quantile, 1.96, on either side of the base."""
    hold = Hold(Fraction("0.25") - Fraction(deviations) * Fraction("0.01"), Fraction("0.25"), 0.01)
    found = confidence_interval(hold, Fraction("0.95"))
    assert found is not None
    assert investigated == found.investigated


@given(actual=SHARES, base=SHARES, threshold=st.fractions(min_value=Fraction(1, 100), max_value=Fraction(99, 100)))
def test_what_lies_on_its_base_is_never_investigated(actual: Fraction, base: Fraction, threshold: Fraction) -> None:
    """By no method; and a hold and its mirror image around the base are investigated alike."""
    for method in METHODS.values():
        level, mirrored = (
            method(Hold(base, base, 0.01), threshold),
            method(Hold(2 * base - actual, base, 0.01), threshold),
        )
        found = method(Hold(actual, base, 0.01), threshold)
        assert level is None or not level.investigated
        assert (found and found.investigated) == (mirrored and mirrored.investigated)


def test_chance_follows_from_days_or_from_exact_variances() -> None:
    """Two days of 10 and 30 percent scatter by 100 each around 20; without drop or handle nothing is known."""
    assert 20_000**0.5 / 2_000 == chance_of_days([(100, 1_000), (300, 1_000)], Fraction(1, 5))
    assert (None, None, None) == (
        chance_of_days([(100, 1_000)], Fraction(1, 5)),
        chance_of_days([(100, 0), (3, 0)], Fraction(1, 5)),
        chance_of_wagers(Fraction(4), 0),
    )
    assert 0.02 == chance_of_wagers(Fraction(4), 100)
