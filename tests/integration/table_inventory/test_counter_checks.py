"""Counter checks at the cage: issued at tables, paid in full or in part, replaced, and redemptions that are void."""

from functools import partial
from typing import Any

from tests.support.asgi import assert_problem
from tests.support.pit import PROPERTY, InventoryDesk, Table, at, chips

CHECKS = f"/counter-checks/{PROPERTY}"


def _issue(desk: InventoryDesk, **cents: int) -> None:
    """Counter checks are issued at a table."""
    table = Table("BJ-01")
    people = {"dealer": "dealer.dan", "floorperson": "floor.fay", "drawer": "p-1"}
    issued = (
        table.event("counter_check.issued", at(1), serial=serial, cents=value, **people)
        for serial, value in cents.items()
    )
    desk.pit(table.opened(at(0), chips(c500=1000)), *issued)


def _on_hand(desk: InventoryDesk) -> list[tuple[str, int, int]]:
    items: list[dict[str, Any]] = desk.get(CHECKS, person="cage.ann").json()["items"]
    return [(one["serial"], one["issued_cents"], one["left_cents"]) for one in items]


def _redeem(desk: InventoryDesk, serial: str, cents: int, paid_in: str, **more: Any) -> dict[str, Any]:
    body = {"cents": cents, "paid_in": paid_in} | more
    return desk.done(f"{CHECKS}/{serial}/redeem", body, person="cage.ann")


def test_a_check_is_paid_in_parts_until_nothing_is_owed(desk: InventoryDesk) -> None:
    """What is paid is posted by what it is paid in; more than what is owed is refused, and so is a paid check."""
    _issue(desk, CC1=1_000_00, CC2=500_00)
    assert [("CC1", 1_000_00, 1_000_00), ("CC2", 500_00, 500_00)] == _on_hand(desk)
    first = _redeem(desk, "CC1", 300_00, "currency", drawer="p-1")
    assert (1, 700_00, "BJ-01", "grave") == tuple(first[name] for name in ("step", "left_cents", "table", "shift"))
    too_much = desk.send(f"{CHECKS}/CC1/redeem", {"cents": 700_01, "paid_in": "chips"}, person="cage.ann")
    assert_problem(too_much, 409, "counter check CC1 has $700.00 left")
    _redeem(desk, "CC1", 700_00, "chips")
    assert [("CC2", 500_00, 500_00)] == _on_hand(desk)
    again = desk.send(f"{CHECKS}/CC1/redeem", {"cents": 1, "paid_in": "chips"}, person="cage.ann")
    assert_problem(again, 409, "nothing is owed on counter check CC1 any more")
    unknown = desk.send(f"{CHECKS}/CC9/redeem", {"cents": 1, "paid_in": "chips"}, person="cage.ann")
    assert_problem(unknown, 404, "no counter check CC9 was issued")
    balances = desk.balances()
    assert (300_00, 700_00, -1_000_00) == (
        balances["", "currency", "check_payments"],
        balances["", "chips", "check_payments"],
        balances["", "", "checks_redeemed"],
    )


def test_a_redemption_is_voided_by_somebody_else_once(desk: InventoryDesk) -> None:
    """What it paid is owed again, and the money is reversed."""
    _issue(desk, CC1=1_000_00)
    _redeem(desk, "CC1", 1_000_00, "currency")
    path, why = f"{CHECKS}/redemptions/1/void", {"reason": "another patron's"}
    assert_problem(desk.send(path, why, person="cage.ann"), 403, "cage.ann entered redemption 1")
    voided = desk.done(path, why, person="cage.bob")
    assert (2, 1, "cage.ann") == tuple(voided[name] for name in ("step", "voids", "redeemed_by"))
    assert [("CC1", 1_000_00, 1_000_00)] == _on_hand(desk)
    assert not any(leg == "checks_redeemed" for _, _, leg in desk.balances())
    assert_problem(desk.send(path, why, person="cage.bob"), 409, "is void already")


