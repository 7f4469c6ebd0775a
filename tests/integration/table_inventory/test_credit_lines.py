"""Credit lines of patrons: limits that several people approve by amount, and counter checks prepared within them."""

from datetime import timedelta
from typing import Any

import pytest

from tests.support.asgi import assert_problem
from tests.support.pit import DAY, PROPERTY, InventoryDesk, Table, at, chips

CREDIT = f"/credit-lines/{PROPERTY}"
CHECKS = f"/counter-checks/{PROPERTY}"
RULES = {
    "credit_lines": {
        "tiers": [
            {"limit_cents_max": 5_000_00, "approvals": 2, "roles": ["credit.manager", "credit.executive"]},
            {"limit_cents_max": 50_000_00, "approvals": 3, "roles": ["credit.executive"]},
        ],
        "apart_days": 30,
    },
    "people": [
        {"person": "boss.abe", "roles": ["credit.manager"]},
        {"person": "boss.bea", "roles": ["credit.executive"]},
        {"person": "boss.cal", "roles": ["credit.executive"]},
        {"person": "boss.dot", "roles": ["credit.executive"]},
    ],
}


@pytest.fixture(autouse=True)
def rules(desk: InventoryDesk) -> None:
    """The property gives credit, on the morning of the day."""
    desk.has_only("BJ-01", "BJ-02", **RULES)
    desk.clock.now = at(0)


def asked(desk: InventoryDesk, cents: int, patron: str = "p-1", **more: Any) -> int:
    """A change of a credit line is requested and verified; gives its number."""
    body = {"patron": patron, "change": "limit", "limit_cents": cents, "reason": "application 17"} | more
    number: int = desk.done(f"{CREDIT}/requests", body, person="credit.una")["request"]
    verified = {"verification": "bank and bureau called, on no list; file 17"}
    desk.done(f"{CREDIT}/requests/{number}/verify", verified, person="credit.una")
    return number


def granted(desk: InventoryDesk, cents: int, patron: str = "p-1", **more: Any) -> int:
    """A change of a credit line is requested, verified and approved."""
    number = asked(desk, cents, patron, **more)
    for person in ("boss.bea", "boss.cal", "boss.dot")[: 2 if cents <= 5_000_00 else 3]:
        desk.done(f"{CREDIT}/requests/{number}/approve", person=person)
    return number


def prepared(serial: str, cents: int, patron: str = "p-1", table: str = "BJ-01") -> dict[str, Any]:
    """A counter check to be prepared."""
    return {"serial": serial, "patron": patron, "table": table, "cents": cents}


def standing(desk: InventoryDesk, patron: str = "p-1") -> tuple[int, int, int]:
    """Limit, outstanding and available credit, cents."""
    found = desk.get(f"{CREDIT}/patrons/{patron}", person="credit.una").json()
    return found["limit_cents"], found["outstanding_cents"], found["available_cents"]


def issue(desk: InventoryDesk, table: Table, serial: str, cents: int, hours: float = 1, **more: Any) -> None:
    """The table issues a counter check."""
    people = {"dealer": "dealer.dan", "floorperson": "floor.fay"}
    desk.pit(table.event("counter_check.issued", at(hours), serial=serial, cents=cents, **people | more))


def test_a_limit_is_in_effect_with_the_last_approval_that_its_amount_needs(desk: InventoryDesk) -> None:
    """Two people up to the first amount, three above it; one of them alone changes nothing."""
    number = asked(desk, 5_000_00)
    path = f"{CREDIT}/requests/{number}"
    first = desk.done(f"{path}/approve", person="boss.abe")
    assert ("verified", 2, ["boss.abe"]) == tuple(first[name] for name in ("status", "approvals", "approved_by"))
    assert_problem(desk.get(f"{CREDIT}/patrons/p-1", person="credit.una"), 404, "p-1 has no credit line at riverbend")
    second = desk.done(f"{path}/approve", person="boss.bea")
    assert ("approved", ["boss.abe", "boss.bea"]) == (second["status"], second["approved_by"])
    assert (5_000_00, 0, 5_000_00) == standing(desk)
    higher = asked(desk, 5_000_01)
    path = f"{CREDIT}/requests/{higher}"
    wrong = desk.send(f"{path}/approve", person="boss.abe")
    assert_problem(wrong, 422, "boss.abe does not approve limits up to $50,000.00 at riverbend")
    for person in ("boss.bea", "boss.cal"):
        desk.done(f"{path}/approve", person=person)
    assert (5_000_00, 0, 5_000_00) == standing(desk)
    desk.done(f"{path}/approve", person="boss.dot")
    assert (5_000_01, 0, 5_000_01) == standing(desk)
    most = desk.send(
        f"{CREDIT}/requests",
        {"patron": "p-1", "change": "limit", "limit_cents": 50_000_01, "reason": "asks"},
        person="credit.una",
    )
    assert_problem(most, 422, "nobody at riverbend approves a limit above $50,000.00")


