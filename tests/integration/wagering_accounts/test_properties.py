"""Two properties of two states side by side: each in its own gaming day, and none that was not published."""

from datetime import UTC, datetime
from typing import Any

from tests.support.accounts import PROPERTY, House
from tests.support.properties import property_event
from tests.support.services import query

LINCOLN = "lincoln"
BEFORE_SIX = datetime(2026, 11, 20, 10, tzinfo=UTC)  # five in New York


def opened(house: House, property_name: str, table: str) -> int:
    """Open a game account of that name at a property, and bring ten dollars."""
    body = {"property": property_name, "account": "GA-1", "table": table}
    status = house.send("/accounts", body).status_code
    if status == 201:
        path = f"/accounts/{property_name}/GA-1/buy-ins"
        assert 200 == house.send(path, {"instrument": "cash", "cents": 1_000}).status_code
    return status


def test_two_properties_are_in_different_gaming_days_at_one_moment(house: House) -> None:
    """At five the day has begun in Pennsylvania at four, and begins in Rhode Island at six."""
    law: dict[str, Any] = {"packs": ["us-ri", "us-federal"], "gaming_day_begins": "06:00"}
    house.desk.feed("properties", property_event(LINCOLN, ["PG-01"], sequence=2, **law))
    house.clock.now = BEFORE_SIX
    assert [201, 201] == [opened(house, PROPERTY, "BJ-01"), opened(house, LINCOLN, "PG-01")]
    days = query(house.url, "SELECT DISTINCT property, gaming_day::text FROM wagering_accounts.lines ORDER BY 1")
    assert [(LINCOLN, "2026-11-19"), (PROPERTY, "2026-11-20")] == days


def test_a_property_that_was_not_published_is_not_there(house: House) -> None:
    """Nothing is opened at it; published, it takes commands at once."""
    assert 404 == opened(house, LINCOLN, "PG-01")
    house.desk.feed("properties", property_event(LINCOLN, ["PG-01"], sequence=2))
    assert 201 == opened(house, LINCOLN, "PG-01")
