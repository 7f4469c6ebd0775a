"""One win: what pits do on ordinary days, each of which once let a day be sealed with money or a count missing."""

from collections.abc import Mapping
from datetime import timedelta
from itertools import takewhile
from typing import Any, get_args

import httpx
import pytest

from services.table_inventory.domain.days import Step
from shared.contracts.inventory import PitRecorded
from shared.contracts.topics import SETTLEMENTS
from shared.contracts.win import WinFigures, WinStated
from tests.integration.table_inventory.day import BOX, FOUND, OPENER, PAPER, play_a_day
from tests.integration.table_inventory.test_other_revenue import CONTESTS, RESULT
from tests.support.asgi import assert_problem
from tests.support.nightly import sampled
from tests.support.pit import DAY, PROPERTY, InventoryDesk, Rounds, Table, at, chips
from tests.support.pit_changes import decide, propose
from tests.support.properties import property_event

PATH = f"/gaming-days/{PROPERTY}/{DAY}"
NEXT = "2026-11-21"
PEOPLE = {"dealer": "dealer.dan", "floorperson": "floor.fay"}
CARRIED = {"recorded_by": "floor.fay", "checked_by": "cage.ann"}


def stated(desk: InventoryDesk) -> list[WinStated]:
    """What is stated of wins, after stating what is due."""
    desk.state()
    return [fact for fact in desk.desk.facts() if isinstance(fact, WinStated)]


def counted(table: Table, hours: float, contents: Any, day: str, shift: str, purpose: str = "shift") -> dict[str, Any]:
    """A count that begins a shift."""
    begins = {"gaming_day": day, "shift": shift}
    return table.event("table.counted", at(hours), contents=contents, purpose=purpose, begins=begins, **PEOPLE)


def test_a_box_that_was_placed_and_never_came_back_holds_the_day_until_two_people_write_it_off(
    desk: InventoryDesk,
) -> None:
    """B1 off and B2 on at the change of shifts, B1 counted, B2 never taken off."""
    desk.has_only("BJ-01")
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), chips(c500=200)), table.sold(at(1), 100_00))
    desk.pit(counted(table, 4, chips(c500=180), DAY, "swing"), *table.box_off(at(4), "B1", "B2"))
    exchange = table.sequence - 1
    table.shift = "swing"
    desk.pit(table.sold(at(5), 200_00), table.closed(at(8), chips(c500=140)))
    desk.count_boxes(("BJ-01", exchange, {"currency": [{"cents": 10000, "count": 1}]}))
    early = desk.send(f"{PATH}/preliminary", {}, person="audit.kim")
    assert_problem(early, 409, "box B2, placed on BJ-01 2026-11-20 09:00:00, is not back")
    assert [("box", "B2")] == [(one.what, one.name) for fact in stated(desk) for one in fact.missing][-1:]
    place = {"gaming_day": DAY, "table": "BJ-01", "exchange": exchange, "which": "placed", "reason": "burnt"}
    desk.done(f"/write-offs/{PROPERTY}", place, person="audit.kim")
    own = desk.send(f"/write-offs/{PROPERTY}/1/approve", person="audit.kim")
    assert 403 == own.status_code
    desk.done(f"/write-offs/{PROPERTY}/1/approve", person="control.eve")
    assert "preliminary" == desk.done(f"{PATH}/preliminary", {}, person="audit.kim")["status"]


@pytest.mark.parametrize("step", ["preliminary", "audited", "final"])
def test_no_step_closes_a_day_that_is_not_over(desk: InventoryDesk, step: str) -> None:
    """Not the one that runs, whoever excuses what, nor one that has not begun."""
    desk.has_only("BJ-01")
    play_a_day(desk)
    desk.count_boxes(("BJ-01", BOX, FOUND))
    person = "control.eve" if step == "final" else "audit.lou"
    if step != "preliminary":
        desk.done(f"{PATH}/preliminary", {}, person="audit.kim")
    if step == "final":
        desk.done(f"{PATH}/audited", person="audit.lou")
    desk.clock.now = at(9)
    runs = desk.send(f"{PATH}/{step}", {} if step == "preliminary" else None, person=person)
    assert_problem(runs, 409, "2026-11-20 runs until 2026-11-21 04:00:00: ")


def _missing_upstream(desk: InventoryDesk, table: Table, rounds: Rounds) -> None:
    source = table.source.removesuffix("/pit")
    desk.settle(rounds.said("gap.opened", at(9), {"source": source, "first": 3, "last": 3}))