def test_nobody_approves_what_was_requested_verified_or_approved_by_the_same_person(desk: InventoryDesk) -> None:
    """However often they try; a request is decided once, and verified before."""
    body = {"patron": "p-1", "change": "limit", "limit_cents": 1_000_00, "reason": "application 17"}
    number = desk.done(f"{CREDIT}/requests", body, person="boss.bea")["request"]
    path = f"{CREDIT}/requests/{number}"
    assert_problem(desk.send(f"{path}/approve", person="boss.cal"), 409, "is not verified yet")
    verified = {"verification": "bank called"}
    desk.done(f"{path}/verify", verified, person="boss.abe")
    assert_problem(
        desk.send(f"{path}/verify", verified, person="credit.una"), 409, "boss.abe verified credit line request"
    )
    assert_problem(desk.send(f"{path}/approve", person="boss.bea"), 403, "boss.bea requested credit line request")
    assert_problem(desk.send(f"{path}/approve", person="boss.abe"), 403, "boss.abe verified credit line request")
    desk.done(f"{path}/approve", person="boss.cal")
    assert_problem(desk.send(f"{path}/approve", person="boss.cal"), 403, "boss.cal approved credit line request")
    desk.done(f"{path}/decline", {"reason": "derogatory"}, person="boss.dot")
    assert_problem(desk.send(f"{path}/approve", person="boss.dot"), 409, "was declined already")
    assert_problem(desk.send(f"{CREDIT}/requests/9/approve", person="boss.dot"), 404, "no credit line request 9")


def test_a_check_is_prepared_within_the_available_credit_and_refused_above_it_with_the_figures(
    desk: InventoryDesk,
) -> None:
    """What is prepared is outstanding already; a payment that a bank may return stays so."""
    granted(desk, 1_000_00)
    made = desk.done(f"{CREDIT}/checks", prepared("K-1", 600_00), person="pit.kai")
    assert (1_000_00, 0) == (made["limit_cents"], made["outstanding_cents"])
    assert (1_000_00, 600_00, 400_00) == standing(desk)
    above = desk.send(f"{CREDIT}/checks", prepared("K-2", 400_01), person="pit.kai")
    assert_problem(above, 409, "$400.01 are above the available credit of patron p-1 at riverbend: $400.00, a")
    again = desk.send(f"{CREDIT}/checks", prepared("K-1", 1), person="pit.kai")
    assert_problem(again, 409, "counter check K-1 exists already")
    table = Table("BJ-01")
    desk.pit(table.opened(at(0.5), chips(c500=1000)))
    issue(desk, table, "K-1", 600_00)
    assert (1_000_00, 600_00, 400_00) == standing(desk)
    desk.done(f"{CHECKS}/K-1/redeem", {"cents": 100_00, "paid_in": "chips"}, person="cage.ann")
    assert (1_000_00, 500_00, 500_00) == standing(desk)
    desk.done(f"{CHECKS}/K-1/redeem", {"cents": 500_00, "paid_in": "deposit"}, person="cage.ann")
    assert (1_000_00, 500_00, 500_00) == standing(desk)
    desk.done(f"{CHECKS}/redemptions/2/return", {"reason": "no funds"}, person="cage.ann")
    returned = desk.send(f"{CREDIT}/checks", prepared("K-3", 1), person="pit.kai")
    assert_problem(returned, 422, "counter check K-1 of patron p-1 at riverbend came back unpaid")


