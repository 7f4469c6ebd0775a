"""Whatever a property's versions say of tips pools, and whenever they change, each gaming day is in exactly one."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.contracts.properties import TipsPool
from shared.contracts.property_snapshot import PropertySnapshot, place_of_day
from shared.contracts.tips_pools import PoolDays, pool_of
from tests.support import properties
from tests.support.nightly import examples

FIRST: Final = date(2026, 11, 2)
DAYS: Final = [FIRST + timedelta(days=n) for n in range(28)]
BEGUN: Final = datetime(2026, 11, 1, 9, tzinfo=UTC)

RULES: Final = st.none() | st.builds(
    TipsPool, period=st.sampled_from(["day", "week"]), remainder=st.sampled_from(["largest_fraction", "most_hours"])
)
CHANGES: Final = st.lists(
    st.tuples(
        RULES,
        st.integers(-48, 28 * 24).map(lambda hours: BEGUN + timedelta(hours=hours)),
        st.sampled_from(["monday", "sunday", "thursday"]),
        st.lists(st.sampled_from(DAYS), max_size=4),
    ),
    min_size=1,
    max_size=8,
)
"""Versions in the order in which they are known: rules, effective moment, weekday on which weeks begin by their law,
and days whose pools' hours are approved before the next one is known."""


@cache
def _under(week_begins: str) -> PropertySnapshot:
    return properties.under_law(properties.place(tables=("BJ-01",)), "periods.week_begins", week_begins)


def _version(number: int, effective_from: datetime, rules: TipsPool | None, week_begins: str) -> PropertySnapshot:
    found = _under(week_begins)
    said: dict[str, Any] = {"version": number, "effective_from": effective_from, "tips_pool": rules}
    return replace(found, document=found.document.model_copy(update=said))


@settings(max_examples=examples(100), deadline=None)
@given(CHANGES)
def test_each_day_is_in_exactly_one_pool(
    changes: list[tuple[TipsPool | None, datetime, str, list[date]]],
) -> None:
    """Each day of its pool names the same pool; it shares tips if its version says so, or if its hours are approved."""
    versions: list[PropertySnapshot] = []
    approved: list[PoolDays] = []
    for number, (rules, effective_from, week_begins, days) in enumerate(changes, start=1):
        versions.append(_version(number, effective_from, rules, week_begins))
        for day in days:
            pool = pool_of(versions, approved, day)
            if pool is not None and pool not in approved:
                approved.append(pool)
        for day in DAYS:
            pool = pool_of(versions, approved, day)
            place = place_of_day(versions, day)
            said = place is not None and place.document.tips_pool is not None
            assert (pool is not None) == (said or any(one.has(day) for one in approved))
            if pool is not None:
                inside = [pool.first_day + timedelta(days=n) for n in range((pool.last_day - pool.first_day).days + 1)]
                assert day in inside
                assert {pool} == {pool_of(versions, approved, one) for one in inside}
    assert all(one == pool_of(versions, approved, one.last_day) for one in approved)