def _refused_upstream(desk: InventoryDesk, table: Table, rounds: Rounds) -> None:
    source = table.source.removesuffix("/pit")
    place = {"topic": "table.events", "partition": 0, "offset": 7, "source": source, "sequence": 6}
    desk.settle(rounds.said("record.quarantined", at(9), place | {"reason": "no such card", "sha256": "0" * 64}))


def _missing(desk: InventoryDesk, table: Table, rounds: Rounds) -> None:
    del rounds
    table.sequence += 1
    desk.pit(table.sold(at(7), 1_00))


def _refused(desk: InventoryDesk, table: Table, rounds: Rounds) -> None:
    del rounds
    desk.pit(table.sold(at(7), 1_00, shift="dya"))


def _unread(desk: InventoryDesk, table: Table, rounds: Rounds) -> None:
    del table, rounds
    behind = desk.context.behind()
    assert isinstance(behind, dict)
    behind[SETTLEMENTS.name, 0] = 90.0
    desk.clock.now += timedelta(seconds=90)


OPEN = {
    "are missing at round settlement": _missing_upstream,
    "is in quarantine at round settlement: no such card": _refused_upstream,
    "are missing at table inventory": _missing,
    "is in quarantine at table inventory": _refused,
    "settlements are not read (partition 0: 90 s)": _unread,
}
"""What keeps a day from being closed, whatever its own records are, and how it comes about."""


@sampled(3)
@pytest.mark.parametrize("why", OPEN)
@pytest.mark.parametrize("step", get_args(Step)[1:])
def test_every_step_asks_for_what_is_open(desk: InventoryDesk, step: str, why: str) -> None:
    """What comes between two steps holds the next one, as it holds the first."""
    desk.has_only("BJ-01")
    table = play_a_day(desk)
    desk.count_boxes(("BJ-01", BOX, FOUND))
    people = {"preliminary": "audit.kim", "audited": "audit.lou", "final": "control.eve"}
    for earlier in takewhile(lambda one: one != step, people):
        desk.done(f"{PATH}/{earlier}", {} if earlier == "preliminary" else None, person=people[earlier])
    OPEN[why](desk, table, Rounds(4))
    early = desk.send(f"{PATH}/{step}", {} if step == "preliminary" else None, person=people[step])
    assert_problem(early, 409, why)
    assert step != desk.read(PATH)["status"]


def _enter_adjustment(desk: InventoryDesk, sale: Mapping[str, Any]) -> None:
    del sale
    adjusted = {"table": "BJ-01", "shift": "day", "figure": "currency", "cents": 5_00, "reason": "behind the liner"}
    desk.done(f"{PATH}/adjustments", adjusted, person="audit.kim")


def _enter_contest(desk: InventoryDesk, sale: Mapping[str, Any]) -> None:
    del sale
    desk.done(CONTESTS, RESULT, person="audit.kim")


def _propose_change(desk: InventoryDesk, sale: Mapping[str, Any]) -> None:
    assert 201 == propose(desk, sale).status_code


def _approve_change(desk: InventoryDesk, sale: Mapping[str, Any]) -> None:
    _propose_change(desk, sale)
    assert 200 == decide(desk, "approve").status_code


UNDECIDED = {
    "adjustment 1 waits for a decision": _enter_adjustment,
    "revision 1 of contest friday-250 waits for a decision": _enter_contest,
    "change 1 of event 10 of BJ-01 waits for a decision": _propose_change,
    "change 1 of event 10 of BJ-01 is approved and takes effect: wait for it": _approve_change,
}
"""What somebody has entered about a day and nobody has decided, or is on its way, and how it comes about."""


@sampled(2)
@pytest.mark.parametrize("why", UNDECIDED)
@pytest.mark.parametrize("step", ["audited", "final"])
def test_what_is_undecided_holds_the_audit_and_the_seal(desk: InventoryDesk, step: str, why: str) -> None:
    """Also what comes after the audit: it would change what is sealed as soon as it is decided."""
    desk.has_only("BJ-01")
    table = play_a_day(desk)
    desk.pit(sale := table.sold(at(7), 1_00))
    desk.count_boxes(("BJ-01", BOX, FOUND))
    desk.done(f"{PATH}/preliminary", {}, person="audit.kim")
    person = "audit.lou"
    if step == "final":
        desk.done(f"{PATH}/audited", person=person)
        person = "control.eve"
    UNDECIDED[why](desk, sale)
    assert_problem(desk.send(f"{PATH}/{step}", person=person), 409, why)


