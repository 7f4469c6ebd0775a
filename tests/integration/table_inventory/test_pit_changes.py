"""Changes of pit events at the desk: who may do what, what is refused, and what becomes of what comes too late."""

from collections.abc import Iterator
from typing import Any

import pytest

from shared.contracts.envelope import pit_source
from shared.contracts.pit import desk_source
from shared.runtime.commands.record_replay import NotSent, Replay
from tests.integration.table_inventory.day import OPENER
from tests.support import Databases
from tests.support.asgi import assert_problem
from tests.support.pit import PROPERTY, InventoryDesk, Table, at
from tests.support.pit_changes import decide, path_of, propose, send_approved
from tests.support.properties import property_event
from tests.support.rounds import encoded
from tests.support.twins import World, corrected, differences, voided, world_of

Event = dict[str, Any]


@pytest.fixture
def world(databases: Databases) -> Iterator[World]:
    """Table inventory, vigorish and reporting."""
    with world_of(databases) as found:
        yield found


@pytest.fixture
def desk(world: World) -> InventoryDesk:
    """The desk of table inventory."""
    return world.inventory


@pytest.fixture
def table() -> Table:
    """A table."""
    return Table("BJ-01")


@pytest.fixture
def sale(world: World, table: Table) -> Event:
    """A sale of 900.00 at it, after it was opened."""
    sale = table.sold(at(1), 900_00)
    world.pit(sale, table.opened(at(0), OPENER))
    return sale


def of(sale: Event, cents: int) -> Event:
    """The same sale, of another amount."""
    return sale | {"data": sale["data"] | {"cents": cents}}


def sold(desk: InventoryDesk) -> int:
    """The currency in the box, cents."""
    return desk.balances().get(("BJ-01", "currency", "box"), 0)


def shown(desk: InventoryDesk, number: int = 1) -> dict[str, Any]:
    """A change as who approves it is shown it."""
    found: dict[str, Any] = desk.get(f"/pit-changes/{PROPERTY}/{number}", person="audit.ned").json()
    return found


def test_who_approves_sees_the_whole_event_before_and_after(desk: InventoryDesk, sale: Event) -> None:
    """And what moves, and which gaming day is restated; nothing is changed by looking or proposing."""
    proposed = propose(desk, sale, of(sale, 90_00))
    assert (201, f"/pit-changes/{PROPERTY}/1") == (proposed.status_code, proposed.headers["location"])
    found = shown(desk)
    assert (900_00, 90_00) == (found["before"]["data"]["cents"], found["after"]["data"]["cents"])
    assert sale["data"] == {name: found["before"]["data"].get(name, []) for name in sale["data"]}
    legs = {one["leg"]: one["cents"] for one in found["postings"]}
    assert {"inventory": 810_00, "box": -810_00} == legs
    assert (True, ["2026-11-20"]) == (found["stands"], found["restates"])
    assert 900_00 == sold(desk)
    [listed] = desk.get(f"/pit-changes?property={PROPERTY}&status=proposed", person="audit.ned").json()["items"]
    assert ("floor.mia", "typed wrong") == (listed["proposed_by"], listed["reason"])


def test_it_takes_effect_with_both_people_once(world: World, desk: InventoryDesk, sale: Event) -> None:
    """Where Kafka is away, when it is delivered twice, and by a process that has just begun."""
    propose(desk, sale, of(sale, 90_00))
    assert "waiting" == decide(desk, "approve").json()["effect"]
    world.outbox.failures = 1
    with pytest.raises(NotSent):
        send_approved(desk, world.outbox)
    [sent] = world.take_effect()
    assert ("pit.events", pit_source(PROPERTY, "BJ-01").encode()) == (sent.topic, sent.key)
    desk.desk.restart()
    desk.desk.deliver(sent)
    assert [] == world.take_effect()
    assert (90_00, []) == (sold(desk), desk.quarantined())
    [void] = desk.desk.facts("pit.voided")
    people = {"reason": "typed wrong", "entered_by": "floor.mia", "approved_by": "audit.ned"}
    assert (people, 1) == (dict(void.correction), void.desk_change)  # type: ignore[attr-defined]
    assert ("approved", "recorded", False) == tuple(shown(desk)[name] for name in ("status", "effect", "stands"))
    assert 2 == desk.get(path_of(sale), person="floor.mia").json()["revision"]


