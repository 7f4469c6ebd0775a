"""Fills and credits: who does what, numbers, voids, paper slips."""

from concurrent.futures import ThreadPoolExecutor

from shared.contracts.journal_facts import CommandRefused
from tests.integration.table_inventory.day import OPENER, PAPER
from tests.support.pit import DAY, PROPERTY, InventoryDesk, Table, at, chips
from tests.support.services import query


def test_the_same_person_twice_on_one_slip_is_refused(desk: InventoryDesk) -> None:
    """At the cage and at the table alike, and the refusals are recorded."""
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), OPENER))
    place = {"property": PROPERTY, "table": "BJ-01", "gaming_day": DAY, "shift": "day"}
    wanted = desk.done("/requests", {"slip": "fill", "contents": chips(c500=10), **place}, person="cage.ann as pit")
    prepare = {"property": PROPERTY, "request": wanted["request"]}
    refused = desk.send("/slips", prepare, person="cage.ann", key="mine")
    assert (403, "cage.ann is 'requested_by' of request 1 of riverbend and cannot be 'prepared_by' too") == (
        refused.status_code,
        refused.json()["detail"],
    )
    assert refused.json() == desk.send("/slips", prepare, person="cage.ann", key="mine").json()
    number = desk.done("/slips", prepare, person="cage.bob")["number"]
    desk.pit(table.event("fill.carried", at(1), number=number, carried_by="cage.bob"))
    reason = (
        "cage.bob is 'prepared_by' of fill slip 1 of riverbend and cannot be 'carried_by' too (58 Pa. Code § 465a.38)"
    )
    assert [reason] == desk.quarantined()
    [fact] = [fact for fact in desk.desk.facts() if isinstance(fact, CommandRefused)]
    assert ("cage.ann", "prepare-slip") == (fact.by, fact.command)


def test_slip_numbers_have_no_gap_however_many_prepare_at_once(desk: InventoryDesk, url: str) -> None:
    """Numbers come from one place, in one transaction with the slip: dense from the first, one for each request."""
    place = {"property": PROPERTY, "table": "BJ-01", "gaming_day": DAY, "shift": "day"}
    for _ in range(12):
        desk.done("/requests", {"slip": "fill", "contents": chips(c500=10), **place}, person="pit.ray")

    def prepare(request: int) -> int:
        body = {"property": PROPERTY, "request": request}
        answer = desk.send("/slips", body, person="cage.bob", key=f"prepare-{request}-{request % 7}")
        status: int = answer.status_code
        return status

    with ThreadPoolExecutor(6) as pool:
        statuses = list(pool.map(prepare, [*range(1, 13), 3, 3, 5]))
    assert 12 <= statuses.count(201)
    numbers = query(url, "SELECT number FROM table_inventory.slips ORDER BY 1")
    assert [(number,) for number in range(1, 13)] == numbers


def test_what_arrives_otherwise_than_it_left_stays_in_transit_as_a_variance(desk: InventoryDesk) -> None:
    """A fill of $50 of which $45 arrive leaves $5 in transit, owned and resolved like any other difference."""
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), OPENER))
    number = desk.slip("fill", "BJ-01", chips(c500=10))
    desk.pit(
        table.event("fill.carried", at(1), number=number, carried_by="sec.gus"),
        table.event(
            "fill.received",
            at(1.1),
            number=number,
            contents=chips(c500=9),
            received_by="dealer.dan",
            observed_by="floor.fay",
        ),
    )
    assert 500 == desk.balances()["BJ-01", "fill", "transit"]
    [variance] = desk.variances()
    assert ("fill", number, -500, "noted") == tuple(variance[name] for name in ("variance", "number", "cents", "level"))
    path = f"/variances/{PROPERTY}/{DAY}/fill/BJ-01/{number}"
    desk.done(f"{path}/own", {"owner": "audit.kim"}, person="audit.kim")
    desk.done(f"{path}/resolve", {"conclusion": "chip found in the rack"}, person="audit.kim")
    assert ("BJ-01", "fill", "transit") not in desk.balances()


def test_a_void_slip_keeps_its_number_and_sends_back_what_was_on_its_way(desk: InventoryDesk) -> None:
    """A void has a reason; a received slip cannot be void."""
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), OPENER))
    number = desk.slip("credit", "BJ-01", chips(c500=10))
    desk.pit(
        table.event(
            "credit.carried",
            at(1),
            number=number,
            surrendered_by="dealer.dan",
            observed_by="floor.fay",
            carried_by="sec.gus",
        )
    )
    assert 50_00 == desk.balances()["BJ-01", "credit", "transit"]
    void = desk.done(f"/slips/{PROPERTY}/credit/{number}/void", {"reason": "wrong table"}, person="cage.bob")
    assert ("void", "wrong table") == (void["status"], void["void_reason"])
    assert 20_000_00 == desk.balances()["BJ-01", "", "inventory"]
    assert ("BJ-01", "credit", "transit") not in desk.balances()
    receive = f"/slips/{PROPERTY}/credit/{number}/receive"
    assert 422 == desk.send(receive, {"contents": []}, person="cage.ann").status_code
    assert 409 == desk.send(receive, {"contents": [], "is_empty": True}, person="cage.ann").status_code
    assert number + 1 == desk.slip("credit", "BJ-01", chips(c500=10))