@pytest.mark.parametrize("day", [NEXT, "9999-12-31"])
def test_a_day_that_has_not_begun_is_not_closed(desk: InventoryDesk, day: str) -> None:
    """However far it lies ahead."""
    desk.clock.now = at(9)
    early = desk.send(f"/gaming-days/{PROPERTY}/{day}/preliminary", {}, person="audit.kim")
    assert_problem(early, 409, f"{day} has not begun")


def test_a_table_at_which_anything_happened_cannot_be_excused(desk: InventoryDesk) -> None:
    """It was opened, or played at without an opener, or only counted; a table of which nothing is known can be."""
    desk.has_only("BJ-01", "BJ-02", "BJ-03")
    play_a_day(desk)
    desk.count_boxes(("BJ-01", BOX, FOUND))
    desk.settle(Rounds(3).posted(Table("BJ-02"), at(3), "r-9", handle=5_00, payout=0))
    for name in ("BJ-01", "BJ-02"):
        excused = [{"table": one, "reason": "renovated"} for one in (name, "BJ-03")]
        refused = desk.send(f"{PATH}/preliminary", {"excused": excused}, person="audit.kim")
        assert_problem(refused, 422, f"table {name} cannot be excused")
    desk.has_only("BJ-01", "BJ-03")


def test_a_table_with_money_in_its_box_cannot_be_excused_and_one_that_is_not_there_either(desk: InventoryDesk) -> None:
    """A box of a table that nobody opened is found with money; an empty one says nothing."""
    desk.has_only("BJ-01", "BJ-02", "BJ-03")
    play_a_day(desk)
    tables = [Table("BJ-02"), Table("BJ-03")]
    for number, table in enumerate(tables):
        desk.pit(*table.box_off(at(5), f"C{number}"))
    found = {"currency": [{"cents": 10000, "count": 5}]}
    desk.count_boxes(("BJ-01", BOX, FOUND), ("BJ-02", 1, found), ("BJ-03", 1, {}))
    for names, status, why in (
        (("BJ-02", "BJ-03"), 422, "table BJ-02 cannot be excused: it was counted, open, dropped, played or rated at"),
        (("BJ-03", "XX-99"), 404, "table 'XX-99' is not among the tables of riverbend"),
    ):
        excused = [{"table": one, "reason": "renovated"} for one in names]
        assert_problem(desk.send(f"{PATH}/preliminary", {"excused": excused}, person="audit.kim"), status, why)
    desk.pit(tables[0].event("table.carried", at(6), contents=chips(c500=100), **CARRIED))
    desk.done(f"{PATH}/preliminary", {"excused": [{"table": "BJ-03", "reason": "renovated"}]}, person="audit.kim")
    assert 500_00 == next(one["win_cents"] for one in desk.win()["tables"] if one["table"] == "BJ-02")


def test_an_excuse_holds_while_nothing_happens_at_the_table(desk: InventoryDesk) -> None:
    """A paper fill that is entered after the day was closed: the table is counted, or the day is not sealed."""
    desk.has_only("BJ-01", "BJ-02", "BJ-03")
    play_a_day(desk)
    desk.count_boxes(("BJ-01", BOX, FOUND))
    excused = [{"table": one, "reason": "renovated"} for one in ("BJ-02", "BJ-03")]
    desk.done(f"{PATH}/preliminary", {"excused": excused}, person="audit.kim")
    desk.done("/manual-slips", PAPER | {"table": "BJ-02"}, person="cage.bob")
    early = desk.send(f"{PATH}/audited", person="audit.lou")
    assert_problem(early, 409, "table BJ-02 has no record of the day")
    desk.pit(Table("BJ-02").event("table.carried", at(4), contents=chips(c500=10), **CARRIED))
    desk.done(f"{PATH}/audited", person="audit.lou")
    sealed = desk.done(f"{PATH}/final", person="control.eve")["report"]
    assert ["BJ-03"] == [one["table"] for one in sealed["excused"]]
    assert ["BJ-01", "BJ-02"] == [one["table"] for one in sealed["tables"]]


