"""Properties side by side: each by its own clock, tables, limits and law; what none of them knows waits."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from shared.contracts.inventory import PitRecorded
from tests.integration.table_inventory.day import PAPER
from tests.support.asgi import assert_problem
from tests.support.nightly import sampled
from tests.support.pit import DAY, PROPERTY, InventoryDesk, Table, at, chips
from tests.support.properties import property_event

LINCOLN = "lincoln"


@pytest.fixture
def two(desk: InventoryDesk) -> InventoryDesk:
    """Riverbend of Pennsylvania, and one of Rhode Island's law on another clock with a tighter limit."""
    law: dict[str, Any] = {"packs": ["us-ri"], "time_zone": "America/Chicago", "gaming_day_begins": "06:00"}
    limits = {"variance_report_cents": 500, "variance_authority_cents": 1500}
    more: dict[str, Any] = {"license_class": "facility", "other_gaming_day": "flag", "limits": limits}
    desk.desk.feed("properties", property_event(LINCOLN, ["PG-01"], sequence=2, **law, **more))
    return desk


def test_two_properties_have_their_own_limits_and_drop(two: InventoryDesk) -> None:
    """The same day at both: a variance of $20, and prepaid access, which is drop in Pennsylvania alone."""
    here, there = Table("BJ-01"), Table("PG-01", property_name=LINCOLN)
    for table in (here, there):
        two.pit(
            table.opened(at(2.5), chips(c500=100)),
            table.sold(at(3), 100_00, "prepaid_access"),
            *table.box_off(at(8)),
            table.closed(at(8), chips(c500=76)),
        )
        body = {"property": table.property, "gaming_day": DAY}
        number = two.done("/drop-counts", body, person="count.sue")["count"]
        for person in ("count.sue", "count.tom"):
            box = {"table": table.name, "exchange": 3, "figures": {}}
            two.done(f"/drop-counts/{table.property}/{number}/boxes", box, person=person)
        two.done(f"/drop-counts/{table.property}/{number}/conclude", person="count.sue")

    day = {name: f"property={name}&gaming_day={DAY}" for name in (PROPERTY, LINCOLN)}
    levels = {name: two.read(f"/variances?{asked}")["items"][0]["level"] for name, asked in day.items()}
    assert {PROPERTY: "noted", LINCOLN: "authority"} == levels
    reports = {name: two.read(f"/gaming-days/{name}/{DAY}/win") for name in (PROPERTY, LINCOLN)}
    assert {PROPERTY: (100_00, -20_00), LINCOLN: (0, -120_00)} == {
        name: (report["total"]["drop_cents"], report["total"]["win_cents"]) for name, report in reports.items()
    }
    assert {PROPERTY: "2025-01-11", LINCOLN: "2012-01-01"} == {
        name: report["provisions_from"] for name, report in reports.items()
    }
    assert ["currency", "counter_check"] == reports[LINCOLN]["drop"]


def test_what_nobody_filed_waits_until_it_is(desk: InventoryDesk) -> None:
    """An event of an unknown property or table is quarantined with what to file, and nothing of it is recorded."""
    elsewhere, nowhere = Table("BJ-01", property_name="atlantis"), Table("RO-01")
    desk.pit(elsewhere.opened(at(0), chips(c500=1)), nowhere.opened(at(0), chips(c500=1)))
    first, second = desk.quarantined()
    assert "no approved version of property 'atlantis' is in effect at 2026-11-20T10:00:00+00:00: file and" in first
    assert "table 'RO-01' is not among the tables of riverbend (version 1): file and approve a version" in second
    assert {"record.quarantined"} == {entry.draft.kind for entry in desk.entries()}


def test_the_day_before_the_first_is_a_gaming_day_only_of_what_the_pit_reported(desk: InventoryDesk) -> None:
    """Nobody closes it, or enters anything of it; a late event of it, within the margin, makes it one to be closed."""
    begins = property_event("harbor", ["BJ-01"], sequence=2, effective_from="2026-11-20T04:00:00-05:00")
    desk.desk.feed("properties", begins)
    before = "2026-11-19"
    contest = {"contest": "friday", "fees_cents": 1, "prizes_cents": 0, "reason": "sheet 7"}
    for path, body in ((f"/gaming-days/harbor/{before}/preliminary", None), (f"/contests/harbor/{before}", contest)):
        assert_problem(desk.desk.post(path, body, person="audit.kim"), 404, f"in effect on gaming day {before}")
    assert 404 == desk.desk.get(f"/gaming-days/harbor/{before}/follow-ups", person="audit.kim").status_code
    assert 200 == desk.desk.get(f"/gaming-days/harbor/{DAY}/follow-ups", person="audit.kim").status_code
    table = Table("BJ-01", property_name="harbor")
    table.day = before
    desk.pit(table.opened(at(-0.9), chips(c500=1)))
    assert [] == desk.quarantined()
    assert 200 == desk.desk.get(f"/gaming-days/harbor/{before}/follow-ups", person="audit.kim").status_code


