"""How people say which period a report is about."""

import pytest

from services.cli.books.report import period_asked
from services.cli.exits import UsageWrong


@pytest.mark.parametrize(
    ("period", "text", "first"),
    [
        ("day", "2026-11-20", "2026-11-20"),
        ("week", "2026-11-20", "2026-11-20"),
        ("month", "2026-11", "2026-11-01"),
        ("quarter", "2026-Q4", "2026-10-01"),
        ("year", "2026", "2026-01-01"),
    ],
)
def test_a_period_is_asked_for_by_a_day_of_it(period: str, text: str, first: str) -> None:
    """The law of the property says where it begins and ends."""
    asked = dict.fromkeys(("day", "week", "month", "quarter", "year")) | {period: text}
    assert {"period": period, "gaming_day": first} == period_asked(asked)


@pytest.mark.parametrize(("period", "text"), [("month", "2026-13"), ("quarter", "2026-Q5"), ("quarter", "2026-4")])
def test_what_is_no_period_is_refused(period: str, text: str) -> None:
    """The message says how to write one."""
    with pytest.raises(UsageWrong, match=f"--{period} '{text}': give it as YYYY-"):
        period_asked({period: text})


def test_one_period_is_asked_for() -> None:
    """Not none, not two."""
    for given in ({}, {"day": "2026-11-20", "year": "2026"}):
        with pytest.raises(UsageWrong, match="which period"):
            period_asked({"day": None, **given})