def test_what_was_played_at_a_table_that_nobody_opened_holds_the_day(desk: InventoryDesk) -> None:
    """Before the opener, after the closer, and at a table without any count: named with how many, and since when."""
    desk.has_only("BJ-01", "BJ-02")
    opener, rounds = Table("BJ-02"), Rounds(3)
    desk.settle(
        rounds.posted(opener, at(-0.5), "r-7", handle=5_00, payout=0),
        rounds.posted(opener, at(-0.25), "r-8", handle=5_00, payout=0),
    )
    desk.pit(opener.opened(at(0), OPENER), opener.closed(at(8), OPENER))
    desk.pit(opener.event("coupon.dropped", at(8.5), coupon="match_play", cents=10_00, dealer="dealer.dan"))
    desk.pit(*opener.box_off(at(9), "B2"))
    desk.count_boxes(("BJ-02", opener.sequence - 1, {}))
    desk.settle(rounds.posted(Table("BJ-01"), at(3), "r-9", handle=5_00, payout=0))
    words = {
        "BJ-01": "1 round at BJ-01 since 2026-11-20 08:00:00, and nobody had opened it",
        "BJ-02": "2 rounds, 1 coupon at BJ-02 since 2026-11-20 04:30:00, and nobody had opened it",
    }
    early = desk.send(f"{PATH}/preliminary", {}, person="audit.kim")
    assert_problem(early, 409, "; ".join(words.values()))
    listed = {
        one["table"]: one["reason"] for one in desk.read(f"{PATH}/follow-ups")["items"] if one["kind"] == "missing"
    }
    assert words == listed
    desk.settle(rounds.reversed(Table("BJ-01"), at(3), "r-9", handle=5_00, payout=0))
    assert "BJ-01 since" not in desk.send(f"{PATH}/preliminary", {}, person="audit.kim").text


def test_a_table_that_reported_results_cannot_be_excused(desk: InventoryDesk) -> None:
    """Nothing else is known of it: it played, and nobody opened it. A result that was voided excuses it again."""
    desk.has_only("BJ-01", "BJ-02", "BJ-03")
    play_a_day(desk)
    desk.count_boxes(("BJ-01", BOX, FOUND))
    shoes, rounds = Table("BJ-02"), Rounds(3)
    desk.settle(rounds.counted(shoes, at(3)), rounds.counted(shoes, at(3.5)))
    excused = {"excused": [{"table": one, "reason": "closed all day"} for one in ("BJ-02", "BJ-03")]}
    refused = desk.send(f"{PATH}/preliminary", excused, person="audit.kim")
    assert_problem(refused, 422, "table BJ-02 cannot be excused")
    words = "2 results at BJ-02 since 2026-11-20 08:00:00, and nobody had opened it"
    assert words in [one["reason"] for one in desk.read(f"{PATH}/follow-ups")["items"]]
    early = desk.send(f"{PATH}/preliminary", {}, person="audit.kim")
    assert_problem(early, 409, words)
    desk.settle(rounds.uncounted(shoes, at(9), at(3)), rounds.uncounted(shoes, at(9), at(3.5)))
    desk.settle(rounds.uncounted(shoes, at(9), None))
    desk.done(f"{PATH}/preliminary", excused, person="audit.kim")


def test_a_table_at_which_a_patron_was_rated_cannot_be_excused(desk: InventoryDesk) -> None:
    """While the patron plays, and after the patron left; a rating that was amended to another table says nothing."""
    desk.has_only("BJ-01", "BJ-02", "BJ-03")
    play_a_day(desk)
    desk.count_boxes(("BJ-01", BOX, FOUND))
    now = desk.clock.now
    desk.clock.now = at(3)
    opened = {"property": PROPERTY, "table": "BJ-02", "patron": "P-7", "average_bet_cents": 50_00}
    desk.done("/ratings", opened, person="floor.fay")
    desk.clock.now = now
    excused = {"excused": [{"table": one, "reason": "closed all day"} for one in ("BJ-02", "BJ-03")]}
    why = "table BJ-02 cannot be excused: it was counted, open, dropped, played or rated at"
    assert_problem(desk.send(f"{PATH}/preliminary", excused, person="audit.kim"), 422, why)
    desk.clock.now = at(5)
    desk.done(f"/ratings/{PROPERTY}/pit-1/close", {}, person="floor.fay")
    desk.clock.now = now
    assert_problem(desk.send(f"{PATH}/preliminary", excused, person="audit.kim"), 422, why)
    other = {"step": "desk/1", "instead": {"table": "BJ-01"}, "reason": "mistyped"}
    desk.done(f"/ratings/{PROPERTY}/pit-1/amend", other, person="floor.fay")
    desk.done(f"{PATH}/preliminary", excused, person="audit.kim")


