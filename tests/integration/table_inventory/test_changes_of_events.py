"""Which changes of pit events are recorded, which are refused and why, and what they lead to in whatever order."""

from collections.abc import Iterator
from datetime import datetime
from itertools import groupby, permutations
from operator import attrgetter
from typing import Any

import pytest

from tests.integration.table_inventory.day import BOX, FOUND, OPENER, play_a_day
from tests.support import Databases
from tests.support.asgi import assert_problem
from tests.support.nightly import sampled
from tests.support.pit import DAY, PROPERTY, InventoryDesk, Table, at, chips
from tests.support.twins import CORRECTION, LATER, World, corrected, voided, world_of

PEOPLE = {"dealer": "dealer.dan", "floorperson": "floor.fay"}
SHARD = attrgetter("shard")
Event = dict[str, Any]


def counted(table: Table, hours: float, contents: Any) -> Event:
    """A spot count."""
    return table.event("table.counted", at(hours), contents=contents, purpose="spot", **PEOPLE)


def check(table: Table, serial: str = "K-1", cents: int = 500_00) -> Event:
    """A counter check is issued."""
    return table.event("counter_check.issued", at(1), serial=serial, cents=cents, **PEOPLE)


def one_refusal(desk: InventoryDesk, event: Event) -> str:
    """Why an event goes into quarantine, which moves nothing."""
    before, refused = desk.balances(), len(desk.quarantined())
    desk.pit(event)
    assert (before, refused + 1) == (desk.balances(), len(desk.quarantined()))
    return desk.quarantined()[-1]


def test_one_person_cannot_change_an_event(desk: InventoryDesk) -> None:
    """However the name is written: it takes two, as the pack says of adjustments."""
    table = Table("BJ-01")
    sale = table.sold(at(1), 900_00)
    desk.pit(table.opened(at(0), OPENER), sale)
    event = voided(table, sale)
    event["data"]["correction"] = CORRECTION | {"approved_by": " Floor.FAY"}
    why = one_refusal(desk, event)
    assert "is 'entered_by' of the change of event 1" in why
    assert "cannot be 'approved_by' too (Arkansas" in why


def test_a_change_names_an_event_of_its_stream_by_its_kind_before_it(desk: InventoryDesk) -> None:
    """Not one of another kind, nor a change, nor itself, nor what is of another table or not yet over."""
    table, other = Table("BJ-01"), Table("BJ-02")
    sale = table.sold(at(1), 900_00)
    desk.pit(table.opened(at(0), OPENER), sale, other.opened(at(0), OPENER))
    assert "is a chips.sold, not a tips.collected" in one_refusal(
        desk, voided(table, sale | {"type": "tips.collected"})
    )
    void = voided(table, sale)
    desk.pit(void)
    why = one_refusal(desk, voided(table, void | {"type": "chips.sold"}))
    assert f"event {void['sequence']} of {table.source} changes event {sale['sequence']}" in why
    ahead = voided(table, sale | {"sequence": table.sequence + 1})
    assert "comes after this one" in one_refusal(desk, ahead)
    foreign = corrected(table, sale, other.sold(at(1), 1_00))
    assert "what happened at another table is reported there" in one_refusal(desk, foreign)
    late = corrected(table, sale, sale | {"time": at(24.7).isoformat()})
    assert "is after the correction of event" in one_refusal(desk, late)
    elsewhere = voided(other, sale)
    elsewhere["data"]["table"] = "BJ-01"
    assert "the pit events of this table come from" in one_refusal(desk, elsewhere)


