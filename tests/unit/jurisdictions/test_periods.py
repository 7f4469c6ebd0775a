"""The periods of returns and reports."""

from datetime import date, timedelta

import pytest

from shared.jurisdictions import GamingPack, PeriodKind, days_of, gaming_pack, period_of
from tests.support.packs import changed, dated


def days(pack: GamingPack, kind: PeriodKind, day: str) -> tuple[str, str]:
    """The first and the last day, as they are written."""
    first, last = period_of(pack, kind, date.fromisoformat(day))
    return first.isoformat(), last.isoformat()


@pytest.mark.parametrize(
    ("kind", "day", "expected"),
    [
        ("day", "2026-11-20", ("2026-11-20", "2026-11-20")),
        ("week", "2026-11-16", ("2026-11-16", "2026-11-22")),
        ("week", "2026-11-22", ("2026-11-16", "2026-11-22")),
        ("week", "2027-01-01", ("2026-12-28", "2027-01-03")),
        ("month", "2028-02-01", ("2028-02-01", "2028-02-29")),
        ("month", "2026-12-31", ("2026-12-01", "2026-12-31")),
        ("quarter", "2026-01-01", ("2026-01-01", "2026-03-31")),
        ("quarter", "2026-11-20", ("2026-10-01", "2026-12-31")),
        ("year", "2026-11-20", ("2026-01-01", "2026-12-31")),
    ],
)
def test_periods_have_a_first_and_a_last_day(kind: PeriodKind, day: str, expected: tuple[str, str]) -> None:
    """Weeks as the pack has them, from Monday in Pennsylvania; the others as the calendar has them."""
    assert expected == days(gaming_pack("us-pa"), kind, day)


def test_a_week_begins_as_the_pack_says() -> None:
    """On Sunday, where it says so."""
    pack = changed(gaming_pack("us-pa"), {"periods.week_begins": [dated("sunday")]})
    assert ("2026-11-15", "2026-11-21") == days(pack, "week", "2026-11-20")


@pytest.mark.parametrize("since", [f"2026-11-{day:02}" for day in range(16, 24)])
def test_a_change_of_law_leaves_no_day_out(since: str) -> None:
    """Each day lies in exactly one week, whenever weeks begin on another weekday from then on."""
    pack = changed(gaming_pack("us-pa"), {"periods.week_begins": [dated("monday"), dated("sunday", since)]})
    first, lengths = date(2026, 11, 2), []
    while first < date(2026, 12, 20):
        _, last = period_of(pack, "week", first)
        assert {(first, last)} == {period_of(pack, "week", day) for day in days_of(first, last)}
        lengths.append(len(days_of(first, last)))
        first = last + timedelta(days=1)
    assert 13 >= max(lengths)
    assert 1 >= sum(length != 7 for length in lengths)


def test_the_first_week_begins_with_what_is_known() -> None:
    """Act 1 of 2010 was of a Thursday; before it there is no week."""
    assert ("2010-01-07", "2010-01-10") == days(gaming_pack("us-pa"), "week", "2010-01-09")
    with pytest.raises(LookupError, match="nothing is known for 2010-01-06"):
        period_of(gaming_pack("us-pa"), "week", date(2010, 1, 6))
