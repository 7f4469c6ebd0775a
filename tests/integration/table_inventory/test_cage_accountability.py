"""The sheet of the cage: what came in less what went out is what was counted, and chips outstanding."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from tests.integration.table_inventory.test_check_collection import WRITE_OFFS, written_off
from tests.integration.table_inventory.test_credit_lines import CHECKS, issue
from tests.integration.table_inventory.test_locations import AT_CAGE, LOCATIONS, SETS, currency, house
from tests.support import Databases
from tests.support.asgi import assert_problem
from tests.support.both_books import LATER, BothBooks, both_books
from tests.support.pit import DAY, PROPERTY, InventoryDesk, Table, at, chips
from tests.support.properties import property_event
from tests.support.reporting import held, identities_of, rows_of
from tests.support.services import settled_database

REPORT = "cage-accountability"


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database with the schemas of both services."""
    url = settled_database(databases, "table-inventory", "reporting")
    yield url
    databases.drop(url)


@pytest.fixture
def both(url: str, desk: InventoryDesk) -> Iterator[BothBooks]:
    """Table inventory and reporting, of a property whose cage has a vault and a drawer."""
    known: dict[str, Any] = {"cage_locations": LOCATIONS, "chip_sets": SETS}
    desk.has_only("BJ-01", **known)
    desk.clock.now = at(4)
    with both_books(url, desk) as found:
        found.books.desk.feed("properties", property_event(PROPERTY, ["BJ-01"], sequence=4, version=2, **known))
        yield found


def _passes(both: BothBooks, giver: str, receiver: str, contents: list[dict[str, Any]], step: str = "receive") -> None:
    wanted = {"giver": giver, "receiver": receiver, "contents": contents}
    number = both.ledger.done(f"{AT_CAGE}/transfers", wanted, person="cage.ann")["transfer"]
    if step:
        why = {"reason": "a rack is short"} if step == "return" else None
        both.ledger.done(f"{AT_CAGE}/transfers/{number}/{step}", why, person="cage.bob")


def _counts(both: BothBooks, location: str, contents: list[dict[str, Any]], **why: str) -> None:
    counted = {"location": location, "contents": contents, "cashier": "cage.ann"}
    number = both.ledger.done(f"{AT_CAGE}/counts", counted, person="cage.ann")["count"]
    both.ledger.done(f"{AT_CAGE}/counts/{number}/verify", why, person="cage.bob")


def _day(both: BothBooks) -> None:
    """Chips come into service; a table opens with some, is filled and closes; the drawer is short; all is counted."""
    table = Table("BJ-01")
    _passes(both, "manufacturer", "vault", [house(500, 5000)])
    _passes(both, "vault", "cage", [house(500, 2000)])
    _passes(both, "bank", "drawer-1", currency(200))
    _passes(both, "vault", "destruction", [house(500, 100)], step="return")
    _passes(both, "promotions", "vault", [{"kind": "promotional_chips", "cents": 500, "count": 40}])
    _counts(both, "cage", [house(500, 2000)])
    _counts(both, "drawer-1", currency(200))
    fill = both.ledger.slip("fill", "BJ-01", chips(c500=500))
    carried = table.event("fill.carried", at(4), number=fill, carried_by="sec.gus")
    people = {"received_by": "dealer.dan", "observed_by": "floor.fay"}
    both.ledger.pit(table.opened(at(3), chips(c500=300)), carried)
    both.ledger.pit(table.event("fill.received", at(4.1), number=fill, contents=chips(c500=500), **people))
    both.ledger.pit(table.closed(at(5), chips(c500=750)))
    _passes(both, "drawer-1", "vault", currency(20), step="")
    _counts(both, "drawer-1", currency(179), reason="a strap was short")
    _counts(both, "cage", [house(500, 1500)])
    paper = [{"kind": "promotional_chips", "cents": 500, "count": 40}]
    _counts(both, "vault", [house(500, 3000), *paper])


