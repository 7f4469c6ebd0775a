"""What is found by its printed number: counter checks, drop boxes, ratings and invoices, as people type the number."""

from typing import Any

from tests.integration.table_inventory.test_tax_invoices import INVOICE, TAX_INVOICES
from tests.support.asgi import assert_problem
from tests.support.pit import DAY, PROPERTY, InventoryDesk, Table, at, chips


def _found(desk: InventoryDesk, path: str, person: str = "reader") -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = desk.get(path, person=person).json()["items"]
    return items


def test_a_counter_check_is_found_by_the_end_of_its_serial_number(desk: InventoryDesk) -> None:
    """Paid or not, with what is owed on it."""
    table = Table("BJ-01")
    people = {"dealer": "dealer.dan", "floorperson": "floor.fay", "drawer": "p-1"}
    issued = [
        table.event("counter_check.issued", at(1), serial=serial, cents=1_000_00, **people)
        for serial in ("CC-10023", "CC-20023", "CC-7")
    ]
    desk.pit(table.opened(at(0), chips(c500=1000)), *issued)
    desk.done(
        f"/counter-checks/{PROPERTY}/CC-20023/redeem", {"cents": 1_000_00, "paid_in": "currency"}, person="cage.ann"
    )
    checks = f"/counter-checks/{PROPERTY}/find?typed="
    owed = [(one["serial"], one["left_cents"]) for one in _found(desk, f"{checks}0023", "cage.ann")]
    assert [("CC-10023", 1_000_00), ("CC-20023", 0)] == owed
    assert ["CC-7"] == [one["serial"] for one in _found(desk, f"{checks}cc-7", "cage.ann")]
    assert [] == _found(desk, f"{checks}023", "cage.ann")
    assert [] == _found(desk, "/counter-checks/lakeside/find?typed=0023", "cage.ann")


def test_a_drop_box_is_found_with_its_latest_removals_first(desk: InventoryDesk) -> None:
    """By its number in any case; a box goes back to tables, so that it has several."""
    table, other = Table("BJ-01"), Table("BJ-02")
    desk.pit(
        table.opened(at(0), chips(c500=10)),
        table.box_off(at(1), "A1", "A2"),
        table.box_off(at(3), "A2", "A3"),
        other.opened(at(0), chips(c500=10)),
        other.box_off(at(4), "A1", "A4"),
    )
    removed = _found(desk, f"/drop-counts/{PROPERTY}/boxes/find?box=a1")
    assert [("BJ-02", "A1", DAY), ("BJ-01", "A1", DAY)] == [
        (one["table"], one["box"], one["gaming_day"]) for one in removed
    ]
    assert [] == _found(desk, f"/drop-counts/{PROPERTY}/boxes/find?box=A9")


def test_a_rating_is_found_once_and_without_its_patron(desk: InventoryDesk) -> None:
    """However many steps it has; by who may read ratings."""
    desk.clock.now = at(1)
    opened = {"property": PROPERTY, "table": "BJ-01", "patron": "P-7", "seat": 3, "average_bet_cents": 50_00}
    for _ in range(2):
        desk.done("/ratings", opened, person="floor.fay")
    desk.done(f"/ratings/{PROPERTY}/pit-1/pause", {}, person="floor.fay")
    find = f"/ratings/find?property={PROPERTY}&typed="
    assert [{"rating": "pit-1", "gaming_day": DAY}] == _found(desk, f"{find}PIT-1", "floor.fay")
    assert ["pit-1"] == [one["rating"] for one in _found(desk, f"{find}it-1", "floor.fay")]
    assert_problem(desk.get(f"{find}pit-1", person="cage.ann"), 403, "does not have the role")


def test_an_invoice_is_found_with_its_revisions(desk: InventoryDesk) -> None:
    """The latest first."""
    desk.done(TAX_INVOICES, INVOICE, person="control.eve")
    desk.done(f"{TAX_INVOICES}/2026-47/1/reject", {"reason": "whose casino?"}, person="control.eve")
    desk.done(TAX_INVOICES, INVOICE, person="audit.kim")
    found = _found(desk, f"{TAX_INVOICES}/find?typed=6-47", "audit.kim")
    assert [("2026-47", 2), ("2026-47", 1)] == [(one["invoice"], one["revision"]) for one in found]
    assert [] == _found(desk, f"{TAX_INVOICES}/find?typed=-47", "audit.kim")
