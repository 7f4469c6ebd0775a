"""Counter checks that are not simply paid: cleared by the bank, in collection, written off by two people, recovered."""

import pytest

from tests.integration.table_inventory.test_credit_lines import (
    CHECKS,
    CREDIT,
    RULES,
    granted,
    issue,
    prepared,
    standing,
)
from tests.support.asgi import assert_problem
from tests.support.pit import PROPERTY, InventoryDesk, Table, at, chips
from tests.support.twins import voided

WRITE_OFFS = f"/check-write-offs/{PROPERTY}"


def entered(serial: str, cents: int, kind: str = "uncollectible") -> dict[str, object]:
    """A write-off of a counter check to be entered."""
    return {"serial": serial, "write_off_kind": kind, "cents": cents, "reason": "bankrupt, file 9"}


def written_off(desk: InventoryDesk, serial: str, cents: int, kind: str = "uncollectible") -> int:
    """Two people write off a counter check; gives the number."""
    number: int = desk.done(WRITE_OFFS, entered(serial, cents, kind), person="credit.una")["check_write_off"]
    desk.done(f"{WRITE_OFFS}/{number}/approve", person="boss.cal")
    return number


@pytest.fixture
def owing(desk: InventoryDesk) -> InventoryDesk:
    """A patron with a limit of 1,000.00 owes check K-1 of 600.00."""
    desk.has_only("BJ-01", **RULES)
    desk.clock.now = at(0.5)
    granted(desk, 1_000_00)
    table = Table("BJ-01")
    desk.pit(table.opened(at(0.5), chips(c500=1000)))
    desk.done(f"{CREDIT}/checks", prepared("K-1", 600_00), person="pit.kai")
    issue(desk, table, "K-1", 600_00)
    return desk


def test_a_deposit_is_outstanding_until_the_bank_paid_it(owing: InventoryDesk) -> None:
    """Once cleared it frees the line, and neither comes back nor is void; what no bank returns is not cleared."""
    owing.done(f"{CHECKS}/K-1/redeem", {"cents": 500_00, "paid_in": "deposit"}, person="cage.ann")
    paid = owing.done(f"{CHECKS}/K-1/redeem", {"cents": 50_00, "paid_in": "chips"}, person="cage.ann")
    assert "p-1" == paid["drawer"]  # where nobody else is named, the patron who owes it
    assert (1_000_00, 550_00, 450_00) == standing(owing)
    cleared = owing.done(f"{CHECKS}/redemptions/1/clear", {}, person="cage.bob")
    assert (3, 1, 500_00) == (cleared["step"], cleared["clears"], cleared["cents"])
    assert (1_000_00, 50_00, 950_00) == standing(owing)
    again = owing.send(f"{CHECKS}/redemptions/1/clear", {}, person="cage.bob")
    assert_problem(again, 409, "redemption 1 of counter check K-1 is cleared already")
    back = owing.send(f"{CHECKS}/redemptions/1/return", {"reason": "no funds"}, person="cage.bob")
    assert_problem(back, 409, "redemption 1 of counter check K-1 is cleared already")
    chips_paid = owing.send(f"{CHECKS}/redemptions/2/clear", {}, person="cage.bob")
    assert_problem(chips_paid, 422, "was paid in chips: no bank returns that")


def test_a_check_that_came_back_stops_the_line_until_the_bank_has_paid(owing: InventoryDesk) -> None:
    """Neither another deposit of it nor another check in its place is a payment."""
    owing.done(f"{CHECKS}/K-1/redeem", {"cents": 600_00, "paid_in": "deposit"}, person="cage.ann")
    owing.done(f"{CHECKS}/redemptions/1/return", {"reason": "no funds"}, person="cage.ann")
    in_place = owing.send(CHECKS, {"serial": "K-2", "replaces": ["K-1"]}, person="cage.ann")
    assert_problem(in_place, 422, "counter check K-1 came back unpaid: it is paid or collected, not replaced")
    again = owing.done(f"{CHECKS}/K-1/redeem", {"cents": 600_00, "paid_in": "deposit"}, person="cage.ann")
    assert (1_000_00, 600_00, 0) == standing(owing)
    refused = owing.send(f"{CREDIT}/checks", prepared("K-3", 1), person="pit.kai")
    assert_problem(refused, 422, "counter check K-1 of patron p-1 at riverbend came back unpaid")
    owing.done(f"{CHECKS}/redemptions/{again['step']}/clear", {}, person="cage.bob")
    assert (1_000_00, 0, 1_000_00) == standing(owing)
    owing.done(f"{CREDIT}/checks", prepared("K-3", 1), person="pit.kai")