def test_a_deposit_that_comes_back_unpaid_is_owed_again_once(desk: InventoryDesk) -> None:
    """On the day on which the cage learns of it; what no bank can refuse, is void or came back before, is refused."""
    _issue(desk, CC1=1_000_00, CC2=500_00)
    _redeem(desk, "CC1", 1_000_00, "deposit", drawer="p-1")
    _redeem(desk, "CC2", 500_00, "chips")
    assert [] == _on_hand(desk)
    why = {"reason": "insufficient funds, notice 88-1"}
    back = desk.done(f"{CHECKS}/redemptions/1/return", why, person="cage.ann")
    assert (3, 1, 1_000_00, "deposit", "p-1") == tuple(
        back[name] for name in ("step", "returns", "cents", "paid_in", "drawer")
    )
    assert [("CC1", 1_000_00, 1_000_00)] == _on_hand(desk)
    assert (500_00, -500_00) == (
        desk.balances()["", "chips", "check_payments"],
        desk.balances()["", "", "checks_redeemed"],
    )
    send = partial(desk.send, person="cage.bob")
    assert_problem(
        send(f"{CHECKS}/redemptions/1/return", why), 409, "redemption 1 of counter check CC1 came back unpaid"
    )
    assert_problem(send(f"{CHECKS}/redemptions/1/void", why), 409, "redemption 1 of counter check CC1 came back unpaid")
    assert_problem(send(f"{CHECKS}/redemptions/2/return", why), 422, "was paid in chips: no bank returns that")
    assert_problem(send(f"{CHECKS}/redemptions/9/return", why), 404, "there is no redemption 9")
    _redeem(desk, "CC1", 1_000_00, "check")
    desk.done(f"{CHECKS}/redemptions/4/void", {"reason": "another drawer's"}, person="cage.bob")
    assert_problem(send(f"{CHECKS}/redemptions/4/return", why), 409, "is void already")


def test_a_check_takes_the_place_of_others(desk: InventoryDesk) -> None:
    """Several are consolidated; what is owed stays the same, and the old ones are not on hand any more."""
    _issue(desk, CC1=1_000_00, CC2=500_00)
    _redeem(desk, "CC1", 200_00, "chips")
    made = desk.done(CHECKS, {"serial": "CC3", "replaces": ["CC1", "CC2"], "drawer": "p-1"}, person="cage.bob")
    assert (1_300_00, [800_00, 500_00]) == (made["cents"], [one["cents"] for one in made["replaced"]])
    assert [("CC3", 1_300_00, 1_300_00)] == _on_hand(desk)
    _redeem(desk, "CC3", 1_300_00, "check")
    assert [] == _on_hand(desk)
    taken = desk.send(CHECKS, {"serial": "CC2", "replaces": ["CC3"]}, person="cage.bob")
    assert_problem(taken, 409, "counter check CC2 exists already")
    paid = desk.send(CHECKS, {"serial": "CC4", "replaces": ["CC3"]}, person="cage.bob")
    assert_problem(paid, 409, "nothing is owed on counter check CC3")


def test_a_check_is_paid_on_behalf_of_others(desk: InventoryDesk) -> None:
    """The void says for whom it was; it is refused where nobody is known to conduct it, or for himself."""
    _issue(desk, CC1=1_000_00)
    others = {"on_behalf_of": ["p-2"]}
    assert ["p-2"] == _redeem(desk, "CC1", 300_00, "currency", **others)["on_behalf_of"]
    voided = desk.done(f"{CHECKS}/redemptions/1/void", {"reason": "another patron's"}, person="cage.bob")
    assert ("p-1", ["p-2"]) == (voided["drawer"], voided["on_behalf_of"])
    paid = {"cents": 300_00, "paid_in": "currency"}
    himself = desk.send(f"{CHECKS}/CC1/redeem", paid | {"on_behalf_of": ["p-1"]}, person="cage.ann")
    assert_problem(himself, 409, "p-1, who conducts it")
