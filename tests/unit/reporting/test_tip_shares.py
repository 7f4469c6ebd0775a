"""Shares of a tips pool by hours: all of it is paid, to the cent, and nobody loses a cent to less work."""

from fractions import Fraction
from typing import Final, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from services.reporting.domain.tip_shares import shares_of
from shared.contracts.properties import TipsPool

Remainder = Literal["largest_fraction", "most_hours"]
RULES: Final[tuple[Remainder, ...]] = ("largest_fraction", "most_hours")
MINUTES: Final = st.dictionaries(st.text("abcdefgh", min_size=1, max_size=3), st.integers(1, 10_080), min_size=1)


def _shares(cents: int, minutes: dict[str, int], remainder: Remainder) -> dict[str, int]:
    return {one.dealer: one.cents for one in shares_of(cents, minutes, TipsPool(period="day", remainder=remainder))}


@given(st.integers(0, 10**9), MINUTES, st.sampled_from(RULES))
@example(100, {"ann": 100, "bob": 250, "cyd": 350}, "most_hours")
def test_all_of_the_pool_is_paid_and_nobody_is_off_by_a_cent(
    cents: int, minutes: dict[str, int], remainder: Remainder
) -> None:
    """Each share is within a cent of the exact one; a whole one has a cent more only if most hours decide."""
    found = _shares(cents, minutes, remainder)
    assert cents == sum(found.values())
    for dealer, worked in minutes.items():
        more = found[dealer] - Fraction(cents * worked, sum(minutes.values()))
        assert -1 < more < 1 or (more == 1 and remainder == "most_hours")


def test_cents_that_are_left_go_by_the_rule_of_the_property() -> None:
    """Of 100 cents by 2, 5 and 3 sevenths … the fractions say who lost most; the hours say who worked most."""
    minutes = {"ann": 100, "bob": 250, "cyd": 350}  # 14.28…, 35.71…, 50 cents
    assert {"ann": 14, "bob": 36, "cyd": 50} == _shares(100, minutes, "largest_fraction")
    assert {"ann": 14, "bob": 35, "cyd": 51} == _shares(100, minutes, "most_hours")
    assert {"ann": 1, "bob": 1, "cyd": 0} == _shares(2, dict.fromkeys(("cyd", "bob", "ann"), 60), "most_hours")


@pytest.mark.parametrize(("cents", "minutes"), [(5, {}), (-1, {"ann": 60})])
def test_nothing_is_shared_by_nobody(cents: int, minutes: dict[str, int]) -> None:
    """Nor is a pool shared that is below zero."""
    with pytest.raises(ValueError, match="are not shared"):
        _shares(cents, minutes, "most_hours")