def test_nobody_decides_their_own_and_nobody_without_the_role(desk: InventoryDesk, sale: Event) -> None:
    """Who proposed may take it back, and neither approve it nor decide it twice."""
    assert_problem(propose(desk, sale, person="audit.ned"), 403, "pit.correct")
    assert_problem(propose(desk, sale, person="audit.kim"), 403, "pit.correct")
    propose(desk, sale, person="floor.two")
    assert_problem(decide(desk, "approve", person="floor.mia"), 403, "pit.correct.approve")
    assert_problem(decide(desk, "approve", person="floor.two"), 403, "somebody else must approve it")
    assert 200 == decide(desk, "reject", person="floor.two", reason="it was right").status_code
    assert_problem(decide(desk, "approve"), 409, "was rejected already")
    assert_problem(decide(desk, "approve", 2), 404, "no change 2")
    assert ("rejected", "floor.two", "it was right") == tuple(
        shown(desk)[name] for name in ("status", "rejected_by", "rejection_reason")
    )
    assert 900_00 == sold(desk)


def test_a_change_of_what_does_not_stand_is_refused(
    world: World, desk: InventoryDesk, table: Table, sale: Event
) -> None:
    """Another revision or a void came meanwhile: 409 says which, for approving as for proposing."""
    propose(desk, sale)
    world.pit(corrected(table, sale, of(sale, 1_00)))
    assert shown(desk)["stands"] is False
    assert_problem(decide(desk, "approve"), 409, "stands at revision 2, and change 1 at riverbend is of revision 1")
    assert_problem(propose(desk, sale, replaces=1), 409, "stands at revision 2")
    assert 201 == propose(desk, sale).status_code
    assert 200 == decide(desk, "approve", 2).status_code
    assert_problem(propose(desk, sale), 409, "change 2 of event 1")
    world.take_effect()
    assert_problem(propose(desk, sale, replaces=2), 409, "it is void")
    found = desk.get(path_of(sale), person="floor.mia").json()
    people = {"reason": "typed wrong", "entered_by": "floor.mia", "approved_by": "audit.ned"}
    assert ("voided", 2, people) == tuple(found[name] for name in ("status", "change", "correction"))
    assert_problem(desk.get(f"{path_of(sale)}/void", person="floor.mia"), 409, "it is void")


def test_what_the_pit_says_between_approval_and_effect_counts(
    world: World, desk: InventoryDesk, table: Table, sale: Event
) -> None:
    """The change is kept on record and moves nothing, in whatever order services read."""
    propose(desk, sale, of(sale, 90_00))
    decide(desk, "approve")
    world.pit(corrected(table, sale, of(sale, 1_00)))
    world.take_effect()
    assert (1_00, "superseded") == (sold(desk), shown(desk)["effect"])
    [kept] = desk.desk.facts("pit.noted")
    assert 1 == kept.desk_change  # type: ignore[attr-defined]


def test_what_the_pit_says_later_counts_and_what_it_said_earlier_does_not(
    world: World, desk: InventoryDesk, table: Table, sale: Event
) -> None:
    """The desk's place is behind what it replaced: a later event wins, an earlier one that comes late does not."""
    late, stands = corrected(table, sale, of(sale, 5_00)), corrected(table, sale, of(sale, 6_00))
    world.pit(stands)
    world.change("desk", table, (sale, of(sale, 90_00)))
    world.pit(late)
    assert 90_00 == sold(desk)
    world.change("desk", table, (sale, of(sale, 80_00)))
    assert 80_00 == sold(desk)
    world.pit(voided(table, sale))
    assert 0 == sold(desk)
    world.pit(corrected(table, sale, sale))
    world.change("desk", table, (sale, of(sale, 70_00)))
    assert (70_00, []) == (sold(desk), desk.quarantined())