def test_each_location_is_what_came_in_less_what_went_out(both: BothBooks) -> None:
    """From count to count; what was there at a first count is brought forward, and short is owned by a cashier."""
    _day(both)
    report = both.report(REPORT)
    rows = {row["location"]: row for row in rows_of(report, "locations")}
    columns = ("before", "brought_forward", "received", "issued", "to_tables", "over_short", "counted")
    assert {
        "cage": (0, 0, 10_000_00, 0, -2_500_00, 0, 7_500_00),
        "drawer-1": (0, 0, 20_000_00, -2_000_00, 0, -100_00, 17_900_00),
        "vault": (0, 0, 25_500_00, -10_500_00, 0, 0, 15_000_00),
    } == {name: tuple(row[f"{column}_cents"] for column in columns) for name, row in rows.items()}
    assert -2_100_00 == rows["drawer-1"]["to_imprest_cents"]
    assert {
        "cage": (40_400_00, 40_400_00),
        "counts follow each other": (30_000_00, 30_000_00),
        "counter checks": (0, 0),
    } == identities_of(report)
    [short] = [row for row in rows_of(report, "counts") if row["over_short_cents"]]
    assert ("drawer-1", 18_000_00, 17_900_00, "cage.ann", "a strap was short") == tuple(
        short[name] for name in ("location", "expected_cents", "counted_cents", "cashier", "reason")
    )


def test_the_sheet_names_who_takes_a_drawer_over(both: BothBooks) -> None:
    """Beside the cashier who answers for the count."""
    for number, following in enumerate((None, "cage.dee"), 1):
        counted = {"location": "drawer-1", "contents": currency(3), "cashier": "cage.ann", "next_cashier": following}
        both.ledger.done(f"{AT_CAGE}/counts", counted, person="cage.ann")
        both.ledger.done(f"{AT_CAGE}/counts/{number}/verify", person="cage.bob")
    assert [("cage.ann", None), ("cage.ann", "cage.dee")] == [
        (row["cashier"], row["next_cashier"]) for row in rows_of(both.report(REPORT), "counts")
    ]


IN_SERVICE = f"/chips-in-service/{PROPERTY}"
FLOAT = ("brought_forward", "put_in", "in_service", "at_cage", "at_tables", "in_transit", "outstanding")


def _enters(both: BothBooks, *contents: dict[str, Any], by: str = "audit.kim", day: str = DAY) -> dict[str, Any]:
    """Somebody states the chips that were in service before the books began."""
    source, is_empty = "chip inventory ledger, page 9", not contents
    entered = {"gaming_day": day, "contents": contents, "source": source, "is_empty": is_empty}
    return both.ledger.done(IN_SERVICE, entered, person=by)


def _states(both: BothBooks, *contents: dict[str, Any], day: str = DAY) -> None:
    """Two people do."""
    number = _enters(both, *contents, day=day)["revision"]
    both.ledger.done(f"{IN_SERVICE}/{number}/approve", person="control.eve")


def _float(report: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (row["chip_set"], row["each_cents"], *(row[name] for name in FLOAT), row["outstanding_cents"])
        for row in rows_of(report, "float")
    ]


def test_chips_outstanding_are_not_known_before_it_is_stated_what_was_in_service(both: BothBooks) -> None:
    """The report says so, and does not call chips negative that a table had before the books began."""
    _day(both)
    report = both.report(REPORT)
    assert [("house", 500, None, 5000, None, 4500, 750, 0, None, None)] == _float(report)
    [mark] = report["content"]["marks"]
    assert ("chips in service before the books began", ["float/outstanding", "float/outstanding_cents"]) == (
        mark["what"],
        mark["columns"],
    )
    assert "chips in service" not in identities_of(report)