def test_what_an_event_corrects_keeps_its_place_until_it_is_void(desk: InventoryDesk) -> None:
    """Corrected twice, void twice, and corrected again: what was said last stands, and every step is on record."""
    table = Table("BJ-01")
    opener, sale = table.opened(at(0), OPENER), table.sold(at(1), 900_00)
    desk.pit(opener, sale)

    def sold() -> int:
        return desk.balances().get(("BJ-01", "currency", "box"), 0)

    for cents in (90_00, 9_00):
        instead = {**sale, "data": {**sale["data"], "cents": cents}}
        desk.pit(corrected(table, sale, instead))
        assert cents == sold()
    for _ in range(2):
        desk.pit(voided(table, sale))
        assert 0 == sold()
    desk.pit(corrected(table, sale, sale))
    assert 900_00 == sold()
    assert [] == desk.quarantined()
    kinds = [one.draft.kind for one in desk.entries() if one.draft.source == table.source][1:]
    steps = ["pit.recorded", *["pit.voided", "pit.recorded"] * 2, "pit.voided", "pit.noted"]
    assert [*steps, "pit.recorded"] == kinds


@sampled(2)
@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_changes_lead_to_the_same_books_in_whatever_order_they_come(
    desk: InventoryDesk, order: tuple[int, ...]
) -> None:
    """A sale, a correction and then another one of it: the last in the stream stands, also where it came first."""
    table = Table("BJ-01")
    sale = table.sold(at(1), 900_00)
    desk.pit(table.opened(at(0), OPENER))
    events = [sale, *(corrected(table, sale, sale | {"data": sale["data"] | {"cents": cents}}) for cents in (1, 90_00))]
    for number in order:
        desk.pit(events[number])
    assert (90_00, []) == (desk.balances()["BJ-01", "currency", "box"], desk.quarantined())
    desk.pit(voided(table, sale))
    assert ("BJ-01", "currency", "box") not in desk.balances()


@pytest.mark.parametrize("together", [True, False])
def test_the_books_of_a_table_begin_with_its_first_count_that_stands(desk: InventoryDesk, *, together: bool) -> None:
    """The opener is void: they begin with the next count, less what moved before; corrected: with what is right."""
    table, twin = Table("BJ-01"), Table("BJ-02")

    def happens(*events: Event) -> None:
        for some in [events] if together else [(one,) for one in events]:
            desk.pit(*some)

    opener = table.opened(at(0), chips(c500=1000))
    moves = [table.sold(at(1), 900_00), counted(table, 2, chips(c500=100)), table.sold(at(3), 5_00)]
    happens(opener, *moves, voided(table, opener))
    happens(twin.sold(at(1), 900_00), counted(twin, 2, chips(c500=100)), twin.sold(at(3), 5_00))
    assert _of(desk, "BJ-01") == _of(desk, "BJ-02")
    happens(corrected(table, opener, opener | {"data": opener["data"] | {"contents": chips(c500=700)}}))
    third = Table("BJ-03")
    happens(third.opened(at(0), chips(c500=700)), third.sold(at(1), 900_00))
    happens(counted(third, 2, chips(c500=100)), third.sold(at(3), 5_00))
    assert _of(desk, "BJ-01") == _of(desk, "BJ-03")


def _of(desk: InventoryDesk, table: str) -> dict[tuple[str, str], int]:
    return {(wager, leg): cents for (at_table, wager, leg), cents in desk.balances().items() if at_table == table}


def test_a_counter_check_that_the_cage_redeemed_is_void_after_its_redemption(desk: InventoryDesk) -> None:
    """The reason names the redemption; who dealt can be corrected, and a serial number that is free is used again."""
    table, other = Table("BJ-01"), Table("BJ-02")
    issued = check(table)
    desk.pit(table.opened(at(0), OPENER), other.opened(at(0), OPENER), issued)
    path = f"/counter-checks/{PROPERTY}"
    desk.done(f"{path}/K-1/redeem", {"cents": 200_00, "paid_in": "chips"}, person="cage.ann")
    assert "redeemed, replaced or written off by step 1" in one_refusal(desk, voided(table, issued))
    wrong = {**issued, "data": {**issued["data"], "cents": 50_00}}
    assert "redeemed, replaced or written off by step 1" in one_refusal(desk, corrected(table, issued, wrong))
    desk.pit(corrected(table, issued, {**issued, "data": {**issued["data"], "dealer": "dealer.eve"}}))
    desk.done(f"{path}/redemptions/1/void", {"reason": "not paid"}, person="cage.bob")
    desk.pit(voided(table, issued), check(other))
    [left] = desk.get(path, person="cage.ann").json()["items"]
    assert ("BJ-02", 500_00) == (left["table"], left["left_cents"])