def test_vigorish_comes_to_the_same_in_whatever_order_it_reads(databases: Databases) -> None:
    """The approval before what the pit said, and before what it said later."""
    pictures = []
    for desk_first in (False, True):
        with world_of(databases) as world:
            table = Table("BJ-01")
            vigorish = {"round_id": "r-1", "seat": 1, "by": "dealer.dan"}
            taken = table.event("vigorish.collected", at(1), cents=5_00, **vigorish)
            world.inventory.pit(taken)
            assert 201 == propose(world.inventory, taken, of(taken, 4_00)).status_code
            assert 200 == decide(world.inventory, "approve").status_code
            void = voided(table, taken)
            world.inventory.pit(void)
            if desk_first:
                world.tell_vigorish()
            world.vigorish.feed("pit.events", taken, void)
            world.take_effect()
            assert [] == world.inventory.quarantined() == world.vigorish.quarantined()
            pictures.append({"balances": world.vigorish.balances(), **world.picture()})
    assert {} == differences(*pictures)


def test_what_cannot_be_recorded_is_refused_where_it_is_proposed(desk: InventoryDesk, sale: Event) -> None:
    """Its form with every place, what depends on it in the words of the record, and what changes nothing."""
    wrong = sale | {"data": {**sale["data"], "cents": "x", "color": "red"}}
    problem = propose(desk, sale, wrong)
    assert_problem(problem, 422, "2 mistakes")
    assert {"/instead/cents", "/instead/color"} == {one["pointer"] for one in problem.json()["problems"]}
    assert_problem(propose(desk, sale, sale), 422, "says that already")
    elsewhere = sale | {"data": sale["data"] | {"table": "BJ-02"}}
    assert_problem(
        desk.send(
            f"{path_of(sale)}/changes",
            {"replaces": 1, "at": sale["time"], "instead": elsewhere["data"], "reason": "x"},
            person="floor.mia",
        ),
        422,
        "is of another table",
    )
    assert_problem(propose(desk, sale, of(sale, 1) | {"data": {**of(sale, 1)["data"], "shift": "dya"}}), 422, "'dya'")
    assert_problem(propose(desk, sale | {"sequence": 9}, replaces=1), 404, "there is no event 9")
    assert [] == desk.get(f"/pit-changes?property={PROPERTY}", person="audit.ned").json()["items"]


@pytest.mark.parametrize("approved", [False, True])
def test_an_event_of_nobodys_change_moves_nothing(desk: InventoryDesk, sale: Event, *, approved: bool) -> None:
    """Whoever writes to the topic can have nothing changed that the journal does not say was approved."""
    propose(desk, sale)
    if approved:
        decide(desk, "approve")
    forged = {
        "specversion": "1.0",
        "id": "pit-change-1",
        "source": desk_source(PROPERTY, "BJ-01"),
        "type": "pit_event.change_approved",
        "time": "2026-11-20T18:00:00Z",
        "sequence": 1,
        "data": {"property": PROPERTY, "table": "BJ-01", "change": 1},
    }
    desk.desk.deliver(Replay("pit.events", 0, pit_source(PROPERTY, "BJ-01").encode(), encoded(forged), []))
    [why] = desk.quarantined()
    assert "was not approved as this record says" in why
    assert 900_00 == sold(desk)


def test_no_device_signs_it(world: World, desk: InventoryDesk, table: Table, sale: Event) -> None:
    """Where the property wants signatures of its devices, two people still change what they have said."""
    needed = {"signatures_required_from": "2026-11-20T00:00:00Z"}
    for one in (desk.desk, world.vigorish):
        one.feed("properties", property_event(PROPERTY, ("BJ-01",), sequence=4, version=4, **needed))
    world.change("desk", table, (sale, None))
    assert (0, []) == (sold(desk), desk.quarantined())
    world.pit(table.sold(at(2), 1_00) | {"sequence": 3})
    [why] = desk.quarantined()
    assert "it has no signature" in why