def test_a_check_is_written_off_by_two_people_and_recovered_up_to_that(owing: InventoryDesk) -> None:
    """It is not owed any more, and the patron gets no other one until it is paid; the money is posted."""
    given = owing.done(f"{CHECKS}/K-1/collection", {"collector": "Smith and Roe, counsel"}, person="cage.ann")
    assert ("p-1", 600_00) == (given["drawer"], given["left_cents"])
    above = owing.send(WRITE_OFFS, entered("K-1", 600_01), person="credit.una")
    assert_problem(above, 409, "counter check K-1 has $600.00 left: $600.01 of it cannot be written off")
    number = owing.done(WRITE_OFFS, entered("K-1", 600_00), person="boss.bea")["check_write_off"]
    assert_problem(
        owing.send(WRITE_OFFS, entered("K-1", 1), person="credit.una"), 409, "entered already, and undecided"
    )
    path = f"{WRITE_OFFS}/{number}"
    assert_problem(owing.send(f"{path}/approve", person="boss.bea"), 403, "boss.bea entered write-off 1 of counter")
    early = owing.send(f"{path}/recover", {"cents": 1, "paid_in": "currency"}, person="cage.ann")
    assert_problem(early, 409, "is entered: nothing of it is recovered")
    assert "approved" == owing.done(f"{path}/approve", person="boss.cal")["status"]
    assert (1_000_00, 0, 0) == standing(owing)
    refused = owing.send(f"{CREDIT}/checks", prepared("K-2", 1), person="pit.kai")
    assert_problem(refused, 422, "$600.00 of patron p-1 at riverbend are written off")
    assert (
        250_00
        == owing.done(f"{path}/recover", {"cents": 250_00, "paid_in": "currency"}, person="cage.ann")["recovered_cents"]
    )
    beyond = owing.send(f"{path}/recover", {"cents": 350_01, "paid_in": "currency"}, person="cage.ann")
    assert_problem(beyond, 409, "has $350.00 to be recovered, not $350.01")
    owing.done(f"{path}/recover", {"cents": 350_00, "paid_in": "chips"}, person="cage.ann")
    owing.done(f"{CREDIT}/checks", prepared("K-2", 1), person="pit.kai")
    balances = owing.balances()
    assert (600_00, -600_00, -600_00, 250_00, 350_00) == (
        balances["", "", "checks_written_off"],
        balances["", "", "checks_redeemed"],
        balances["", "", "checks_recovered"],
        balances["", "currency", "check_payments"],
        balances["", "chips", "check_payments"],
    )
    listed = owing.get(WRITE_OFFS, person="credit.una").json()["items"]
    assert [("approved", 600_00)] == [(one["status"], one["recovered_cents"]) for one in listed]


def recovered(desk: InventoryDesk, cents: int, paid_in: str) -> int:
    """Something is paid on write-off 1; gives the step."""
    paid = {"cents": cents, "paid_in": paid_in}
    step: int = desk.done(f"{WRITE_OFFS}/1/recover", paid, person="cage.ann")["step"]
    return step


def test_a_recovery_by_an_instrument_lifts_no_stop_until_the_bank_paid_it(owing: InventoryDesk) -> None:
    """What comes back unpaid is written off again; a second instrument counts once it is cleared."""
    written_off(owing, "K-1", 600_00)
    first = recovered(owing, 600_00, "deposit")
    stopped = "$600.00 of patron p-1 at riverbend are written off: no credit until they are paid, by the bank, too"
    assert_problem(owing.send(f"{CREDIT}/checks", prepared("K-2", 1), person="pit.kai"), 422, stopped)
    back = owing.done(f"{CHECKS}/redemptions/{first}/return", {"reason": "no funds"}, person="cage.ann")
    assert (1, 0, first) == (back["check_write_off"], back["recovered_cents"], back["returns"])
    assert_problem(owing.send(f"{CREDIT}/checks", prepared("K-2", 1), person="pit.kai"), 422, stopped)
    assert (1_000_00, 0, 0) == standing(owing)  # it is not owed on the check: it is written off
    again = owing.send(f"{CHECKS}/redemptions/{first}/clear", {}, person="cage.ann")
    assert_problem(again, 409, f"recovery {first} of counter check K-1 came back unpaid already")
    second = recovered(owing, 600_00, "check")
    owing.done(f"{CHECKS}/redemptions/{second}/clear", {}, person="cage.bob")
    owing.done(f"{CREDIT}/checks", prepared("K-2", 1), person="pit.kai")
    balances = owing.balances()
    assert (-600_00, 0, 600_00) == (
        balances["", "", "checks_recovered"],
        balances.get(("", "deposit", "check_payments"), 0),
        balances["", "check", "check_payments"],
    )