def test_chips_in_service_are_stated_by_two_people_with_their_source(both: BothBooks) -> None:
    """A later statement takes the place of the one before; what the property does not have, and paper, are refused."""
    entered = _enters(both, house(500, 400), by="control.eve")
    assert (1, "entered", "chip inventory ledger, page 9") == tuple(
        entered[name] for name in ("revision", "status", "source")
    )
    own = both.ledger.send(f"{IN_SERVICE}/1/approve", person="control.eve")
    assert_problem(own, 403, "control.eve entered revision 1 of the chips in service at riverbend")
    body = {"gaming_day": DAY, "contents": [house(500, 500)], "source": "a recount"}
    assert_problem(
        both.ledger.send(IN_SERVICE, body, person="audit.kim"),
        409,
        "revision 1 of the chips in service at riverbend waits for a decision",
    )
    both.ledger.done(f"{IN_SERVICE}/1/reject", {"reason": "enter it yourself"}, person="control.eve")
    _states(both, house(500, 400))
    for change, status, why in (
        ({"gaming_day": "2026-11-21"}, 409, "gaming day 2026-11-21 has not come yet"),
        ({"contents": [house(700, 1)]}, 404, "a chip of $7.00 of the chip set 'house'"),
        ({"contents": currency(1)}, 422, "only the property's own 'chips' are put into service"),
    ):
        assert_problem(both.ledger.send(IN_SERVICE, body | change, person="audit.kim"), status, why)
    same = both.ledger.send(IN_SERVICE, body | {"contents": [house(500, 400)]}, person="audit.kim")
    assert_problem(same, 422, "these are the chips in service at riverbend already")
    _states(both, house(500, 350), house(2500, 20))
    [latest, before, _] = both.ledger.get(IN_SERVICE, person="audit.kim").json()["items"]
    assert (3, {"gaming_day": DAY, "contents": before["contents"]}) == (latest["revision"], latest["before"])
    assert [
        ("house", 500, 350, 0, 350, 0, 0, 0, 350, 1_750_00),
        ("house", 2500, 20, 0, 20, 0, 0, 0, 20, 500_00),
    ] == _float(both.report(REPORT))


def test_chips_outstanding_are_those_in_service_that_lie_nowhere(both: BothBooks) -> None:
    """By chip set and denomination: at the cage and at tables, and in transit; what is in transit is at no location."""
    _states(both, house(500, 400))
    _day(both)
    _passes(both, "vault", "drawer-1", [house(500, 60)], step="")
    report = both.report(REPORT)
    assert [("house", 500, 400, 5000, 5400, 4440, 750, 60, 150, 750_00)] == _float(report)
    assert (0, 0) == identities_of(report)["chips in service"]
    assert not report["content"]["marks"]
    held = [(row["location"], row["kind"], row["pieces"], row["value_cents"]) for row in rows_of(report, "holdings")]
    assert ("vault", "promotional_chips", 40, None) in held
    transfers = [(row["status"], row["reason"]) for row in rows_of(report, "transfers")]
    assert [("returned", "a rack is short")] == [one for one in transfers if one[0] == "returned"]
    assert 2 == len([one for one in transfers if one[0] == "issued"])
    cell = "cell=locations/drawer-1/over_short_cents"
    about = f"property={PROPERTY}&gaming_day={DAY}&known_at={quote(LATER)}"
    explained = both.books.get(f"/reports/{REPORT}/entries?{about}&{cell}").json()
    assert ["table-inventory"] * 2 == [one["service"] for one in explained["entries"]]  # the counts of the drawer


def test_transfers_between_counts_move_chips_and_lose_none(both: BothBooks) -> None:
    """What lies at a location is its last count with the transfers since, and what is in transit lies nowhere."""
    _states(both, house(2500, 400))
    _counts(both, "vault", [house(2500, 300)])

    def chips_lie() -> tuple[int, ...]:
        [row] = rows_of(both.report(REPORT), "float")
        return tuple(row[name] for name in ("at_cage", "in_transit", "outstanding"))

    assert (300, 0, 100) == chips_lie()
    _passes(both, "vault", "cage", [house(2500, 100)])
    assert (300, 0, 100) == chips_lie()
    _counts(both, "cage", [house(2500, 100)])
    assert (300, 0, 100) == chips_lie()
    _passes(both, "vault", "drawer-1", [house(2500, 200)], step="")
    assert (100, 200, 100) == chips_lie()
    both.ledger.done(f"{AT_CAGE}/transfers/2/receive", None, person="cage.bob")
    assert (300, 0, 100) == chips_lie()
    _counts(both, "drawer-1", [house(2500, 200)])
    assert (300, 0, 100) == chips_lie()
    assert (0, 0) == identities_of(both.report(REPORT))["chips in service"]


