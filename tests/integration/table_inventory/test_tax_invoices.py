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
