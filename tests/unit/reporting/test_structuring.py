"""Patterns of currency that are listed for a person to judge."""

from fractions import Fraction
from typing import Any

import pytest

from services.reporting.domain.federal.currency import CashMovement
from services.reporting.reports.currency.structuring import Pattern, Watch, patterns
from shared.jurisdictions import pack
from tests.unit.reporting.cash import paid

LAW = pack("us-federal")
AT_TABLE: dict[str, Any] = {"department": "table", "place": "BJ-01"}


def seen(*movements: CashMovement, watch: Watch | None = None) -> dict[str, Pattern]:
    """The patterns in movements by their names, of which each occurs once at most."""
    found = patterns(LAW, movements, watch=watch)
    assert len({one.name for one in found}) == len(found)
    return {one.name: one for one in found}


def test_amounts_just_below_the_threshold_are_seen() -> None:
    """Two within five gaming days, with what was seen and why it is listed."""
    found = seen(paid(9_500), paid(9_900, day=4))
    assert ["repeated_just_below"] == list(found)
    pattern = found["repeated_just_below"]
    assert "2 movements of $9,500.00 to $9,900.00, each just below the threshold ($10,000.00)" == pattern.saw
    assert "repeated amounts" in pattern.why
    assert ("riverside", "p-1", "in", 19_400_00, 4, 2) == (
        pattern.property,
        pattern.patron,
        pattern.direction,
        pattern.cents,
        (pattern.last - pattern.first).days,
        len(pattern.movements),
    )


@pytest.mark.parametrize(
    "movements",
    [
        [paid(9_500)],
        [paid(9_500), paid(9_900, day=5)],
        [paid(9_500), paid(10_001, day=1)],
        [paid(9_500), paid(7_999, day=2)],
        [paid(9_500), paid(9_500, day=2, patron="p-2")],
        [paid(9_500), paid(9_500, day=2, direction="out")],
        [paid(9_500, patron=None), paid(9_500, day=2, patron=None)],
        [paid(9_500), paid(9_500, day=2, medium="instrument")],
    ],
)
def test_what_is_no_repetition_is_not(movements: list[CashMovement]) -> None:
    """One alone, too late, above or far below, of others, in the other direction, not identified, no currency."""
    assert {} == seen(*movements)


def test_consecutive_days_that_together_are_above_are_seen() -> None:
    """None of them reached the threshold."""
    found = seen(*(paid(4_000, day=day) for day in range(3)))
    assert ["consecutive_days"] == list(found)
    assert "3 consecutive gaming days below the threshold, together above it ($10,000.00)" == (
        found["consecutive_days"].saw
    )


@pytest.mark.parametrize(
    "days",
    [
        {0: 4_000, 1: 4_000},
        {0: 4_000, 2: 4_000, 4: 4_000},
        {0: 4_000, 1: 2_499, 2: 6_500},
        {0: 6_000, 1: 10_001},
        {0: 5_000, 1: 5_000},
    ],
)
def test_days_that_are_no_whole_are_not(days: dict[int, int]) -> None:
    """Together not above it, not consecutive, a part that is small, one that was reported."""
    assert {} == seen(*(paid(dollars, day=day) for day, dollars in days.items()))


def test_a_long_run_is_one_pattern_if_a_window_of_it_is_above() -> None:
    """$2,500 a day: never in three days, in five."""
    days = [paid(2_500, day=day) for day in range(8)]
    assert 8 == len(seen(*days)["consecutive_days"].movements)
    assert {} == seen(*days, watch=Watch(window_days=3))


def test_amounts_divided_over_places_are_seen() -> None:
    """In one gaming day, whether they add up to a report or not."""
    found = seen(paid(6_000), paid(5_000, minutes=9, **AT_TABLE))
    assert ["several_places"] == list(found)
    assert "2 movements at BJ-01, cage-1, the largest $6,000.00 ($10,000.00)" == found["several_places"].saw
    assert {} == seen(paid(6_000), paid(5_000, minutes=9))
    assert {} == seen(paid(10_001), paid(5_000, minutes=9, **AT_TABLE))
    assert {} == seen(paid(4_000), paid(3_000, minutes=9, **AT_TABLE))


def test_who_stops_short_is_seen() -> None:
    """Several movements of a gaming day that add up to just below the threshold."""
    found = seen(paid(5_000), paid(4_900, minutes=9))
    assert ["stopped_short"] == list(found)
    assert "2 movements that stop $100.00 short of the threshold ($10,000.00)" == found["stopped_short"].saw
    assert {} == seen(paid(9_900))


def test_what_is_looked_for_is_the_property_s_own() -> None:
    """Shares of the threshold, and days."""
    assert {} == seen(paid(9_500), paid(9_500, day=2), watch=Watch(just_below_share=Fraction(96, 100)))
    assert {} == seen(*(paid(4_000, day=day) for day in range(3)), watch=Watch(part_share=Fraction(1, 2)))


def test_the_order_in_which_they_come_changes_nothing() -> None:
    """The same movements give the same patterns, by property, person and direction."""
    movements = [paid(9_500, day=day, patron=patron) for day in range(3) for patron in ("p-2", "p-1")]
    found = patterns(LAW, movements)
    assert found == patterns(LAW, movements[::-1])
    assert ["p-1", "p-1", "p-2", "p-2"] == [one.patron for one in found]