def test_another_gaming_day_is_refused_where_the_property_says_so(desk: InventoryDesk) -> None:
    """What lies within the boundary of its day is taken: an opener before it begins, a drop after it ends."""
    table = Table("BJ-01")
    desk.pit(
        table.opened(at(-4.5), chips(c500=1)),  # 00:30 in New York; the day begins at 04:00
        table.closed(at(-5), chips(c500=1), gaming_day="2026-11-18"),
    )
    [reason] = desk.quarantined()
    assert (
        "'gaming_day' 2026-11-18: 2026-11-20 00:00:00 is in gaming day 2026-11-19 of riverbend, which begins at "
        "04:00 in America/New_York"
    ) in reason
    begun = {"purpose": "drop", "begins": {"gaming_day": "2026-12-24", "shift": "day"}, "contents": chips(c500=1)}
    desk.pit(table.event("table.counted", at(9), dealer="dealer.dan", floorperson="floor.fay", **begun))
    assert "'gaming_day' 2026-12-24" in desk.quarantined()[1]


def test_another_gaming_day_is_flagged_where_the_property_says_so(two: InventoryDesk) -> None:
    """It is recorded under the day of its moment, and says which day was claimed."""
    table = Table("PG-01", property_name=LINCOLN)
    two.pit(table.opened(at(3), chips(c500=1), gaming_day="2026-11-22"))
    assert [] == two.quarantined()
    assert [date(2026, 11, 22)] == [one.claimed_day for one in two.desk.facts() if isinstance(one, PitRecorded)]
    [row] = two.read(f"/inventories?property={LINCOLN}")["tables"]
    assert DAY == row["gaming_day"]


def test_gaming_days_follow_a_change_of_the_clock(desk: InventoryDesk) -> None:
    """The day of November 1, 2026 has 25 hours: ten hours after it began the boundary has moved with the clock."""
    exact = property_event(PROPERTY, sequence=2, version=2, plausibility={"boundary_minutes": 0})
    desk.desk.feed("properties", exact)
    table = Table("BJ-01")
    table.day = "2026-10-31"
    last, first = datetime(2026, 11, 1, 8, 59, tzinfo=UTC), datetime(2026, 11, 1, 9, tzinfo=UTC)
    desk.pit(table.opened(last, chips(c500=1)))  # 03:59 in New York, after the clock was put back
    desk.pit(table.sold(first, 100))  # 04:00
    [reason] = desk.quarantined()
    assert "2026-11-01 04:00:00 is in gaming day 2026-11-01" in reason
    table.day = "2026-11-01"
    desk.pit(table.sold(first, 100))
    assert 1 == len(desk.quarantined())


@sampled(2)
@pytest.mark.parametrize(
    ("path", "person", "body"),
    [
        ("/requests", "pit.ray", {"slip": "fill", "table": "BJ-01", "shift": "day", "contents": chips(c500=1)}),
        ("/drop-counts", "count.sue", {}),
        ("/manual-slips", "cage.bob", PAPER),
        ("/manual-slips/void", "cage.bob", {"slip": "fill", "number": 1, "reason": "spoilt"}),
        (f"/gaming-days/atlantis/{DAY}/preliminary", "audit.kim", None),
        (f"/gaming-days/atlantis/{DAY}/audited", "audit.kim", None),
        (f"/gaming-days/atlantis/{DAY}/final", "control.eve", None),
        (f"/variances/atlantis/{DAY}/drop/BJ-01/1/own", "audit.kim", {"owner": "audit.kim"}),
    ],
)
def test_a_command_about_an_unknown_property_is_rejected(
    desk: InventoryDesk, path: str, person: str, body: dict[str, Any] | None
) -> None:
    """404, with what to file."""
    place = {} if "atlantis" in path else {"property": "atlantis", "gaming_day": DAY}
    sent = (body or {}) | place if place or body else body
    answer = desk.send(path, {} if sent is None and path.endswith("preliminary") else sent, person=person)
    assert_problem(answer, 404, "no approved version of property 'atlantis' is in effect on gaming day 2026-11-20")


def test_the_win_of_an_unknown_property_is_not_found(desk: InventoryDesk) -> None:
    """There is no law by which its win could be computed."""
    answer = desk.get(f"/gaming-days/atlantis/{DAY}/win")
    assert_problem(answer, 404, "no approved version of property 'atlantis'")


def test_slips_are_for_tables_and_gaming_days_of_the_property(desk: InventoryDesk) -> None:
    """A request for a table that is not there; a paper slip of a moment that lies in another gaming day."""
    wanted = {"slip": "fill", "property": PROPERTY, "gaming_day": DAY, "shift": "day", "contents": chips(c500=1)}
    answer = desk.send("/requests", wanted | {"table": "RO-01"}, person="pit.ray")
    assert_problem(answer, 404, "table 'RO-01' is not among the tables of riverbend")
    answer = desk.send("/manual-slips", PAPER | {"gaming_day": "2026-11-18"}, person="cage.bob")
    assert_problem(answer, 422, "'gaming_day' 2026-11-18: 2026-11-20 07:00:00 is in gaming day 2026-11-20")