def test_a_result_that_comes_after_the_excuse_holds_the_day(desk: InventoryDesk) -> None:
    """Its excuse is gone, and the day waits for its opener; what comes after the seal is to be looked after."""
    desk.has_only("BJ-01", "BJ-02", "BJ-03")
    play_a_day(desk)
    desk.count_boxes(("BJ-01", BOX, FOUND))
    excused = {"excused": [{"table": one, "reason": "closed all day"} for one in ("BJ-02", "BJ-03")]}
    desk.done(f"{PATH}/preliminary", excused, person="audit.kim")
    shoes, rounds = Table("BJ-02"), Rounds(3)
    desk.settle(rounds.counted(shoes, at(3)))
    early = desk.send(f"{PATH}/audited", person="audit.lou")
    assert_problem(early, 409, "1 result at BJ-02 since 2026-11-20 08:00:00, and nobody had opened it")
    assert "table BJ-02 has no record of the day" in early.text
    desk.settle(rounds.uncounted(shoes, at(9), at(3)))
    desk.done(f"{PATH}/audited", person="audit.lou")
    desk.done(f"{PATH}/final", person="control.eve")
    desk.settle(rounds.counted(shoes, at(4)))
    after = [one["reason"] for one in desk.read(f"{PATH}/follow-ups")["items"]]
    assert "1 result at BJ-02 since 2026-11-20 09:00:00, and nobody had opened it" in after


def test_a_fill_after_the_drop_count_is_of_the_next_day_whatever_it_claims(desk: InventoryDesk) -> None:
    """Drop count at the end of the day; a fill a minute later says the old day: 0 and 0."""
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), chips(c500=200)))
    number = desk.slip("fill", "BJ-01", chips(c500=100))
    desk.pit(counted(table, 23, chips(c500=200), NEXT, "day", "drop"), *table.box_off(at(23), "B1", "B2"))
    received = {"contents": chips(c500=100), "received_by": "dealer.dan", "observed_by": "floor.fay"}
    desk.pit(
        table.event("fill.carried", at(23.01), number=number, carried_by="sec.gus"),
        table.event("fill.received", at(23.02), number=number, **received),
    )
    [fact] = [fact for fact in desk.desk.facts() if isinstance(fact, PitRecorded) and fact.event == "fill.received"]
    assert (NEXT, DAY) == (str(fact.gaming_day), str(fact.claimed_day))
    table.day = NEXT
    desk.pit(table.closed(at(30), chips(c500=300)), *table.box_off(at(30), "B2"))
    for day in (DAY, NEXT):
        exchange = next(box for box in desk.win(day)["tables"][0]["boxes"])
        desk.count_boxes(("BJ-01", exchange, {}), day=day)
    assert [0, 0] == [desk.win(day)["tables"][0]["win_cents"] for day in (DAY, NEXT)]
    figures = {day: WinFigures() for day in (DAY, NEXT)}
    for one in stated(desk):
        if str(one.gaming_day) in figures:
            figures[str(one.gaming_day)] += one.changes
    assert [(0, 0), (500_00, 0)] == [(one.fills_cents, one.win_cents) for one in figures.values()]


def test_a_sale_is_of_the_gaming_day_of_its_moment(desk: InventoryDesk) -> None:
    """600,000 at 22:00 and as much an hour later, which claims the next gaming day: both are of one day."""
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), OPENER), table.sold(at(21.5), 6_000_00, patron="p-1"))
    desk.pit(table.sold(at(22.5), 6_000_00, patron="p-1", gaming_day=NEXT))
    sold = [fact for fact in desk.desk.facts() if isinstance(fact, PitRecorded) and fact.event == "chips.sold"]
    assert [(DAY, None), (DAY, NEXT)] == [
        (str(one.gaming_day), None if one.claimed_day is None else str(one.claimed_day)) for one in sold
    ]


def test_a_counter_check_is_issued_once(desk: InventoryDesk) -> None:
    """K-1 at two tables: the second is refused where it is recorded, in one batch and in another."""
    tables = [Table("BJ-01"), Table("BJ-02")]
    checks = [
        table.event("counter_check.issued", at(1 + number), serial="K-1", cents=500_00, **PEOPLE)
        for number, table in enumerate((*tables, *tables))
    ]
    desk.pit(*checks[:2])
    desk.pit(checks[2])
    assert 2 == len([reason for reason in desk.quarantined() if "counter check K-1 of riverbend was issued" in reason])
    [check] = desk.get(f"/counter-checks/{PROPERTY}", person="cage.ann").json()["items"]
    assert ("BJ-01", 500_00) == (check["table"], check["left_cents"])