def test_a_count_stands_when_it_was_entered(both: BothBooks) -> None:
    """What passes before it is verified is not in what was counted."""
    _states(both, house(2500, 400))
    counted = {"location": "vault", "contents": [house(2500, 300)], "cashier": "cage.ann"}
    number = both.ledger.done(f"{AT_CAGE}/counts", counted, person="cage.ann")["count"]
    _passes(both, "manufacturer", "vault", [house(2500, 30)])
    both.ledger.done(f"{AT_CAGE}/counts/{number}/verify", {}, person="cage.bob")
    assert [("house", 2500, 400, 30, 430, 330, 0, 0, 100, 2_500_00)] == _float(both.report(REPORT))


def test_a_drawer_that_gives_chips_that_patrons_brought_is_left_with_none(both: BothBooks) -> None:
    """Nobody records them by piece: they are outstanding no more, and the entries behind the figures add up to them."""
    _states(both, house(2500, 400))
    _counts(both, "vault", [house(2500, 300)])
    _counts(both, "drawer-1", [house(2500, 10), *currency(100)])
    _passes(both, "drawer-1", "vault", [house(2500, 50)])
    _passes(both, "vault", "drawer-1", [house(2500, 20)], step="")
    report = both.report(REPORT)
    assert [("house", 2500, 400, 0, 400, 330, 0, 20, 50, 1_250_00)] == _float(report)
    [row] = rows_of(report, "float")
    for column in ("brought_forward", "at_cage", "in_transit", "outstanding", "outstanding_cents"):
        told = both.books.explain(REPORT, f"float/{row['id']}/{column}", f"&known_at={quote(LATER)}")
        assert f"{row[column]}" == told["adds_up_to"], told


def test_fills_and_credits_move_chips_between_cage_and_table(both: BothBooks) -> None:
    """They leave as they are carried, are in transit, and arrive; a void one is where it came from."""
    _states(both, house(500, 1000))
    _counts(both, "cage", [house(500, 600)])
    table, ledger = Table("BJ-01"), both.ledger
    ledger.pit(table.opened(at(4.1), chips(c500=300)))

    def lie() -> tuple[int, ...]:
        [row] = rows_of(both.report(REPORT), "float")
        return tuple(row[name] for name in ("at_cage", "at_tables", "in_transit", "outstanding"))

    ledger.clock.now = at(4.5)
    fill = ledger.slip("fill", "BJ-01", chips(c500=40))
    assert (600, 300, 0, 100) == lie()
    ledger.pit(table.event("fill.carried", at(4.5), number=fill, carried_by="sec.gus"))
    assert (560, 300, 40, 100) == lie()
    people = {"received_by": "dealer.dan", "observed_by": "floor.fay"}
    ledger.pit(table.event("fill.received", at(4.6), number=fill, contents=chips(c500=40), **people))
    assert (560, 340, 0, 100) == lie()
    people = {"surrendered_by": "dealer.dan", "observed_by": "floor.fay", "carried_by": "sec.gus"}
    for end, body, left in (("receive", {"contents": chips(c500=70)}, 270), ("void", {"reason": "not needed"}, 270)):
        credit = ledger.slip("credit", "BJ-01", chips(c500=70))
        before = lie()
        ledger.pit(table.event("credit.carried", at(4.7), number=credit, **people))
        assert (before[0], before[1] - 70, 70, 100) == lie()
        ledger.clock.now = at(4.8)
        ledger.done(f"/slips/{PROPERTY}/credit/{credit}/{end}", body, person="cage.ann")
        assert (630, left, 0, 100) == lie()


