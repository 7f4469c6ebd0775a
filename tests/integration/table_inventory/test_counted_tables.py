"""A counted table reports no rounds: what its counts find is its win, posted as it is stated, and no variance."""

from collections.abc import Iterator
from typing import Any

import pytest

from shared.contracts.win import WinStated
from tests.integration.table_inventory.day import OPENER
from tests.support import Databases
from tests.support.asgi import assert_problem
from tests.support.pit import DAY, PROPERTY, InventoryDesk, Table, at, chips
from tests.support.properties import property_event
from tests.support.twins import World, corrected, voided, world_of

NEXT = "2026-11-21"
PEOPLE = {"dealer": "dealer.dan", "floorperson": "floor.fay"}
CLOSER = chips(c500=1000, c2500=520)  # 2,000.00 less than the opener
FOUND: dict[str, Any] = {
    "currency": [{"cents": 10000, "count": 50}],
    "counter_checks": [{"serial": "CC-1", "cents": 1_000_00}],
}
WIN_CENTS = 4_000_00  # closer 18,000 and drop 6,000 less opener 20,000


@pytest.fixture
def world(databases: Databases) -> Iterator[World]:
    """Table inventory, vigorish and reporting."""
    with world_of(databases) as found:
        yield found


def counts_only(world: World, sales: str, **changes: Any) -> None:
    """From now on the property says that its table is counted, and reports these sales."""
    tables = {"BJ-01": {"play": "counted", "sales": sales}}
    for desk, sequence in ((world.inventory.desk, 3), (world.books.desk, 4), (world.vigorish, 2)):
        desk.feed("properties", property_event(PROPERTY, tables, sequence=sequence, version=3, **changes))


def check(table: Table) -> dict[str, Any]:
    """A counter check of 1,000 dollars is issued at the table."""
    return table.event("counter_check.issued", at(2), serial="CC-1", cents=1_000_00, **PEOPLE)


def play(world: World, *sold: int, closer: Any = CLOSER) -> Table:
    """A day of the table: a check, some of its sales reported, a spot count in play, its box off and counted."""
    table = Table("BJ-01")
    spot = table.event("table.counted", at(3), contents=chips(c500=1100, c2500=520), purpose="spot", **PEOPLE)
    events = [table.opened(at(0), OPENER), check(table), spot]
    events += [table.sold(at(4), cents) for cents in sold]
    events += table.box_off(at(7.5))
    world.pit(*events, table.closed(at(8), closer))
    world.inventory.count_boxes(("BJ-01", table.sequence - 2, FOUND))
    world.inventory.state()
    return table


def seal(desk: InventoryDesk, day: str = DAY) -> dict[str, Any]:
    """Three people close a gaming day; nothing stands against it."""
    path = f"/gaming-days/{PROPERTY}/{day}"
    desk.done(f"{path}/preliminary", {}, person="audit.kim")
    desk.done(f"{path}/audited", person="audit.lou")
    report: dict[str, Any] = desk.done(f"{path}/final", person="control.eve")["report"]
    return report


@pytest.mark.parametrize(
    ("sales", "sold", "unrecorded"),
    [("each", (3_000_00, 2_000_00), 0), ("over", (3_000_00,), 2_000_00), ("none", (), 5_000_00)],
)
def test_what_counting_finds_is_the_win(world: World, sales: str, sold: tuple[int, ...], unrecorded: int) -> None:
    """Whichever sales are reported the win is the same, makes no case, and is posted as revenue by count."""
    counts_only(world, sales)
    play(world, *sold)
    desk = world.inventory
    [row] = desk.win()["tables"]
    counted = WIN_CENTS
    expected = {
        "play": "counted",
        "win_cents": WIN_CENTS,
        "counted_win_cents": counted,
        "unrecorded_currency_cents": unrecorded,
        "unrecorded_checks_cents": 0,
        "inventory_variance_cents": 0,
        "drop_variance_cents": 0,
        "difference_cents": 0,
        "rounds_win_cents": 0,
    }
    assert expected == {name: row[name] for name in expected}
    assert [] == desk.variances()
    balances = desk.balances()
    legs = {"inventory": 18_000_00, "counted_win": -counted}
    assert legs == {leg: sum(cents for key, cents in balances.items() if key[2] == leg) for leg in legs}
    assert not [key for key in balances if key[2] in ("box", "inventory_variance", "drop_variance")]
    assert WIN_CENTS == seal(desk)["total"]["final_win_cents"]


def test_reports_say_which_tables_are_counted(world: World) -> None:
    """Drop and win is explained by the counts alone; no report of variances or exceptions has a case of them."""
    counts_only(world, "none")
    play(world)
    world.picture()
    [row] = world.section("drop-and-win", "tables")
    assert ("counted", WIN_CENTS, 0) == (row["play"], row["win_cents"], row["counted_less_settled_cents"])
    [row] = world.section("drop-and-win", "differences")
    explained = {"difference_cents": WIN_CENTS, "counted_win_cents": WIN_CENTS}
    explained |= dict.fromkeys(("drop_variance_cents", "inventory_variance_cents", "unexplained_cents"), 0)
    assert explained == {name: row[name] for name in explained}
    [row] = world.section("master-game", "tables")
    assert ("counted", WIN_CENTS, WIN_CENTS) == (row["play"], row["win_cents"], row["counted_win_cents"])
    rows = world.section("count-variances", "inventories")
    assert [(-500_00, None), (-500_00, None)] == [
        (one["counted_win_cents"], one["variance_cents"]) for one in rows if one["purpose"] != "opener"
    ]
    [box] = world.section("count-variances", "boxes")
    assert (5_000_00, 0, "none") == (box["unrecorded_cents"], box["variance_cents"], box["status"])
    assert ["BJ-01"] == [one["table"] for one in world.section("win-as-settled", "not_settled")]
    kinds = {one["kind"] for name in ("open", "over") for one in world.section("exceptions", name)}
    assert "variance" not in kinds