def test_a_shift_that_the_property_has_not_is_refused(desk: InventoryDesk) -> None:
    """A closer of shift `dya`, and a count that begins it."""
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), OPENER), table.closed(at(8), OPENER, shift="dya"))
    desk.pit(counted(table, 8, OPENER, DAY, "dya"))
    assert 2 == len([reason for reason in desk.quarantined() if "'shift' 'dya': riverbend has the shifts" in reason])


def test_a_box_is_on_one_table(desk: InventoryDesk) -> None:
    """One that another table's last exchange has placed there cannot be placed here; once it is off, it can."""
    here, there = Table("BJ-01"), Table("BJ-02")
    desk.pit(here.opened(at(0), OPENER), there.opened(at(0), OPENER))
    desk.pit(*here.box_off(at(1), "A1", "X"), *there.box_off(at(2), "A2", "X"))
    assert ["box X is on BJ-01, as its last exchange says: it cannot be on BJ-02"] == [
        reason.rpartition(": box")[0] or reason for reason in desk.quarantined()
    ]
    desk.pit(*here.box_off(at(3), "X", "Y"), *there.box_off(at(4), "A2", "X"))
    assert 1 == len(desk.quarantined())


@pytest.mark.parametrize("how", ["record.mended", "quarantine.dismissed_together"])
def test_what_round_settlement_refused_or_misses_holds_the_day(desk: InventoryDesk, how: str) -> None:
    """A gap, and a record in quarantine of the property; once both are over, the day is closed."""
    desk.has_only("BJ-01")
    table, rounds = play_a_day(desk), Rounds(4)
    desk.count_boxes(("BJ-01", BOX, FOUND))
    source = table.source.removesuffix("/pit")
    refused = {"topic": "table.events", "partition": 0, "offset": 7, "source": source, "sequence": 6}
    desk.settle(
        rounds.said("gap.opened", at(9), {"source": source, "first": 3, "last": 3}),
        rounds.said("record.quarantined", at(9), refused | {"reason": "no such card", "sha256": "0" * 64}),
    )
    early = desk.send(f"{PATH}/preliminary", {}, person="audit.kim")
    assert_problem(early, 409, f"1 events of {source} are missing at round settlement")
    assert_problem(early, 409, f"a record of {source} is in quarantine at round settlement: no such card")
    closed: dict[str, Any] = {
        "record.mended": {"source": source, "sequence": 6, "quarantine": [1], "entries": [{"shard": 4, "seq": 2}]},
        "quarantine.dismissed_together": {
            "dismissal": 1,
            "filter": {"until": 1},
            "records": 1,
            "digest": "0" * 64,
            "closed": [{"shard": 4, "first": 2, "last": 2}],
            "correction": {"reason": "noise", "entered_by": "kim", "approved_by": "ann"},
        },
    }
    desk.settle(
        rounds.said("gap.filled", at(9), {"source": source, "sequence": 3}),
        rounds.said(how, at(9), closed[how]),
    )
    desk.done(f"{PATH}/preliminary", {}, person="audit.kim")


def test_what_the_service_refused_itself_holds_the_day(desk: InventoryDesk) -> None:
    """An event of the pit that is in quarantine; and the gap that the next one shows."""
    desk.has_only("BJ-01")
    table = play_a_day(desk)
    desk.count_boxes(("BJ-01", BOX, FOUND))
    desk.pit(table.sold(at(7), 1_00, shift="dya"))
    early = desk.send(f"{PATH}/preliminary", {}, person="audit.kim")
    assert_problem(early, 409, "is in quarantine at table inventory")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"gaming_day": "2031-11-20"}, "2031-11-20 has not begun"),
        ({"shift": "dya"}, "riverbend has no shift 'dya'; its shifts are day, swing, grave"),
    ],
)
def test_a_slip_is_requested_for_a_day_and_a_shift_that_there_are(
    desk: InventoryDesk, changes: dict[str, str], why: str
) -> None:
    """It is refused when it is requested, and not when the chips are at the table."""
    wanted = {"slip": "fill", "property": PROPERTY, "table": "BJ-01", "gaming_day": DAY, "shift": "day"}
    refused = desk.send("/requests", wanted | {"contents": chips(c500=10)} | changes, person="pit.ray")
    assert_problem(refused, 404 if "shift" in changes else 409, why)