def test_a_recovery_that_was_a_mistake_is_void_by_another_person(owing: InventoryDesk) -> None:
    """Its amount is written off again, and may be recovered; currency does not come back from a bank."""
    written_off(owing, "K-1", 600_00)
    step = recovered(owing, 600_00, "currency")
    unpaid = owing.send(f"{CHECKS}/redemptions/{step}/return", {"reason": "no funds"}, person="cage.bob")
    assert_problem(unpaid, 422, f"recovery {step} of counter check K-1 was paid in currency: no bank returns that")
    void = {"reason": "another patron's"}
    own = owing.send(f"{CHECKS}/redemptions/{step}/void", void, person="cage.ann")
    assert_problem(own, 403, f"cage.ann entered recovery {step} of counter check K-1: somebody else must void it")
    voided_ = owing.done(f"{CHECKS}/redemptions/{step}/void", void, person="cage.bob")
    assert (1, 0, "cage.ann") == tuple(voided_[name] for name in ("check_write_off", "recovered_cents", "recovered_by"))
    [listed] = owing.get(WRITE_OFFS, person="credit.una").json()["items"]
    assert (0, 600_00) == (listed["recovered_cents"], listed["cents"])
    refused = owing.send(f"{CREDIT}/checks", prepared("K-2", 1), person="pit.kai")
    assert_problem(refused, 422, "$600.00 of patron p-1 at riverbend are written off")
    assert 0 == sum(cents for (_, _, leg), cents in owing.balances().items() if leg == "checks_recovered")
    recovered(owing, 600_00, "currency")
    owing.done(f"{CREDIT}/checks", prepared("K-2", 1), person="pit.kai")


def test_a_settlement_writes_off_the_rest_and_stops_nobody(owing: InventoryDesk) -> None:
    """Less was agreed and paid; of a write-off that was rejected, or overtaken by a payment, nothing comes off."""
    owing.done(WRITE_OFFS, entered("K-1", 600_00), person="credit.una")
    owing.done(f"{WRITE_OFFS}/1/reject", {"reason": "settle it"}, person="boss.cal")
    assert_problem(owing.send(f"{WRITE_OFFS}/1/approve", person="boss.cal"), 409, "was rejected already")
    number = owing.done(WRITE_OFFS, entered("K-1", 300_00, "settlement"), person="credit.una")["check_write_off"]
    owing.done(f"{CHECKS}/K-1/redeem", {"cents": 400_00, "paid_in": "currency"}, person="cage.ann")
    overtaken = owing.send(f"{WRITE_OFFS}/{number}/approve", person="boss.cal")
    why = "write-off 2 of counter check K-1 is of $300.00, and $200.00 are still owed on the check: reject it"
    assert_problem(overtaken, 409, why)
    assert "paid" not in overtaken.text
    owing.done(f"{WRITE_OFFS}/{number}/reject", {"reason": "less is left"}, person="boss.cal")
    written_off(owing, "K-1", 200_00, "settlement")
    assert (1_000_00, 0, 1_000_00) == standing(owing)
    owing.done(f"{CREDIT}/checks", prepared("K-2", 1_000_00), person="pit.kai")
    assert [] == owing.get(CHECKS, person="cage.ann").json()["items"]


def test_a_written_off_check_stays_as_the_table_issued_it(owing: InventoryDesk) -> None:
    """The pit does not take it back, nor change its amount."""
    written_off(owing, "K-1", 600_00)
    table = Table("BJ-01")
    table.sequence = 1
    issued = table.event("counter_check.issued", at(1), serial="K-1", cents=600_00)
    owing.pit(voided(table, issued))
    [reason] = owing.quarantined()
    assert "counter check K-1 was redeemed, replaced or written off by step 1" in reason


def test_a_recovery_is_paid_on_behalf_of_others(owing: InventoryDesk) -> None:
    """By whoever pays, who is none of them; the void says the same."""
    written_off(owing, "K-1", 600_00)
    paid = {"cents": 100_00, "paid_in": "currency", "drawer": "p-5"}
    recover = f"{WRITE_OFFS}/1/recover"
    himself = owing.send(recover, paid | {"on_behalf_of": ["p-5"]}, person="cage.ann")
    assert_problem(himself, 409, "p-5, who conducts it")
    step = owing.done(recover, paid | {"on_behalf_of": ["p-1"]}, person="cage.ann")["step"]
    voided_ = owing.done(f"{CHECKS}/redemptions/{step}/void", {"reason": "another patron's"}, person="cage.bob")
    assert ("p-5", ["p-1"]) == (voided_["drawer"], voided_["on_behalf_of"])