def test_paper_slips_come_in_late(desk: InventoryDesk) -> None:
    """A paper slip counts at the moment that it says, flagged as late; no number twice."""
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), OPENER), table.closed(at(8), [*chips(c500=1010, c2500=600)]))
    assert [50_00] == [variance["cents"] for variance in desk.variances()]
    entered = desk.done("/manual-slips", PAPER, person="cage.bob")
    assert (True, "cage.bob") == (entered["late"], entered["entered_by"])
    assert [] == desk.variances()
    twice = desk.send("/manual-slips", PAPER | {"number": 5002, "observed_by": "pit.ray"}, person="cage.bob")
    assert (403, "pit.ray is 'requested_by' of paper fill slip 5002 of riverbend and cannot be 'observed_by' too") == (
        twice.status_code,
        twice.json()["detail"],
    )
    desk.done("/manual-slips", PAPER | {"number": 5004}, person="cage.bob")
    assert 409 == desk.send("/manual-slips", PAPER, person="cage.bob").status_code
    form = {name: PAPER[name] for name in ("slip", "property", "gaming_day", "reason")}
    desk.done("/manual-slips/void", form | {"number": 5003, "reason": "spoilt"}, person="cage.bob")


def test_a_slip_voided_while_its_fill_arrives_is_one_or_the_other(desk: InventoryDesk, url: str) -> None:
    """A table event between the decision and the commit of a void makes the void be decided again, and refused."""
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), OPENER))
    number = desk.slip("fill", "BJ-01", chips(c500=10))
    statement = (
        "UPDATE table_inventory.slips SET received_by = 'dealer.dan', received_at = now(), observed_by = 'floor.fay', "
        "received_cents = 5000 WHERE number = 1 RETURNING 1"
    )
    desk.clock.disturb = lambda: query(url, statement)
    answer = desk.send(f"/slips/{PROPERTY}/fill/{number}/void", {"reason": "late"}, person="cage.bob")
    assert 409 == answer.status_code
    assert "fill slip 1 of riverbend was received: adjust the gaming day instead" == answer.json()["detail"]


def test_a_slip_carried_while_it_is_voided_is_quarantined(desk: InventoryDesk, url: str) -> None:
    """A void that sent nothing back stands: what security carries after it would stay in transit for ever."""
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), OPENER))
    number = desk.slip("fill", "BJ-01", chips(c500=10))
    statement = (
        "UPDATE table_inventory.slips SET voided_by = 'cage.bob', voided_at = now(), returned = '[]' "
        "WHERE number = 1 RETURNING 1"
    )

    def void() -> None:
        query(url, statement)

    def wait_for_the_commit() -> None:
        desk.clock.disturb = void  # the first look at the clock is when the record comes

    desk.clock.disturb = wait_for_the_commit
    desk.pit(table.event("fill.carried", at(1), number=number, carried_by="sec.gus"))
    [reason] = desk.quarantined()
    assert "void_after_it_was_carried" in reason
    assert ("BJ-01", "fill", "transit") not in desk.balances()


def test_requests_are_listed_until_somebody_prepares_them(desk: InventoryDesk) -> None:
    """In order, page by page, with who asked for what; one that is prepared or of another property is none of them."""
    place = {"property": PROPERTY, "table": "BJ-01", "gaming_day": DAY, "shift": "day"}
    for number in range(1, 4):
        desk.done("/requests", {"slip": "fill", "contents": chips(c500=number), **place}, person="pit.ray")
    desk.done("/slips", {"property": PROPERTY, "request": 2}, person="cage.bob")
    path = f"/requests?property={PROPERTY}"
    listed = desk.read(path)["items"]
    asked = [(one["request"], one["contents"], one["requested_by"]) for one in listed]
    assert [(1, chips(c500=1), "pit.ray"), (3, chips(c500=3), "pit.ray")] == asked
    first = desk.read(f"{path}&limit=1")
    assert [listed[1]] == desk.read(f"{path}&limit=1&cursor={first['next']}")["items"]
    assert [] == desk.read("/requests?property=elsewhere")["items"]


def test_chips_that_the_property_does_not_have_are_refused_by_name(desk: InventoryDesk) -> None:
    """When they are requested, when a credit arrives, on a paper slip, and in what the pit reports."""
    value = {"chip_set": "value", "denominations_cents": [500, 2500], "in_use_from": "2026-01-01"}
    desk.has_only("BJ-01", chip_sets=[value])
    said = "'contents' has a chip of $3.00: riverbend has none in use on 2026-11-20; it has chip $5.00, "
    said += "chip $25.00 ('chip_sets' of its version 2)"
    place = {"property": PROPERTY, "table": "BJ-01", "gaming_day": DAY, "shift": "day"}
    for kind in ("fill", "credit"):
        refused = desk.send("/requests", {"slip": kind, "contents": chips(c300=2), **place}, person="pit.ray")
        assert (404, said) == (refused.status_code, refused.json()["detail"])
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), chips(c300=2)), table.opened(at(0), chips(c500=200)))
    assert [said] == desk.quarantined()
    number = desk.slip("credit", "BJ-01", chips(c500=10))
    people = {"surrendered_by": "dealer.dan", "observed_by": "floor.fay", "carried_by": "sec.gus"}
    desk.pit(table.event("credit.carried", at(1), number=number, **people))
    path, body = f"/slips/{PROPERTY}/credit/{number}/receive", {"contents": chips(c300=2)}
    assert said == desk.send(path, body, person="cage.ann").json()["detail"]
    paper = desk.send("/manual-slips", PAPER | {"contents": chips(c300=2)}, person="cage.bob")
    assert said == paper.json()["detail"]