def test_whoever_raised_a_limit_prepares_no_check_against_it_for_a_while(desk: InventoryDesk) -> None:
    """Neither who requested nor who approved it; of another patron, and after the days, they may."""
    granted(desk, 1_000_00)
    granted(desk, 1_000_00, "p-2")
    for person in ("boss.bea", "credit.una"):
        refused = desk.send(f"{CREDIT}/checks", prepared("K-1", 1_00), person=person)
        assert_problem(refused, 403, f"{person} took part in credit line request 1 at riverbend, granted at {DAY} 0")
    granted(desk, 2_000_00, "p-3")
    desk.clock.now += timedelta(days=30, minutes=1)
    desk.done(f"{CREDIT}/checks", prepared("K-1", 1_00), person="boss.bea")


def test_a_suspended_patron_gets_no_check_until_several_people_reinstate(desk: InventoryDesk) -> None:
    """Suspension and reduction are in effect at once, and one person's; both end a temporary increase."""
    granted(desk, 1_000_00)
    granted(desk, 3_000_00, change="temporary", until=DAY)
    assert (3_000_00, 0, 3_000_00) == standing(desk)
    lower = {"limit_cents": 800_00, "reason": "returned elsewhere"}
    assert 3_000_00 == desk.done(f"{CREDIT}/patrons/p-1/reduce", lower, person="credit.una")["before_cents"]
    assert (800_00, 0, 800_00) == standing(desk)
    assert_problem(
        desk.send(f"{CREDIT}/patrons/p-1/reduce", lower, person="credit.una"), 422, "no reduction of $800.00"
    )
    stop = {"suspended_for": "patron_request", "reason": "asked in writing"}
    desk.done(f"{CREDIT}/patrons/p-1/suspend", stop, person="credit.una")
    assert (800_00, 0, 0) == standing(desk)
    refused = desk.send(f"{CREDIT}/checks", prepared("K-1", 1), person="pit.kai")
    assert_problem(refused, 422, "is suspended (patron request)")
    assert_problem(desk.send(f"{CREDIT}/patrons/p-1/suspend", stop, person="credit.una"), 409, "suspended already")
    granted(desk, 900_00)
    assert (900_00, 0, 0) == standing(desk), "another limit reinstates nobody"
    granted(desk, 500_00, change="reinstatement")
    assert (500_00, 0, 500_00) == standing(desk)


def test_what_was_requested_before_the_line_changed_is_requested_anew(desk: InventoryDesk) -> None:
    """A suspension or a reduction in between voids what people have verified and approved; the terms are shown."""
    granted(desk, 1_000_00)
    number = asked(desk, 5_000_00)
    path = f"{CREDIT}/requests/{number}"
    assert 1_000_00 == desk.get(path, person="boss.abe").json()["terms"]["limit_cents"]
    desk.done(f"{path}/approve", person="boss.abe")
    desk.clock.now += timedelta(minutes=1)
    lower = {"limit_cents": 100_00, "reason": "late payments"}
    desk.done(f"{CREDIT}/patrons/p-1/reduce", lower, person="credit.una")
    for step, body in (("approve", None), ("verify", {"verification": "bank called"})):
        late = desk.send(f"{path}/{step}", body, person="boss.bea")
        assert_problem(late, 409, f"was changed at {DAY} 0")
    assert (100_00, 0, 100_00) == standing(desk)


def test_a_temporary_increase_ends_with_its_gaming_day(desk: InventoryDesk) -> None:
    """It needs a limit that it increases, and a day that has not ended."""
    body = {"patron": "p-1", "change": "temporary", "limit_cents": 1_00, "until": DAY, "reason": "this trip"}
    assert_problem(desk.send(f"{CREDIT}/requests", body, person="credit.una"), 409, "has no limit to be increased")
    granted(desk, 1_000_00)
    late = desk.send(f"{CREDIT}/requests", body | {"until": "2026-11-18"}, person="credit.una")
    assert_problem(late, 409, "gaming day 2026-11-18 has ended")
    granted(desk, 1_500_00, change="temporary", until=DAY)
    desk.done(f"{CREDIT}/checks", prepared("K-1", 1_500_00), person="pit.kai")
    desk.clock.now += timedelta(days=1)
    assert (1_000_00, 1_500_00, 0) == standing(desk)
    listed = desk.get(f"{CREDIT}/patrons?limit=1", person="credit.una").json()["items"]
    assert [("p-1", 0)] == [(one["patron"], one["available_cents"]) for one in listed]
    decided = desk.get(f"{CREDIT}/requests?only_open=true", person="credit.una").json()["items"]
    assert [] == decided