def test_what_is_entered_at_a_desk_is_of_a_shift_that_there_is(desk: InventoryDesk) -> None:
    """A paper slip, and an adjustment of a day."""
    desk.has_only("BJ-01")
    play_a_day(desk)
    desk.count_boxes(("BJ-01", BOX, FOUND))
    desk.done(f"{PATH}/preliminary", {}, person="audit.kim")
    adjusted = {"table": "BJ-01", "shift": "dya", "figure": "currency", "cents": 5_00, "reason": "behind the liner"}
    for path, body, person in (
        ("/manual-slips", PAPER | {"shift": "dya"}, "cage.bob"),
        (f"{PATH}/adjustments", adjusted, "audit.kim"),
    ):
        refused = desk.send(path, body, person=person)
        assert_problem(refused, 404, "riverbend has no shift 'dya'; its shifts are day, swing, grave")


@pytest.mark.parametrize("which", ["removed", "placed"])
def test_a_box_is_written_off_of_a_gaming_day_that_may_wait_for_it(desk: InventoryDesk, which: str) -> None:
    """That on which it came off; or one from the exchange that placed it to the one by which another box came back."""
    desk.has_only("BJ-01")
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), OPENER), *table.box_off(at(3), "A1", "B1"), table.closed(at(8), OPENER))
    later = "2026-11-22"

    def asked(day: str) -> httpx.Response:
        written = {"table": "BJ-01", "exchange": 2, "which": which, "reason": "burnt", "gaming_day": day}
        return desk.send(f"/write-offs/{PROPERTY}", written, person="audit.kim")

    box = "A1" if which == "removed" else "B1"
    words = f"does not wait for box {box} of exchange 2 at BJ-01, which is of {DAY}"
    assert_problem(asked("2026-11-19"), 409, f"2026-11-19 {words}")
    assert_problem(asked(later), 409, f"{later} {words}" if which == "removed" else f"{later} has not begun")
    table.day = later
    desk.pit(table.opened(at(48), OPENER), *table.box_off(at(50), "C1"))
    assert_problem(asked("2026-11-23"), 409, f"2026-11-23 {words}")
    assert 201 == asked(DAY if which == "removed" else NEXT).status_code


def test_a_counter_check_is_looked_for_in_the_box_that_was_on_the_table(desk: InventoryDesk) -> None:
    """K-2 is issued after the count, and is in the old day's box; K-1 is in none, which the count of its box shows."""
    desk.has_only("BJ-01")
    table = Table("BJ-01")

    def issued(hours: float, serial: str) -> dict[str, Any]:
        return table.event("counter_check.issued", at(hours), serial=serial, cents=500_00, **PEOPLE)

    def not_dropped() -> list[list[str]]:
        return [[one["subject"] for one in desk.follow_ups("check_not_dropped", day)] for day in (DAY, NEXT)]

    desk.pit(table.opened(at(0), OPENER), *table.box_off(at(2), "A1", "B1"), issued(3, "K-1"))
    first = table.sequence - 2
    desk.pit(counted(table, 23, OPENER, NEXT, "day", "drop"), issued(23.1, "K-2"))
    table.day = NEXT
    desk.pit(*table.box_off(at(23.2), "B1", "C1"), *table.box_off(at(26), "C1", "D1"))
    second, third = table.sequence - 3, table.sequence - 1
    desk.count_boxes(("BJ-01", first, {}))
    assert [[], []] == not_dropped()
    found = {"counter_checks": [{"serial": "K-2", "cents": 500_00}]}
    desk.count_boxes(("BJ-01", second, found), ("BJ-01", third, {}), day=NEXT)
    assert [["K-1"], []] == not_dropped()


def test_a_request_can_be_withdrawn_until_its_slip_is_prepared(desk: InventoryDesk) -> None:
    """The cage sees what is asked for, and of which day; what is withdrawn, it sees no longer, and cannot prepare."""
    wanted = {"slip": "fill", "property": PROPERTY, "table": "BJ-01", "gaming_day": DAY, "shift": "day"}
    for _ in range(2):
        desk.done("/requests", wanted | {"contents": chips(c500=10)}, person="pit.ray")
    desk.done(f"/requests/{PROPERTY}/1/withdraw", {"reason": "typed twice"}, person="pit.ray")
    assert [(2, DAY, 50_00)] == [
        (one["request"], one["gaming_day"], one["cents"])
        for one in desk.read(f"/requests?property={PROPERTY}")["items"]
    ]
    late = desk.send("/slips", {"property": PROPERTY, "request": 1}, person="cage.bob")
    assert_problem(late, 409, "pit.ray withdrew request 1 of riverbend")
    desk.done("/slips", {"property": PROPERTY, "request": 2}, person="cage.bob")
    late = desk.send(f"/requests/{PROPERTY}/2/withdraw", {"reason": "too late"}, person="pit.ray")
    assert_problem(late, 409, "fill slip 1 is prepared for request 2 of riverbend: void the slip")