@pytest.mark.parametrize("together", [True, False])
def test_a_serial_number_is_free_once_its_issuance_is_void(desk: InventoryDesk, url: str, *, together: bool) -> None:
    """No row is left of the issuance, and whatever has the number next is rebuilt before the void is read, too."""
    table = Table("BJ-01")
    kept, wrong = check(table), check(table, "K-2", 900_00)
    desk.pit(table.opened(at(0), OPENER), kept)
    before = desk.desk.read_model(url)
    path, new = f"/counter-checks/{PROPERTY}", {"serial": "K-2", "replaces": ["K-1"], "drawer": "p-1"}
    if together:
        desk.pit(wrong, voided(table, wrong))
    else:
        desk.pit(wrong)
        assert_problem(desk.send(path, new, person="cage.ann"), 409, "counter check K-2 exists already")
        desk.pit(voided(table, wrong))
    after = desk.desk.read_model(url)
    for name in ("table_inventory.counter_checks", "table_inventory.patron_checks"):
        assert before[name] == after[name]
    assert [] == desk.get(f"{path}/find?typed=K-2", person="cage.ann").json()["items"]
    desk.done(path, new, person="cage.ann")
    [found] = desk.get(path, person="cage.ann").json()["items"]
    assert ("K-2", "p-1", 500_00, at(1)) == (
        *(found[name] for name in ("serial", "drawer", "left_cents")),
        datetime.fromisoformat(found["first_issued_at"]),
    )
    rows, shards = desk.desk.read_model(url), [list(shard) for _, shard in groupby(desk.entries(), SHARD)]
    assert 2 <= len(shards)
    desk.desk.project_again(url, *([entry] for shard in shards[::-1] for entry in shard))
    assert rows == desk.desk.read_model(url)


def test_a_box_that_is_counted_keeps_its_exchange(desk: InventoryDesk) -> None:
    """Neither the exchange nor its way to the count room is void; who carried the box can be corrected."""
    table = play_a_day(desk)
    box = {"sequence": BOX, "type": "box.exchanged", "time": at(7.9).isoformat()}
    people = {"removed_by": "sec.ida", "witnessed_by": "floor.fay"}
    place = {"property": PROPERTY, "table": "BJ-01", "gaming_day": DAY, "shift": "day"}
    desk.count_boxes(("BJ-01", BOX, FOUND))
    assert f"box A1 of event {BOX} is counted in count 1" in one_refusal(desk, voided(table, box))
    carried = box | {"sequence": BOX + 1, "type": "box.transported"}
    assert f"box A1 of event {BOX + 1} is counted in count 1" in one_refusal(desk, voided(table, carried))
    desk.pit(corrected(table, box, box | {"data": place | people | {"removed_box": "A1"}}))
    assert [] == [one for one in desk.win()["shifts"] if one["missing"] or one["win_cents"] != 4_000_00]


def test_a_box_that_lies_elsewhere_by_now_cannot_come_back(desk: InventoryDesk) -> None:
    """B1 was taken off BJ-01 and put on BJ-02: the exchange there is void first."""
    here, there = Table("BJ-01"), Table("BJ-02")

    def exchange(table: Table, hours: float, off: str, on: str) -> Event:
        return table.event("box.exchanged", at(hours), removed_box=off, placed_box=on, **_hands())

    placed, taken = exchange(here, 1, "A1", "B1"), exchange(here, 2, "B1", "C1")
    moved = exchange(there, 3, "A2", "B1")
    desk.pit(placed, taken, moved)
    why = "box B1 is on BJ-02, as its last exchange says: it cannot be on BJ-01"
    assert why in one_refusal(desk, voided(here, taken))
    desk.pit(voided(there, moved), voided(here, taken))
    assert "box B1 is on BJ-01" in one_refusal(desk, exchange(there, 4, "A2", "B1"))