def test_a_prepared_check_is_void_once_by_somebody_else_and_frees_the_credit(desk: InventoryDesk) -> None:
    """Its number stays used; one that a table issued is not void."""
    granted(desk, 1_000_00)
    desk.done(f"{CREDIT}/checks", prepared("K-1", 1_000_00), person="pit.kai")
    path, why = f"{CREDIT}/checks/K-1/void", {"reason": "the patron left"}
    assert_problem(desk.send(path, why, person="pit.kai"), 403, "pit.kai prepared counter check K-1")
    desk.done(path, why, person="pit.lea")
    assert (1_000_00, 0, 1_000_00) == standing(desk)
    assert_problem(desk.send(path, why, person="pit.lea"), 409, "counter check K-1 is void already")
    used = desk.send(f"{CREDIT}/checks", prepared("K-1", 1), person="pit.kai")
    assert_problem(used, 409, "counter check K-1 exists already")
    table = Table("BJ-01")
    desk.pit(table.opened(at(0.5), chips(c500=1000)))
    issue(desk, table, "K-1", 1_000_00)
    assert ["counter check K-1 of riverbend is void: no table issues it"] == [
        one.split(" (")[0] for one in desk.quarantined()
    ]
    desk.done(f"{CREDIT}/checks", prepared("K-2", 5_00), person="pit.kai")
    issue(desk, table, "K-2", 5_00)
    assert_problem(desk.send(f"{CREDIT}/checks/K-2/void", why, person="pit.lea"), 409, "K-2 was issued at BJ-01")


def test_a_table_issues_what_was_prepared_and_nothing_else(desk: InventoryDesk) -> None:
    """Another amount, patron or table, and what nobody prepared, is in quarantine."""
    granted(desk, 1_000_00)
    desk.done(f"{CREDIT}/checks", prepared("K-1", 600_00), person="pit.kai")
    table, other = Table("BJ-01"), Table("BJ-02")
    desk.pit(table.opened(at(0.5), chips(c500=1000)), other.opened(at(0.5), chips(c500=1000)))
    issue(desk, table, "K-9", 600_00)
    issue(desk, table, "K-1", 600_01)
    issue(desk, table, "K-1", 600_00, drawer="p-2")
    issue(desk, other, "K-1", 600_00)
    assert 4 == len(desk.quarantined())
    assert "was prepared as $600.00 for p-1 at BJ-01, and is issued as $600.00 for p-1 at BJ-02" in (
        " ".join(desk.quarantined())
    )
    issue(desk, table, "K-1", 600_00, drawer="p-1")
    assert 4 == len(desk.quarantined())


def test_a_check_that_replaces_others_is_owed_by_their_patron(desk: InventoryDesk) -> None:
    """What is outstanding stays; checks of two patrons are not consolidated, and the first date is kept."""
    granted(desk, 1_000_00)
    granted(desk, 1_000_00, "p-2")
    table = Table("BJ-01")
    desk.pit(table.opened(at(0.5), chips(c500=1000)))
    for number, patron in ((1, "p-1"), (2, "p-1"), (3, "p-2")):
        desk.done(f"{CREDIT}/checks", prepared(f"K-{number}", 100_00, patron), person="pit.kai")
        issue(desk, table, f"K-{number}", 100_00, number)
    two = {"serial": "K-4", "replaces": ["K-1", "K-3"]}
    assert_problem(desk.send(CHECKS, two, person="cage.ann"), 409, "different patrons are not consolidated: K-1 by p-1")
    other = {"serial": "K-4", "replaces": ["K-2", "K-1"], "drawer": "p-2"}
    assert_problem(desk.send(CHECKS, other, person="cage.ann"), 409, "is owed by p-1, not by p-2")
    desk.done(f"{CREDIT}/checks", prepared("K-5", 1_00), person="pit.kai")
    taken = {"serial": "K-5", "replaces": ["K-1"]}
    assert_problem(desk.send(CHECKS, taken, person="cage.ann"), 409, "counter check K-5 exists already")
    made = desk.done(CHECKS, {"serial": "K-4", "replaces": ["K-2", "K-1"]}, person="cage.ann")
    assert ("p-1", at(1).isoformat()) == (made["drawer"], made["first_issued_at"].replace("Z", "+00:00"))
    assert (1_000_00, 201_00, 799_00) == standing(desk)
    desk.done(f"{CHECKS}/K-4/redeem", {"cents": 50_00, "paid_in": "currency"}, person="cage.ann")
    substitute = desk.done(CHECKS, {"serial": "K-6", "replaces": ["K-4"]}, person="cage.ann")
    owed = desk.get(f"{CREDIT}/patrons/p-1", person="credit.una").json()["checks"]
    assert [("K-5", 1_00, 1_00), ("K-6", 150_00, 150_00)] == [
        (one["serial"], one["cents"], one["left_cents"]) for one in owed
    ]
    [found] = desk.get(f"{CHECKS}/find?typed=K-6", person="cage.ann").json()["items"]
    assert 150_00 == substitute["cents"] == found["issued_cents"]
    desk.done(f"{CHECKS}/K-6/redeem", {"cents": 140_00, "paid_in": "currency"}, person="cage.ann")
    assert (1_000_00, 11_00, 989_00) == standing(desk)
    [_, k6] = desk.get(f"{CREDIT}/patrons/p-1", person="credit.una").json()["checks"]
    assert (150_00, 10_00) == (k6["cents"], k6["left_cents"])


