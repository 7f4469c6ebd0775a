"""Pools of two properties of two states side by side: each in its own gaming day, at tables of its own."""

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.support.asgi import assert_problem
from tests.support.properties import property_event
from tests.support.rounds import submission
from tests.unit.progressive_meters.office import Office, feed, terms
from tests.unit.progressive_meters.settlements import PROPERTY

LINCOLN = "lincoln"
ISLAND_CENTS = 1_000_000
"""The least initial and reset amount in Rhode Island."""
BEFORE_SIX = datetime(2026, 11, 20, 10, tzinfo=UTC)  # five in New York


@pytest.fixture
def both(office: Office) -> Office:
    """The service before six, when it knows a property of Rhode Island whose gaming day begins then."""
    law: dict[str, Any] = {"packs": ["us-ri", "us-federal"], "gaming_day_begins": "06:00"}
    office.desk.feed("properties", property_event(LINCOLN, {"PG-01": "pai-gow"}, sequence=2, **law))
    meter = {"paytable": "one_dollar", "meter": {"rate": "0.21", "reset": ISLAND_CENTS}}
    played = {"game": "pai-gow", "regulation": "ri-pai-gow", "tables": ["PG-01"]}
    selected = {"decks": 1, "wagers": {"progressive_payout": meter}}
    office.learn(submission(2, property=LINCOLN, **played, submission=selected))
    office.clock.now = BEFORE_SIX
    return office


def of(property_name: str, day: str) -> dict[str, Any]:
    """The terms of a pool of a property that begins before six, on a gaming day."""
    when = {"gaming_day": day, "effective_from": BEFORE_SIX.isoformat()}
    if property_name == PROPERTY:
        return terms(**when)
    amounts = {"base_cents": ISLAND_CENTS, "reset_cents": ISLAND_CENTS}
    return terms("major", feed("PG-01", "pai-gow", "progressive_payout"), property=property_name, **when, **amounts)


def test_a_pool_begins_in_the_gaming_day_of_its_property(both: Office) -> None:
    """At one moment it is another day in Pennsylvania than in Rhode Island."""
    for name, day, other in ((PROPERTY, "2026-11-20", "2026-11-19"), (LINCOLN, "2026-11-19", "2026-11-20")):
        assert_problem(both.send("/pools", of(name, other)), 422, f"is in gaming day {day} of {name}")
        filed = both.send("/pools", of(name, day), person="carl")
        assert 201 == filed.status_code, filed.text
        assert 200 == both.send(f"{filed.headers['location']}/approve", person="bob").status_code
        assert day == both.read(f"/pools/{name}/major/movements")["items"][0]["gaming_day"]


def test_the_least_amounts_are_those_of_the_property_s_own_law(both: Office) -> None:
    """What Pennsylvania allows for its meters, Rhode Island does not for its own."""
    low = of(LINCOLN, "2026-11-19") | {"base_cents": 500000, "reset_cents": 500000}
    assert_problem(both.send("/pools", low), 422, "below 1000000, the least initial and reset amount (R.I. Table Game")


def test_a_day_that_has_not_begun_is_neither_reconciled_nor_changed(both: Office) -> None:
    """It begins when the property's clock says so."""
    for name, day in ((PROPERTY, "2026-11-20"), (LINCOLN, "2026-11-19")):
        filed = both.send("/pools", of(name, day), person="carl")
        both.send(f"{filed.headers['location']}/approve", person="bob")
    change = {"kind": "adjustment", "cents": 1, "gaming_day": "2026-11-20", "reason": "as counted"}
    wanted = {"gaming_day": "2026-11-20", "reason": "close"}
    for name, statuses in ((PROPERTY, [201, 201]), (LINCOLN, [409, 409])):
        answers = [
            both.send("/reconciliations", wanted | {"property": name}, person="kim"),
            both.send(f"/pools/{name}/major/changes", change),
        ]
        assert statuses == [answer.status_code for answer in answers]
    assert_problem(answers[0], 409, "which begins at 06:00 in America/New_York")


def test_a_property_that_was_not_published_has_no_pools(office: Office) -> None:
    """It is said what to file; nothing is filed, changed or reconciled."""
    where = {"property": "nowhere"}
    day = {"gaming_day": "2026-11-20", "reason": "close"}
    for answer in (
        office.send("/pools", terms(**where)),
        office.send("/pools/nowhere/major/changes", {"kind": "reset", **day}),
        office.send("/reconciliations", where | day, person="kim"),
    ):
        assert_problem(answer, 404, "file and approve a property document")


def test_a_table_that_went_since_is_found_at_the_approval(office: Office) -> None:
    """Who approves hears what has changed since the terms were filed."""
    filed = office.send("/pools", terms(), person="carl")
    later: dict[str, Any] = {"effective_from": "2026-11-19T12:00:00Z", "version": 2}
    office.desk.feed("properties", property_event(PROPERTY, ["BJ-02"], sequence=2, **later))
    answer = office.send(f"{filed.headers['location']}/approve", person="bob")
    assert_problem(answer, 422, "table 'BJ-01' is not among the tables of riverside (version 2)")