def test_no_slip_is_prepared_of_a_sealed_day(desk: InventoryDesk) -> None:
    """What was requested before the seal moves no chips after it; the day stays as it is sealed."""
    desk.has_only("BJ-01")
    play_a_day(desk)
    wanted = {"slip": "fill", "property": PROPERTY, "table": "BJ-01", "gaming_day": DAY, "shift": "day"}
    asked = desk.done("/requests", wanted | {"contents": chips(c500=10)}, person="pit.ray")["request"]
    desk.count_boxes(("BJ-01", BOX, FOUND))
    desk.done(f"{PATH}/preliminary", {}, person="audit.kim")
    desk.done(f"{PATH}/audited", person="audit.lou")
    desk.done(f"{PATH}/final", person="control.eve")
    late = desk.send("/slips", {"property": PROPERTY, "request": asked}, person="cage.bob")
    assert_problem(late, 409, f"{DAY} is sealed: no chips move on it any more")
    desk.done(f"/requests/{PROPERTY}/{asked}/withdraw", {"reason": "too late"}, person="pit.ray")
    assert (0, "final") == (desk.state(), desk.read(PATH)["status"])


def test_a_day_is_under_the_version_of_its_property_whatever_the_next_day_is_under(desk: InventoryDesk) -> None:
    """A table has no win from the next day on, since it is non-banking then: the sealed day is not stated again."""
    changes: dict[str, Any] = {"effective_from": "2026-11-21T09:00:00Z", "gaming_day_begins": "05:00"}
    desk.has_only("BJ-01")
    later = property_event(PROPERTY, {"BJ-01": {"non_banking": True}}, sequence=3, version=3, **changes)
    desk.desk.feed("properties", later)
    table = play_a_day(desk)
    desk.count_boxes(("BJ-01", BOX, FOUND))
    desk.done(f"{PATH}/preliminary", {}, person="audit.kim")
    desk.done(f"{PATH}/audited", person="audit.lou")
    desk.done(f"{PATH}/final", person="control.eve")
    before = len(stated(desk))
    table.day = NEXT
    desk.pit(table.opened(at(25), chips(c500=600, c2500=600)))
    assert [(NEXT, True)] == [(str(one.gaming_day), one.non_banking) for one in stated(desk)[before:]]


def test_what_is_stated_adds_up_to_what_is_sealed_and_later_records_restate_it(desk: InventoryDesk) -> None:
    """Each revision says what changed; nothing is stated twice; a paper slip after the seal is the next revision."""
    desk.has_only("BJ-01")
    play_a_day(desk)
    assert ["count"] == [one.what for one in stated(desk)[-1].missing]
    desk.count_boxes(("BJ-01", BOX, FOUND))
    [*_, last] = facts = stated(desk)
    assert (0, ["count"], 4_000_00) == (desk.state(), [one.what for one in last.found], last.figures.win_cents)
    assert last.figures == sum((one.changes for one in facts), start=WinFigures())
    assert [*range(1, len(facts) + 1)] == [one.revision for one in facts]
    desk.done(f"{PATH}/preliminary", {}, person="audit.kim")
    desk.done(f"{PATH}/audited", person="audit.lou")
    sealed = desk.done(f"{PATH}/final", person="control.eve")["report"]
    assert last.figures.win_cents == sealed["total"]["win_cents"]
    wanted = {"slip": "fill", "property": PROPERTY, "table": "BJ-01", "gaming_day": DAY, "shift": "day"}
    late = desk.send("/requests", wanted | {"contents": chips(c500=10)}, person="pit.ray")
    assert_problem(late, 409, f"{DAY} is sealed")
    desk.done("/manual-slips", PAPER, person="cage.bob")
    [*_, restated] = stated(desk)
    assert (len(facts) + 1, -50_00, 50_00) == (
        restated.revision,
        restated.changes.win_cents,
        restated.changes.fills_cents,
    )