def test_a_statement_of_chips_in_service_is_of_a_gaming_day_as_it_began(both: BothBooks) -> None:
    """What came into service before is in it, and is not added again; days before keep the earlier statement."""
    _states(both, house(500, 1000))
    _passes(both, "manufacturer", "vault", [house(500, 50)])
    _counts(both, "vault", [house(500, 1050)])
    _passes(both, "vault", "destruction", [house(500, 10)])
    first, day_after = ("house", 500, 1000, 40, 1040, 1040), "2026-11-21"
    assert [first] == [row[:6] for row in _float(both.report(REPORT))]
    both.ledger.clock.now = at(30)
    _states(both, house(500, 1040), day=day_after)
    assert [("house", 500, 1040, 0, 1040, 1040, 0, 0, 0, 0)] == _float(both.report(REPORT, day_after))
    assert [first] == [row[:6] for row in _float(both.report(REPORT))]


def test_a_statement_that_includes_what_came_on_its_day_is_refused_or_seen(both: BothBooks) -> None:
    """The day's arrivals count on top of it: the approver sees the statement before, them, and what they come to."""
    _states(both, house(500, 1000))
    _passes(both, "manufacturer", "vault", [house(500, 50)])
    _passes(both, "vault", "destruction", [house(500, 10)])
    restated = {"gaming_day": DAY, "contents": [house(500, 1040)], "source": "a count"}
    refused = both.ledger.send(IN_SERVICE, restated, person="audit.kim")
    assert_problem(refused, 409, "200.00 of them were put into service since that gaming day began")
    assert_problem(refused, 409, f"revision 1 of the chips in service at riverbend of {DAY} has the rest")
    entered = _enters(both, house(500, 1037))
    shown = ("stated_cents", "before_revision", "before_stated_cents", "put_in_since_cents", "in_service_cents")
    assert (5_185_00, 1, 5_000_00, 200_00, 5_385_00) == tuple(entered[name] for name in shown)
    assert DAY == entered["before"]["gaming_day"]
    both.ledger.done(f"{IN_SERVICE}/2/reject", {"reason": "counted what came today"}, person="control.eve")
    _states(both, house(500, 997))
    assert [("house", 500, 997, 40, 1037)] == [row[:5] for row in _float(both.report(REPORT))]
    both.ledger.clock.now = at(30)
    _states(both, house(500, 1037), day="2026-11-21")  # as the next day began, what came before is in it
    assert [("house", 500, 1037, 0, 1037)] == [row[:5] for row in _float(both.report(REPORT, "2026-11-21"))]


def test_chips_that_arrive_before_a_statement_is_approved_are_shown_and_approved_as_they_are_then(
    both: BothBooks,
) -> None:
    """The approver reads the value put in since as of now; a hash of the statement as it was before is refused."""
    _states(both, house(500, 1000))
    both.ledger.clock.now = at(30)
    day = "2026-11-21"
    entered = _enters(both, house(500, 990), day=day)
    _passes(both, "manufacturer", "vault", [house(500, 50)])
    [listed, _] = both.ledger.get(IN_SERVICE, person="control.eve").json()["items"]
    shown = both.ledger.get(f"{IN_SERVICE}/2", person="control.eve").json()
    figures = ("stated_cents", "put_in_since_cents", "in_service_cents")
    assert (4_950_00, 0, 4_950_00) == tuple(entered[name] for name in figures)
    assert (4_950_00, 250_00, 5_200_00) == tuple(shown[name] for name in figures)
    assert shown == listed
    path = f"{IN_SERVICE}/2/approve"
    stale = both.ledger.send(path, {"subject_sha256": entered["sha256"]}, person="control.eve")
    assert_problem(stale, 409, "what is here to be approved is")
    both.ledger.done(path, {"subject_sha256": shown["sha256"]}, person="control.eve")
    _passes(both, "manufacturer", "vault", [house(500, 7)])
    approved = both.ledger.get(f"{IN_SERVICE}/2", person="control.eve").json()
    assert ("approved", 4_950_00, 250_00, 5_200_00) == tuple(approved[name] for name in ("status", *figures))