def test_what_changes_later_is_posted_again_by_itself(world: World) -> None:
    """A closer that was typed wrong and a sale that never was: the win follows, and the books with it."""
    counts_only(world, "over")
    table = Table("BJ-01")
    wrong, never = chips(c500=1000, c2500=500), table.opened(at(0), OPENER)
    sale = table.sold(at(1), 4_000_00)
    events = [never, check(table), sale, *table.box_off(at(7.5)), closed := table.closed(at(8), wrong)]
    world.pit(*events)
    world.inventory.count_boxes(("BJ-01", 4, FOUND))
    world.inventory.state()
    right = {**closed, "data": closed["data"] | {"contents": CLOSER}}
    world.pit(voided(table, sale), corrected(table, closed, right))
    world.inventory.state()
    [row] = world.inventory.win()["tables"]
    assert (WIN_CENTS, WIN_CENTS, 5_000_00) == tuple(
        row[name] for name in ("win_cents", "counted_win_cents", "unrecorded_currency_cents")
    )
    balances = world.inventory.balances()
    assert 18_000_00 == balances["BJ-01", "", "inventory"]
    assert -WIN_CENTS == sum(cents for key, cents in balances.items() if key[2] == "counted_win")
    assert not [key for key in balances if key[2] == "box"]
    stated = [fact for fact in world.inventory.desk.facts() if isinstance(fact, WinStated)]
    assert WIN_CENTS == sum(fact.changes.counted_win_cents for fact in stated)


def test_less_than_was_recorded_is_missing(world: World) -> None:
    """The box has less cash than the reported sale, and lacks the check: a drop variance, whatever sales are told."""
    counts_only(world, "over")
    table = Table("BJ-01")
    world.pit(table.opened(at(0), OPENER), check(table), table.sold(at(4), 6_000_00), *table.box_off(at(7.5)))
    world.pit(table.closed(at(8), CLOSER))
    world.inventory.count_boxes(("BJ-01", 4, {"currency": FOUND["currency"]}))
    [variance] = world.inventory.variances()
    assert ("drop", {"currency": -1_000_00, "counter_check": -1_000_00}) == (
        variance["variance"],
        variance["by_instrument"],
    )
    [row] = world.inventory.win()["tables"]
    assert (3_000_00, 5_000_00, -2_000_00) == tuple(
        row[name] for name in ("win_cents", "counted_win_cents", "drop_variance_cents")
    )


def test_chips_that_go_while_the_table_is_closed_are_no_win(world: World) -> None:
    """Nobody plays at a closed table: the opener that has less than the closer before it is a variance with a case."""
    counts_only(world, "none")
    table = play(world)
    table.day = NEXT
    world.pit(table.opened(at(26), chips(c500=1000, c2500=500)))
    [variance] = world.inventory.variances(NEXT)
    assert ("inventory", -500_00) == (variance["variance"], variance["cents"])
    world.picture()
    assert [] == [one for one in world.inventory.variances() if one["cents"]]


def test_an_adjustment_of_a_counted_table_is_of_its_win(world: World) -> None:
    """A credit that is found after the seal raises the counted win; cash found later is drop."""
    counts_only(world, "none")
    play(world)
    seal(world.inventory)
    path = f"/gaming-days/{PROPERTY}/{DAY}/adjustments"
    for number, figure in enumerate(("credits", "currency"), start=1):
        wanted = {"table": "BJ-01", "shift": "day", "figure": figure, "cents": 100_00, "reason": "found"}
        world.inventory.done(path, wanted, person="audit.kim")
        world.inventory.done(f"{path}/{number}/approve", person="control.eve")
    balances = world.inventory.balances()
    assert -WIN_CENTS - 200_00 == sum(cents for key, cents in balances.items() if key[2] == "counted_win")
    assert not [key for key in balances if key[2] in ("box", "inventory_variance")]


def test_a_table_is_counted_from_a_gaming_day_on(world: World) -> None:
    """Before it, what a count finds is a variance: each day is by the version of the property that it began under."""
    counts_only(world, "none", effective_from=f"{NEXT}T09:00:00+00:00")
    table = Table("BJ-01")
    drop = table.event(
        "table.counted",
        at(24),
        contents=CLOSER,
        purpose="drop",
        begins={"gaming_day": NEXT, "shift": "day"},
        **PEOPLE,
    )
    world.pit(table.opened(at(0), OPENER), drop)
    table.day = NEXT
    world.pit(table.closed(at(30), OPENER))
    assert [-2_000_00] == [one["cents"] for one in world.inventory.variances()]
    assert [] == world.inventory.variances(NEXT)
    refused = world.inventory.get(f"/variances/{PROPERTY}/{NEXT}/inventory/BJ-01/3")
    assert_problem(refused, 404, "there is no such variance")