def test_a_partial_payment_makes_a_check_no_younger(desk: InventoryDesk) -> None:
    """It was issued when it was issued, whatever the cage did later."""
    granted(desk, 1_000_00)
    table = Table("BJ-01")
    desk.pit(table.opened(at(0.5), chips(c500=1000)))
    desk.done(f"{CREDIT}/checks", prepared("K-1", 100_00), person="pit.kai")
    issue(desk, table, "K-1", 100_00)
    desk.clock.now += timedelta(hours=3)
    desk.done(f"{CHECKS}/K-1/redeem", {"cents": 40_00, "paid_in": "currency"}, person="cage.ann")
    [one] = desk.get(CHECKS, person="cage.ann").json()["items"]
    assert [at(1).isoformat()] * 2 == [one[name].replace("Z", "+00:00") for name in ("issued_at", "first_issued_at")]


def test_a_request_that_changes_nothing_is_refused(desk: InventoryDesk) -> None:
    """The limit that the patron has, an increase that is none, the same increase again; also when it is approved."""
    granted(desk, 1_000_00)
    body = {"patron": "p-1", "limit_cents": 1_000_00, "reason": "once more"}

    def wanted(**more: Any) -> Any:
        return desk.send(f"{CREDIT}/requests", body | more, person="credit.una")

    same = wanted(change="limit")
    assert_problem(same, 422, "patron p-1 has a limit of $1,000.00 already, on the same terms: the request changes")
    none = wanted(change="temporary", until=DAY)
    assert_problem(none, 422, "$1,000.00 are no increase of the limit of $1,000.00: the request changes nothing")
    granted(desk, 2_000_00, change="temporary", until=DAY)
    again = wanted(change="temporary", until=DAY, limit_cents=2_000_00)
    assert_problem(again, 422, "patron p-1 has a limit of $2,000.00 already, on the same terms")
    ended = asked(desk, 3_000_00, change="temporary", until=DAY)
    back = asked(desk, 1_000_00)  # it ends the increase
    desk.clock.now += timedelta(days=1)
    late = desk.send(f"{CREDIT}/requests/{ended}/approve", person="boss.bea")
    assert_problem(late, 409, f"gaming day {DAY} has ended")
    over = desk.send(f"{CREDIT}/requests/{back}/approve", person="boss.bea")
    assert_problem(over, 422, "patron p-1 has a limit of $1,000.00 already")


def test_a_temporary_increase_ends_within_the_property_s_span(desk: InventoryDesk) -> None:
    """Thirty days, where the property says no other number."""
    granted(desk, 1_000_00)
    body = {"patron": "p-1", "change": "temporary", "limit_cents": 2_000_00, "reason": "this trip"}
    for until in ("2126-11-20", "2026-12-21"):
        long = desk.send(f"{CREDIT}/requests", body | {"until": until}, person="credit.una")
        assert_problem(long, 422, "a temporary increase ends within 30 days ('temporary_days' of the property): by 20")
    granted(desk, 2_000_00, change="temporary", until="2026-12-20")