def test_transfers_that_come_to_nothing_are_shown_to_the_approver_too(both: BothBooks) -> None:
    """As many chips came as were destroyed: the values are as before, and the approval is refused all the same."""
    _states(both, house(500, 1000))
    entered = _enters(both, house(500, 990))
    path = f"{IN_SERVICE}/2"
    before = both.ledger.get(path, person="control.eve").json()
    assert ([], entered["sha256"]) == (before["put_in_transfers"], before["sha256"])
    _passes(both, "manufacturer", "vault", [house(500, 50)])
    _passes(both, "vault", "destruction", [house(500, 50)])
    shown = both.ledger.get(path, person="control.eve").json()
    assert ([1, 2], 0) == (shown["put_in_transfers"], shown["put_in_since_cents"])
    stale = both.ledger.send(f"{path}/approve", {"subject_sha256": before["sha256"]}, person="control.eve")
    assert_problem(stale, 409, "what is here to be approved is")
    approved = both.ledger.done(f"{path}/approve", {"subject_sha256": shown["sha256"]}, person="control.eve")
    assert approved == both.ledger.get(path, person="control.eve").json()


def test_a_statement_is_not_approved_once_its_chips_are_those_with_the_arrivals_since(both: BothBooks) -> None:
    """Its figures were right when it was entered: the chips came, or were recorded, before it was approved."""
    _states(both, house(500, 1000))
    _enters(both, house(500, 1050))
    _passes(both, "manufacturer", "vault", [house(500, 50)])
    refused = both.ledger.send(f"{IN_SERVICE}/2/approve", person="control.eve")
    assert_problem(refused, 409, "250.00 of them were put into service since that gaming day began")
    both.ledger.done(f"{IN_SERVICE}/2/reject", {"reason": "has what came today"}, person="control.eve")


@pytest.mark.parametrize("count", [1050, 950])
def test_a_statement_of_what_was_in_service_between_two_transfers_is_refused(both: BothBooks, count: int) -> None:
    """Fifty chips came and fifty were destroyed: their sum is nothing, and a statement with either is wrong."""
    _states(both, house(500, 1000))
    _counts(both, "vault", [house(500, 1000)])
    order = [("manufacturer", "vault"), ("vault", "destruction")]
    for giver, receiver in order if count > 1000 else reversed(order):
        _passes(both, giver, receiver, [house(500, 50)])
    body = {"gaming_day": DAY, "contents": [house(500, count)], "source": "a count"}
    refused = both.ledger.send(IN_SERVICE, body, person="audit.kim")
    assert_problem(refused, 409, f"{abs(count - 1000) * 5}.00 of them" if count > 1000 else "250.00 fewer")
    both.ledger.done(IN_SERVICE, body | {"contents": [house(500, 1001)]}, person="audit.kim")


def test_a_statement_of_no_chips_is_said_to_be_one(both: BothBooks) -> None:
    """Of a house that just opened; an empty list alone may be a form that nobody filled in."""
    body = {"gaming_day": DAY, "contents": [], "source": "a new house"}
    refused = both.ledger.send(IN_SERVICE, body, person="audit.kim")
    assert ["body.is_empty"] == [one["at"] for one in refused.json()["errors"]]
    both.ledger.done(IN_SERVICE, body | {"is_empty": True}, person="audit.kim")


def test_the_first_statement_is_not_of_the_chips_that_came_since(both: BothBooks) -> None:
    """No earlier statement has the rest: they are exactly what came from the manufacturer on that day."""
    _passes(both, "manufacturer", "vault", [house(500, 50), house(2500, 20)])
    body = {"gaming_day": DAY, "contents": [house(2500, 20), house(500, 50)], "source": "invoices"}
    refused = both.ledger.send(IN_SERVICE, body, person="audit.kim")
    assert_problem(refused, 409, "750.00 of them were put into service since that gaming day began")
    _states(both)
    assert [50, 20] == [row[4] for row in _float(both.report(REPORT))]


