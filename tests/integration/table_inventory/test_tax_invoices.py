"""Invoices of payees of taxes: two people, for a return that a payee of the pack has, and that has ended."""

from typing import Any, Final

import pytest

from tests.support.asgi import assert_problem
from tests.support.pit import PROPERTY, InventoryDesk

TAX_INVOICES: Final = f"/tax-invoices/{PROPERTY}"
INVOICE: Final[dict[str, Any]] = {
    "invoice": "2026-47",
    "last_day": "2026-11-15",
    "payee": "Commonwealth of Pennsylvania",
    "cents": 4200,
    "received_on": "2026-11-18",
    "reason": "by mail",
}


def test_an_invoice_takes_two_people_and_a_revision_replaces_it(desk: InventoryDesk) -> None:
    """Whoever enters it does not approve it; while it waits, no revision is entered; nothing is posted."""
    entered = desk.done(TAX_INVOICES, INVOICE, person="control.eve")
    assert (1, "entered", "2026-11-09", "2026-11-15") == tuple(
        entered[name] for name in ("revision", "status", "first_day", "last_day")
    )
    assert_problem(desk.send(TAX_INVOICES, INVOICE, person="audit.kim"), 409, "revision 1 of invoice 2026-47 waits")
    own = desk.send(f"{TAX_INVOICES}/2026-47/1/approve", person="control.eve")
    assert_problem(own, 403, "control.eve entered revision 1 of invoice 2026-47")
    desk.done(f"{TAX_INVOICES}/2026-47/1/reject", {"reason": "whose casino?"}, person="control.eve")
    desk.done(TAX_INVOICES, INVOICE | {"cents": -100}, person="audit.kim")
    approved = desk.done(f"{TAX_INVOICES}/2026-47/2/approve", person="control.eve")
    assert ("approved", "control.eve", -100) == (approved["status"], approved["approved_by"], approved["cents"])
    assert_problem(desk.send(f"{TAX_INVOICES}/2026-47/2/approve", person="control.eve"), 409, "approved already")
    assert [("2026-47", 2, "approved"), ("2026-47", 1, "rejected")] == [
        (one["invoice"], one["revision"], one["status"])
        for one in desk.read(f"{TAX_INVOICES}?last_day=2026-11-15")["items"]
    ]
    assert [] == desk.read(f"{TAX_INVOICES}?last_day=2026-11-08")["items"]
    assert approved == desk.read(f"{TAX_INVOICES}/2026-47/2")
    assert {} == desk.balances()


def test_an_invoice_is_one_however_its_number_is_typed(desk: InventoryDesk) -> None:
    """A further entry in another case is a revision of it, under the number as it was typed first."""
    path, invoice = TAX_INVOICES, INVOICE | {"invoice": "INV-1"}
    desk.done(path, invoice, person="audit.kim")
    waits = desk.send(path, invoice | {"invoice": "inv-1"}, person="control.eve")
    assert_problem(waits, 409, "revision 1 of invoice INV-1 waits for a decision")
    desk.done(f"{path}/inv-1/1/approve", person="control.eve")
    revised = desk.done(path, invoice | {"invoice": "inv-1", "cents": 5000}, person="audit.kim")
    assert ("INV-1", 2) == (revised["invoice"], revised["revision"])
    desk.done(f"{path}/Inv-1/2/reject", {"reason": "it is 42.00"}, person="control.eve")
    listed = desk.read(f"{path}?last_day=2026-11-15")["items"]
    assert [("INV-1", 2), ("INV-1", 1)] == [(one["invoice"], one["revision"]) for one in listed]
    assert listed[0] == desk.read(f"{path}/iNV-1/2")


def test_a_revision_that_changes_nothing_is_refused(desk: InventoryDesk) -> None:
    """With what is approved already; what was rejected may be entered again, and so may what was before."""

    def decided(cents: int, step: str) -> int:
        revision: int = desk.done(TAX_INVOICES, INVOICE | {"cents": cents}, person="audit.kim")["revision"]
        body = {"reason": "whose casino?"} if step == "reject" else None
        desk.done(f"{TAX_INVOICES}/2026-47/{revision}/{step}", body, person="control.eve")
        return revision

    def same(cents: int) -> Any:
        again = INVOICE | {"cents": cents, "reason": "it came again"}
        return desk.send(TAX_INVOICES, again, person="audit.lou")

    assert [1, 2] == [decided(4200, "reject"), decided(4200, "approve")]
    why = "revision 2 of invoice 2026-47, approved by control.eve, says the same: $42.00 for Commonwealth of "
    why += "Pennsylvania, of the return that ends on 2026-11-15, received on 2026-11-18"
    assert_problem(same(4200), 409, why)
    assert 3 == decided(5000, "reject")
    assert_problem(same(4200), 409, "revision 2 of invoice 2026-47")
    assert [4, 5] == [decided(5000, "approve"), decided(4200, "approve")]


@pytest.mark.parametrize(
    ("more", "status", "said"),
    [
        ({"payee": "Commonwealth"}, 404, "payees: Commonwealth of Pennsylvania, host county and municipality"),
        ({"last_day": "2026-11-14"}, 409, "no return of Commonwealth of Pennsylvania ends on 2026-11-14"),
        ({"received_on": "2026-11-14"}, 409, "'received_on' 2026-11-14 is not between the end of the return"),
        ({"received_on": "2026-12-24"}, 409, "'received_on' 2026-12-24 is not between the end of the return"),
    ],
)
def test_an_invoice_is_for_a_return_that_there_is(
    desk: InventoryDesk, more: dict[str, str], status: int, said: str
) -> None:
    """Of a payee as the pack names it, and one that has ended."""
    assert_problem(desk.send(TAX_INVOICES, INVOICE | more, person="audit.kim"), status, said)
