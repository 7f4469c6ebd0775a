"""A variance is one thing: every page and report has it on the same day, with the same case."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.table_inventory.day import OPENER
from tests.support import Databases
from tests.support.pit import DAY, PROPERTY, InventoryDesk, Rounds, Table, at, chips
from tests.support.twins import World, corrected, voided, world_of

NEXT = "2026-11-21"
PEOPLE = {"dealer": "dealer.dan", "floorperson": "floor.fay"}
SHORT = chips(c500=800, c2500=600)


@pytest.fixture
def world(databases: Databases) -> Iterator[World]:
    """Table inventory, vigorish and reporting."""
    with world_of(databases) as found:
        yield found


def counted(table: Table, hours: float, purpose: str, contents: Any, **more: Any) -> dict[str, Any]:
    """A count of the table."""
    return table.event("table.counted", at(hours), contents=contents, purpose=purpose, **PEOPLE, **more)


def case_of(desk: InventoryDesk, day: str, number: int) -> str:
    """The path of an inventory variance."""
    return f"/variances/{PROPERTY}/{day}/inventory/BJ-01/{number}"


def resolve(desk: InventoryDesk, path: str) -> None:
    """Somebody explains a variance."""
    desk.done(f"{path}/own", {"owner": "audit.kim"}, person="audit.lou")
    desk.done(f"{path}/resolve", {"conclusion": "overpaid"}, person="audit.kim")


@pytest.mark.parametrize(("hours", "day"), [(25.0, DAY), (27.5, NEXT)])
def test_every_page_has_a_variance_on_the_day_that_it_is_of_by_now(desk: InventoryDesk, hours: float, day: str) -> None:
    """A spot count an hour after the end: it is of the old day until nobody may count at its end any more."""
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), OPENER), counted(table, 24, "spot", SHORT))
    desk.clock.now = at(hours)
    for one in (DAY, NEXT):
        expected = [2] if one == day else []
        pages = [
            desk.read(f"/variances?property={PROPERTY}&gaming_day={one}")["items"],
            desk.read(f"/gaming-days/{PROPERTY}/{one}/whole")["variances"],
            desk.get(f"/gaming-days/{PROPERTY}/{one}/review", person="audit.kim").json()["variances"],
        ]
        assert [expected] * 3 == [[found["number"] for found in page] for page in pages]
        assert (200 if expected else 404) == desk.get(case_of(desk, one, 2)).status_code
    owned = desk.done(f"{case_of(desk, day, 2)}/own", {"owner": "audit.kim"}, person="audit.lou")
    assert ("audit.kim", -1_000_00) == (owned["owner"], owned["cents"])


def test_a_case_goes_with_its_variance_to_another_day(world: World) -> None:
    """The count that began the next day never was: the count behind it is of the day before, and stays resolved."""
    desk, table = world.inventory, Table("BJ-01")
    begins = {"gaming_day": NEXT, "shift": "day"}
    ended = counted(table, 20, "drop", OPENER, begins=begins)
    desk.pit(table.opened(at(0), OPENER), ended, counted(table, 20.5, "spot", SHORT))
    resolve(desk, case_of(desk, NEXT, 3))
    world.pit(voided(table, ended))
    assert [] == desk.variances(NEXT)
    [moved] = desk.variances(DAY)
    assert (3, -1_000_00, "resolved", "audit.kim") == tuple(
        moved[name] for name in ("number", "cents", "status", "owner")
    )
    again = desk.send(f"{case_of(desk, DAY, 3)}/resolve", {"conclusion": "again"}, person="audit.kim")
    assert (409, 1_000_00) == (again.status_code, desk.balances()["BJ-01", "", "inventory_variance"])
    world.picture()
    [row] = [one for one in world.section("count-variances", "inventories") if one["slip"] == "3"]
    assert ("resolved", "audit.kim", -1_000_00) == (row["status"], row["owner"], row["variance_cents"])


def test_what_is_resolved_again_is_posted_and_reported_once(world: World) -> None:
    """A late round changes a variance that is resolved: with the second resolution, the difference alone is posted."""
    desk, table, rounds = world.inventory, Table("BJ-01"), Rounds()
    desk.pit(table.opened(at(0), OPENER), *table.box_off(at(7.5)), table.closed(at(8), SHORT))
    desk.count_boxes(("BJ-01", 2, {}))
    resolve(desk, case_of(desk, DAY, 4))
    late = rounds.posted(table, at(7), "r-1", handle=0, payout=400_00)
    desk.settle(late)
    world.books.desk.feed("settlements", late)
    desk.done(f"{case_of(desk, DAY, 4)}/resolve", {"conclusion": "a round came late"}, person="audit.kim")
    assert 600_00 == desk.balances()["BJ-01", "", "inventory_variance"]
    world.picture()
    [row] = [one for one in world.section("count-variances", "inventories") if one["slip"] == "4"]
    assert ("resolved", -600_00) == (row["status"], row["variance_cents"])
    [row] = world.section("drop-and-win", "differences")
    explained = {"difference_cents": -600_00, "inventory_variance_cents": -600_00, "unexplained_cents": 0}
    assert explained == {name: row[name] for name in explained}


@pytest.mark.parametrize("hours", [1.5, 4.5])
def test_a_round_that_was_taken_back_leaves_every_denomination_known(desk: InventoryDesk, hours: float) -> None:
    """Also where it was played hours ago, and is read from the sums of its hour."""
    table, rounds = Table("BJ-01"), Rounds()
    desk.pit(table.opened(at(0), OPENER))
    wrong = rounds.posted(table, at(1), "r-1", handle=700_00, payout=0)
    desk.settle(wrong)

    def running() -> dict[str, Any]:
        moment = at(hours).isoformat().replace("+", "%2B")
        [found] = desk.read(f"/inventories?property={PROPERTY}&at={moment}")["tables"]
        return {**found["moves"], "known": found.get("expected_by_denomination")}

    assert (1, None) == (running()["unknown"], running()["known"])
    desk.settle(rounds.reversed(table, at(1.2), "r-1", handle=700_00, payout=0))
    assert (0, {"chip:500": 1000, "chip:2500": 600}) == (running()["unknown"], running()["known"])


def test_what_is_resolved_again_of_a_box_is_posted_by_instrument(desk: InventoryDesk) -> None:
    """A counter check is void after the box was explained: that is posted of checks, and nothing stays in the box."""
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), OPENER), table.sold(at(1), 1_000_00))
    issued = table.event("counter_check.issued", at(1.5), serial="K-1", cents=500_00, **PEOPLE)
    desk.pit(issued, *table.box_off(at(7.5)), table.closed(at(8), OPENER))
    checks = [{"serial": "K-1", "cents": 500_00}]
    desk.count_boxes(("BJ-01", 4, {"currency": [{"cents": 10000, "count": 9}], "counter_checks": checks}))
    path = f"/variances/{PROPERTY}/{DAY}/drop/BJ-01/4"
    resolve(desk, path)
    desk.pit(voided(table, issued))
    [changed] = [one for one in desk.variances() if one["variance"] == "drop"]
    assert ("changed", {"currency": -100_00, "counter_check": 500_00}) == (changed["status"], changed["by_instrument"])
    desk.done(f"{path}/resolve", {"conclusion": "the check was never issued"}, person="audit.kim")
    balances = desk.balances()
    assert {} == {key: cents for key, cents in balances.items() if key[2] == "box" and cents}
    explained = {key[1]: cents for key, cents in balances.items() if key[2] == "drop_variance"}
    assert {"currency": 100_00, "counter_check": -500_00} == explained


def test_a_box_that_is_explained_and_then_has_what_was_recorded_is_resolved_again(desk: InventoryDesk) -> None:
    """The sale was typed wrong: the difference is gone, and what was posted of it is taken back."""
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), OPENER), sale := table.sold(at(1), 1_000_00))
    desk.pit(*table.box_off(at(7.5)), table.closed(at(8), OPENER))
    desk.count_boxes(("BJ-01", 3, {"currency": [{"cents": 10000, "count": 9}]}))
    path = f"/variances/{PROPERTY}/{DAY}/drop/BJ-01/3"
    resolve(desk, path)
    desk.pit(corrected(table, sale, {**sale, "data": sale["data"] | {"cents": 900_00}}))
    [changed] = [one for one in desk.variances() if one["variance"] == "drop"]
    assert (0, "changed", -100_00) == tuple(changed[name] for name in ("cents", "status", "resolved_cents"))
    desk.done(f"{path}/resolve", {"conclusion": "typed wrong"}, person="audit.kim")
    assert [] == [key for key, cents in desk.balances().items() if key[2] in ("box", "drop_variance") and cents]
    assert [] == [one for one in desk.variances() if one["variance"] == "drop"]