def test_days_before_the_first_statement_know_no_chips_in_service(both: BothBooks) -> None:
    """What was in service as the next day began says nothing of them."""
    _counts(both, "vault", [house(500, 1050)])
    both.ledger.clock.now = at(30)
    _states(both, house(500, 1040), day="2026-11-21")
    report = both.report(REPORT)
    assert ["chips in service before the books began"] == [mark["what"] for mark in report["content"]["marks"]]
    assert [("house", 500, None, 0, None, 1050, 0, 0, None, None)] == _float(report)
    assert "chips in service" not in identities_of(report)


def test_the_cage_is_held_against_tables_count_room_and_accounts(both: BothBooks) -> None:
    """What the count room found and the cage did not get yet is between them."""
    _day(both)
    table = Table("BJ-01")
    table.sequence = 4
    both.ledger.pit(*table.box_off(at(6)))
    both.ledger.count_boxes(("BJ-01", 5, {"currency": currency_found(9)}))
    _passes(both, "count_room", "vault", currency(7))
    others = {
        row["of"]: (row["theirs_cents"], row["cage_cents"], row["between_cents"])
        for row in rows_of(both.report(REPORT), "others")
    }
    assert {
        "tables": (2_500_00, 2_500_00, 0),
        "count room": (900_00, 700_00, 200_00),
        "accounts": (0, 0, 0),
    } == others


def test_payments_on_counter_checks_are_at_the_cage_and_what_is_owed_is_accounted_for(both: BothBooks) -> None:
    """A deposit lies with the bank, a write-off nowhere; what is recovered is the cage's again."""
    _counts(both, "cage", currency(10))
    table = Table("BJ-01")
    both.ledger.pit(table.opened(at(3), chips(c500=300)))
    issue(both.ledger, table, "K-1", 600_00, hours=3.5)
    for cents, paid_in in ((150_00, "currency"), (100_00, "deposit"), (50_00, "chips")):
        both.ledger.done(f"{CHECKS}/K-1/redeem", {"cents": cents, "paid_in": paid_in}, person="cage.ann")
    lost = written_off(both.ledger, "K-1", 200_00)
    both.ledger.done(f"{WRITE_OFFS}/{lost}/recover", {"cents": 80_00, "paid_in": "currency"}, person="cage.ann")
    _counts(both, "cage", [*currency(12), *currency(8, 10_00)])
    report = both.report(REPORT)
    [cage] = [row for row in rows_of(report, "locations") if row["location"] == "cage"]
    assert (280_00, 0, 1_280_00) == tuple(
        cage[name] for name in ("from_patrons_cents", "over_short_cents", "counted_cents")
    )
    names = ("opening", "issued", "redeemed", "deposited", "written_off", "closing", "recovered")
    assert [(0, 600_00, 200_00, 100_00, 200_00, 100_00, 80_00)] == [
        tuple(row[f"{name}_cents"] for name in names) for row in rows_of(report, "counter_checks")
    ]
    assert (100_00, 100_00) == identities_of(report)["counter checks"]
    assert {True} == {*held(report).values()}


def test_a_check_that_the_bank_pays_is_no_money_of_the_location(both: BothBooks) -> None:
    """Winnings by check leave the drawer as it was; chips redeemed by check came into it, from patrons."""
    _counts(both, "drawer-1", currency(200))
    paid = {"property": PROPERTY, "window": "drawer-1", "patron": "p-1", "medium": "instrument"}
    both.ledger.done("/cage-movements", paid | {"kind": "winnings_paid", "cents": 2_500_00}, person="cage.ann")
    both.ledger.done("/cage-movements", paid | {"kind": "chip_redemption", "cents": 700_00}, person="cage.ann")
    both.ledger.done(
        "/cage-movements", paid | {"kind": "winnings_paid", "cents": 1_00, "medium": "currency"}, person="cage.ann"
    )
    notes = [*currency(199), *currency(4, 20_00), *currency(19, 1_00)]
    _counts(both, "drawer-1", [*notes, house(500, 140)])
    report = both.report(REPORT)
    [drawer] = [row for row in rows_of(report, "locations") if row["location"] == "drawer-1"]
    assert (700_00, -1_00, 0) == tuple(drawer[f"{name}_cents"] for name in ("from_patrons", "to_patrons", "over_short"))
    assert {True} == {*held(report).values()}