def _hands() -> dict[str, str]:
    return {"removed_by": "sec.gus", "witnessed_by": "floor.fay"}


def test_a_slip_goes_back_step_by_step(desk: InventoryDesk) -> None:
    """A fill that was received is not carried back; once its receipt is void it is, and can be received again."""
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), OPENER))
    number = desk.slip("fill", "BJ-01", chips(c500=100))
    received = {"contents": chips(c500=90), "received_by": "dealer.dan", "observed_by": "floor.fay"}
    sent = table.event("fill.carried", at(1), number=number, carried_by="sec.gus")
    came = table.event("fill.received", at(1.1), number=number, **received)
    desk.pit(sent, came)
    assert f"fill slip {number} of riverbend is received, after event 2" in one_refusal(desk, voided(table, sent))
    desk.pit(voided(table, came), voided(table, sent))
    assert "prepared" == desk.read(f"/slips/{PROPERTY}/fill/{number}")["status"]
    desk.pit(corrected(table, sent, sent), corrected(table, came, came))
    slip = desk.read(f"/slips/{PROPERTY}/fill/{number}")
    assert ("received", -50_00) == (slip["status"], slip["difference_cents"])


def test_a_count_whose_variance_is_resolved_is_corrected_and_resolved_again(desk: InventoryDesk) -> None:
    """It is not void; what it is corrected to changes the variance."""
    table = Table("BJ-01")
    opener, count = table.opened(at(0), chips(c500=1000)), counted(table, 2, chips(c500=900))
    desk.pit(opener, count)
    path = f"/variances/{PROPERTY}/{DAY}/inventory/BJ-01/2"
    desk.done(f"{path}/own", {"owner": "audit.kim"}, person="audit.lou")
    desk.done(f"{path}/resolve", {"conclusion": "overpaid"}, person="audit.kim")
    assert "the variance of event 2 is resolved, for -$500.00" in one_refusal(desk, voided(table, count))
    desk.pit(corrected(table, count, {**count, "data": {**count["data"], "contents": chips(c500=950)}}))
    assert ["changed"] == [one["status"] for one in desk.variances()]


@pytest.fixture
def world(databases: Databases) -> Iterator[World]:
    """Table inventory, vigorish and reporting."""
    with world_of(databases) as found:
        yield found


def test_a_sale_that_was_typed_wrong_leaves_no_false_report_of_currency(world: World) -> None:
    """900.00 typed as 9,000.00: with 2,000.00 it was to be reported; it is no longer, and what was filed is named."""
    table = Table("BJ-01")
    first, typed = table.sold(at(1), 2_000_00, patron="p-1"), table.sold(at(2), 9_000_00, patron="p-1")
    world.pit(table.opened(at(0), OPENER), first, typed)

    def report(name: str) -> list[tuple[Any, ...]]:
        rows = world.picture()[f"currency/{name}"] if name != "amended" else world.section("currency", "amended")
        return [(one["person"], one.get("was_cents", one["cents"]), one["gaming_day"]) for one in rows]

    assert [("p-1", 11_000_00, DAY)] == report("reportable")
    world.pit(corrected(table, typed, {**typed, "data": {**typed["data"], "cents": 900_00}}))
    assert [] == report("reportable")
    assert [("p-1", 11_000_00, DAY)] == report("amended")
    [changed] = world.section("currency", "amended")
    assert (None, "typed wrong") == (changed["cents"], changed["reason"])
    [noted] = [one for one in world.books.exceptions(f"&known_at={LATER}") if one["kind"] == "pit_voided"]
    assert ("BJ-01/2 chips.sold", 9_000_00, "floor.fay, audit.kim") == (noted["subject"], noted["cents"], noted["by"])