def test_a_retired_location_is_on_the_sheet_until_a_count_has_found_it_empty(both: BothBooks) -> None:
    """Also on a day on which nobody counted it, with what it is."""
    _counts(both, "drawer-1", currency(200))
    retired = [one | {"retired_on": "2026-11-21"} for one in LOCATIONS if one["location"] == "drawer-1"]
    known: dict[str, Any] = {"cage_locations": retired, "chip_sets": SETS}
    both.books.desk.feed("properties", property_event(PROPERTY, ["BJ-01"], sequence=5, version=3, **known))
    both.ledger.desk.feed("properties", property_event(PROPERTY, ["BJ-01"], sequence=3, version=3, **known))
    both.ledger.clock.now = at(24)

    def on_sheet(day: str) -> list[tuple[Any, ...]]:
        rows = rows_of(both.report(REPORT, day), "locations")
        return [(row["location"], row["kind"], row["counts"]) for row in rows if row["location"] != "cage"]

    _passes(both, "bank", "cage", currency(1))
    assert [("drawer-1", "drawer", 0)] == on_sheet("2026-11-21")
    _passes(both, "drawer-1", "bank", currency(200))
    counted = {"location": "drawer-1", "contents": [], "is_empty": True, "cashier": "cage.ann"}
    number = both.ledger.done(f"{AT_CAGE}/counts", counted, person="cage.ann")["count"]
    both.ledger.done(f"{AT_CAGE}/counts/{number}/verify", person="cage.bob")
    assert [("drawer-1", "drawer", 1)] == on_sheet("2026-11-21")
    both.ledger.clock.now = at(48)
    _passes(both, "bank", "cage", currency(1))
    assert [] == on_sheet("2026-11-22")


def currency_found(count: int) -> list[dict[str, Any]]:
    """Notes of $100 in a box."""
    return [{"cents": 100_00, "count": count}]


def test_more_chips_than_were_put_into_service_break_an_identity(both: BothBooks) -> None:
    """What was stated to be in service cannot be right, or somebody made chips."""
    _states(both)
    _day(both)
    assert (250, 0) == identities_of(both.report(REPORT))["chips in service"]


def test_the_rake_is_of_what_the_count_room_hands_over(both: BothBooks) -> None:
    """Chips of a poker table's box, as currency: once all has come to the cage, nothing is between them."""
    known = {"cage_locations": LOCATIONS, "chip_sets": SETS}
    amended = property_event(
        PROPERTY, {"PK-01": {"game": "poker", "non_banking": True}}, sequence=5, version=3, **known
    )
    both.ledger.desk.feed("properties", amended)
    both.books.desk.feed("properties", amended)
    table = Table("PK-01")
    both.ledger.pit(table.opened(at(0), chips(c500=200)), *table.box_off(at(2)), table.closed(at(3), chips(c500=134)))
    found = {"currency": currency_found(2), "rake": chips(c500=66)}
    both.ledger.count_boxes(("PK-01", 2, found))
    _passes(both, "count_room", "vault", [house(500, 66), *currency(2)])
    rows = {row["of"]: row for row in rows_of(both.report(REPORT), "others")}
    assert (530_00, 530_00, 0) == tuple(
        rows["count room"][name] for name in ("theirs_cents", "cage_cents", "between_cents")
    )


def test_the_cage_is_of_a_property(both: BothBooks) -> None:
    """There is none of a table."""
    _day(both)
    both.publish()
    about = f"property={PROPERTY}&gaming_day={DAY}&known_at={quote(LATER)}"
    answer = both.books.get(f"/reports/{REPORT}?{about}&table=BJ-01")
    assert_problem(answer, 404, "the cage is of a property")
