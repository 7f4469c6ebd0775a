"""One win: what table inventory states of a table's day is what every report says, and nothing else."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from urllib.parse import quote

import pytest

from services.reporting.reports import REPORTS
from tests.integration.table_inventory.day import BOX, FOUND, PAPER, play_a_day
from tests.support import Databases
from tests.support.both_books import LATER, BothBooks, both_books
from tests.support.nightly import sampled
from tests.support.pit import DAY, PROPERTY, Rounds, Table, at, chips, inventory_desk
from tests.support.reporting import held, names, rows_of, total_of
from tests.support.services import settled_database

pytestmark = sampled(4, of="one win in reports")

PATH = f"/gaming-days/{PROPERTY}/{DAY}"
NEXT = "2026-11-21"
PEOPLE = {"dealer": "dealer.dan", "floorperson": "floor.fay"}
NOTE = {"currency": [{"cents": 10000, "count": 1}]}


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database with the schemas of both services."""
    url = settled_database(databases, "table-inventory", "reporting")
    yield url
    databases.drop(url)


@pytest.fixture
def both(url: str) -> Iterator[BothBooks]:
    """Table inventory, and reporting beside it."""
    with inventory_desk(url) as desk, both_books(url, desk) as found:
        yield found


def counted(table: Table, hours: float, contents: Any, day: str, shift: str, purpose: str = "shift") -> dict[str, Any]:
    """A count that begins a shift."""
    begins = {"gaming_day": day, "shift": shift}
    return table.event("table.counted", at(hours), contents=contents, purpose=purpose, begins=begins, **PEOPLE)


def missing_of(both: BothBooks, day: str = DAY) -> set[Any]:
    """What reports of a day say is missing of BJ-01, each without its moment; there is no win then."""
    [table] = [row for row in rows_of(both.report("master-game", day), "tables") if row["table"] == "BJ-01"]
    assert (table["missing"] is None) == (table["win_cents"] is not None)
    [tax] = [row for row in rows_of(both.report("tax", day), "days") if row["missing"] is not None] or [{}]
    assert (table["missing"] is None) == (tax.get("missing") is None)
    if table["missing"] is None:
        return set()
    assert f"BJ-01: {table['missing']}" in tax["missing"]
    return {one.partition(" (since")[0] for one in table["missing"].split(", ")}


def test_a_box_that_never_came_back_leaves_no_win_anywhere_until_it_is_found(both: BothBooks) -> None:
    """B1 off and B2 on at the change of shifts, B1 counted: every report names B2; found and counted, the win is 0."""
    table, desk = Table("BJ-01"), both.ledger
    desk.pit(table.opened(at(0), chips(c500=200)), table.sold(at(1), 100_00))
    desk.pit(counted(table, 4, chips(c500=180), DAY, "swing"), *table.box_off(at(4), "B1", "B2"))
    first = table.sequence - 1
    table.shift = "swing"
    desk.pit(table.sold(at(5), 200_00), table.closed(at(8), chips(c500=140)))
    desk.count_boxes(("BJ-01", first, NOTE))
    assert ({"box B2"}, []) == (missing_of(both), both.differences())
    desk.pit(*table.box_off(at(9), "B2"))
    assert ({"count B2"}, []) == (missing_of(both), both.differences())
    desk.count_boxes(("BJ-01", table.sequence - 1, {"currency": [{"cents": 10000, "count": 2}]}))
    assert (set(), []) == (missing_of(both), both.differences())
    [row] = rows_of(both.report("master-game"), "tables")
    assert (0, 300_00) == names(row, "win_cents", "drop_cents")


def test_a_session_without_a_closer_takes_no_other_table_s_win(both: BothBooks) -> None:
    """Closed at 13:00 and open again at 18:00: the table has no win, its neighbor has, and every total says why."""
    both.has_only("BJ-01", "BJ-02")
    desk, table, other = both.ledger, Table("BJ-01"), Table("BJ-02")
    desk.pit(table.opened(at(0), chips(c500=200)), table.closed(at(8), chips(c500=200)), *table.box_off(at(8)))
    box = table.sequence - 1
    table.shift = "swing"
    desk.pit(table.opened(at(13), chips(c500=200)))
    desk.pit(other.opened(at(0), chips(c500=200)), other.closed(at(8), chips(c500=220)), *other.box_off(at(8), "A2"))
    desk.count_boxes(("BJ-01", box, {}), ("BJ-02", other.sequence - 1, NOTE))
    assert ({"closer", "drop"}, []) == (missing_of(both), both.differences())
    master, summary, tax = (both.report(name) for name in ("master-game", "drop-and-win", "tax"))
    rows = {row["table"]: row["win_cents"] for row in rows_of(master, "tables")}
    assert {"BJ-01": None, "BJ-02": 200_00} == rows
    for report in (master, summary):
        total = total_of(report, "tables")
        assert total["win_cents"] is None
        assert total["missing"].startswith("BJ-01: closer (since 2026-11-20 18:00), drop (since ")
    assert {"BJ-01": None, "BJ-02": 200_00} == {row["table"]: row["win_cents"] for row in rows_of(summary, "tables")}
    assert not held(tax)["tables with a win"]
    desk.pit(table.closed(at(20), chips(c500=200)), *table.box_off(at(20)))
    desk.count_boxes(("BJ-01", table.sequence - 1, {}))
    assert (set(), []) == (missing_of(both), both.differences())
    assert 200_00 == total_of(both.report("master-game"), "tables")["win_cents"]


def test_a_fill_after_the_drop_count_that_claims_the_old_day_is_in_no_report_of_it(both: BothBooks) -> None:
    """A drop count of 100,000 at 04:00:00 ends the day, a fill of 50,000 is received a minute later: 0 and 0."""
    table, desk = Table("BJ-01"), both.ledger
    desk.pit(table.opened(at(0), chips(c500=200)))
    number = desk.slip("fill", "BJ-01", chips(c500=100))
    desk.pit(counted(table, 23, chips(c500=200), NEXT, "grave", "drop"), *table.box_off(at(23), "B1", "B2"))
    received = {"contents": chips(c500=100), "received_by": "dealer.dan", "observed_by": "floor.fay"}
    desk.pit(
        table.event("fill.carried", at(23.01), number=number, carried_by="sec.gus"),
        table.event("fill.received", at(23.02), number=number, **received),
    )
    table.day, exchange = NEXT, table.sequence - 3
    desk.pit(table.closed(at(30), chips(c500=300)), *table.box_off(at(30), "B2"))
    desk.count_boxes(("BJ-01", exchange, {}))
    desk.count_boxes(("BJ-01", table.sequence - 1, {}), day=NEXT)
    for day, fills in ((DAY, 0), (NEXT, 500_00)):
        assert (set(), []) == (missing_of(both, day), both.differences(day))
        [row] = rows_of(both.report("master-game", day), "tables")
        assert (fills, 0) == names(row, "fills_cents", "win_cents")
        assert {0} == {line["amount_cents"] for line in rows_of(both.report("tax", day), "layers")}


def test_a_round_in_play_at_the_drop_count_is_a_line_on_both_days_which_sums_to_zero(both: BothBooks) -> None:
    """Its chips are in the tray at the count, it is closed a minute later: the variance of each day is explained.

    A round that was over by the count, and one that was taken back, explain nothing.
    """
    table, desk, rounds = Table("BJ-01"), both.ledger, Rounds()
    desk.pit(table.opened(at(0), chips(c500=200)))
    desk.pit(counted(table, 23, chips(c500=210), NEXT, "grave", "drop"))
    desk.settle(
        rounds.posted(table, at(22), "over", lasted=60, handle=90_00, payout=90_00),
        rounds.posted(table, at(23.02), "r-1", lasted=144, handle=80_00, payout=30_00),
        rounds.posted(table, at(23.03), "gone", lasted=144, handle=70_00),
        rounds.reversed(table, at(23.03), "gone", handle=70_00),
    )
    table.day = NEXT
    desk.pit(table.closed(at(30), chips(c500=210)))
    lines = {day: rows_of(both.report("count-variances", day), "in_play") for day in (DAY, NEXT)}
    for day, cents in ((DAY, 50_00), (NEXT, -50_00)):
        [line] = lines[day]
        assert ("BJ-01", "r-1", 80_00, cents) == names(line, "table", "round", "wagered_cents", "explains_cents")
        moments = [datetime.fromisoformat(line[name]) for name in ("opened_at", "in_play_at", "closed_at")]
        assert [at(22.98), at(23), at(23.02)] == moments
        [counted_row] = [
            row for row in rows_of(both.report("count-variances", day), "inventories") if row["slip"] == line["slip"]
        ]
        assert cents == counted_row["variance_cents"]
    month = both.report("count-variances", NEXT, more="&period=month")
    assert [50_00, -50_00] == [line["explains_cents"] for line in rows_of(month, "in_play")]
    assert 0 == total_of(month, "in_play")["explains_cents"]


def test_a_recount_replaces_the_opener_in_every_report(both: BothBooks) -> None:
    """Typed as 10,000, counted again as 100,000 two minutes later, before play: the win is 0, and there is a tax."""
    table, desk = Table("BJ-01"), both.ledger
    desk.pit(table.opened(at(0), chips(c500=20)), table.opened(at(0.03), chips(c500=200)))
    desk.pit(table.closed(at(8), chips(c500=200)), *table.box_off(at(8)))
    desk.count_boxes(("BJ-01", table.sequence - 1, {}))
    assert (set(), []) == (missing_of(both), both.differences())
    [row] = rows_of(both.report("master-game"), "tables")
    assert (1000_00, 1000_00, 0) == names(row, "opener_cents", "closer_cents", "win_cents")
    tax = both.report("tax")
    assert all(held(tax).values())
    assert {0} == {line["amount_cents"] for line in rows_of(tax, "layers")}


def test_two_sales_of_one_night_are_reported_whatever_day_the_second_claims(both: BothBooks) -> None:
    """600,000 and 600,000 in an hour and a half before the day ends, the second for the next: 12,000.00 of one day."""
    table, desk = Table("BJ-01"), both.ledger
    desk.pit(table.opened(at(0), chips(c500=4000)), table.sold(at(21), 600_000, patron="p-1"))
    table.day = NEXT
    desk.pit(table.sold(at(22.5), 600_000, patron="p-1"))
    assert [] == desk.quarantined()
    both.publish()
    asked = f"/reports/currency?property={PROPERTY}&gaming_day={DAY}&known_at={quote(LATER)}"
    report = both.books.get(asked, person="cage.lou").json()
    assert [("p-1", 2, 1_200_000)] == [
        names(row, "person", "movements", "cents") for row in rows_of(report, "reportable")
    ]


def test_what_restates_a_sealed_day_restates_every_report_of_it(both: BothBooks) -> None:
    """A paper slip, then an adjustment: each is one version, with who stands for it; as of the seal nothing changes."""
    both.has_only("BJ-01")
    desk = both.ledger
    play_a_day(desk)
    desk.count_boxes(("BJ-01", BOX, FOUND))
    desk.done(f"{PATH}/preliminary", {}, person="audit.kim")
    desk.done(f"{PATH}/audited", person="audit.lou")
    desk.done(f"{PATH}/final", person="control.eve")
    assert [] == both.differences()
    sealed, at_seal = both.report("tax"), desk.clock.now.isoformat()
    assert ("final", True) == (sealed["stage"], held(sealed)["sealed days"])
    desk.clock.now = at(26)
    desk.done("/manual-slips", PAPER, person="cage.bob")
    assert [] == both.differences()
    desk.clock.now = at(27)
    adjusted = {"table": "BJ-01", "shift": "day", "figure": "currency", "cents": -100_00, "reason": "a note twice"}
    number = desk.done(f"{PATH}/adjustments", adjusted, person="audit.kim")["adjustment"]
    desk.clock.now = at(28)
    desk.done(f"{PATH}/adjustments/{number}/approve", person="control.eve")
    assert [] == both.differences()
    master = both.report("master-game")
    assert ("restated", 3) == (master["stage"], master["version"])
    assert {
        (2, "manual_slip.entered", "cage.bob", "network outage"),
        (2, "win.stated", "", ""),
        (3, "adjustment.approved", "control.eve", "a note twice"),
        (3, "win.stated", "", ""),
    } == {names(row, "version", "kind", "who", "why") for row in rows_of(master, "restatements")}
    [row] = rows_of(master, "tables")
    assert (3_950_00, 3_850_00) == names(row, "win_cents", "final_win_cents")
    amended = {row["id"]: row for row in rows_of(both.report("tax"), "amended")}
    assert [(4_000_00, 3_950_00), (3_950_00, 3_850_00)] == [
        names(amended[f"{version}||banking|||revenue"], "before_cents", "after_cents") for version in (2, 3)
    ]
    assert sealed["content"] == both.report("tax", known_at=at_seal)["content"]


def test_an_excused_table_stands_in_the_reports_of_the_day(both: BothBooks) -> None:
    """Who excused it, and why."""
    both.has_only("BJ-01", "BJ-02")
    play_a_day(both.ledger)
    both.ledger.count_boxes(("BJ-01", BOX, FOUND))
    excused = {"excused": [{"table": "BJ-02", "reason": "renovated"}]}
    both.ledger.done(f"{PATH}/preliminary", excused, person="audit.kim")
    [row] = rows_of(both.report("master-game"), "excused")
    assert ("BJ-02", DAY, "renovated", "audit.kim") == names(row, "table", "gaming_day", "reason", "excused_by")


def test_a_figure_of_the_win_leads_to_what_was_stated(both: BothBooks) -> None:
    """Its entries add up to it."""
    play_a_day(both.ledger)
    both.ledger.count_boxes(("BJ-01", BOX, FOUND))
    found = both.report("master-game/entries", more="&cell=tables/BJ-01/win_cents")
    assert 4_000_00 == found["value"] == sum(entry["value"] for entry in found["entries"])
    assert {("table-inventory", "win_cents")} == {names(entry, "service", "measure") for entry in found["entries"]}


def test_every_table_by_shift_says_by_which_clock() -> None:
    """Counts and rounds in one table go by the hand-over; where the property's clock decides, the column says so."""
    settled = {"handle_cents", "payout_cents", "rounds", "assessed_cents"}
    said = {
        (report, section.name): next(column.formula for column in section.columns if column.name == "shift")
        for report, found in REPORTS.items()
        for section in found.sections
        if "shift" in section.key and settled & {column.name for column in section.columns}
    }
    assert {("drop-and-win", "shifts"), ("statistics", "shifts"), ("vigorish", "shifts")} <= said.keys()
    assert [] == [at for at, formula in said.items() if not formula or not re.search(r"handover|clock", formula)]


def by_shift(both: BothBooks, report: str, *columns: str) -> dict[str, Any]:
    """The figures of each shift of a report of the day."""
    return {row["shift"]: names(row, *columns) for row in rows_of(both.report(report), "shifts")}


def test_rounds_between_the_clock_and_the_hand_over_are_of_one_shift_in_each_table(both: BothBooks) -> None:
    """The shift begins at 14:00, the table is counted at 14:10: what was won at 14:05 is of the day shift."""
    both.has_only("BJ-01")
    table, desk, rounds = Table("BJ-01"), both.ledger, Rounds()
    desk.pit(table.opened(at(0), chips(c500=200)), counted(table, 9.2, chips(c500=210), DAY, "swing"))
    desk.settle(rounds.posted(table, at(9.1), "r-1", handle=50_00))
    table.shift = "swing"
    desk.pit(table.closed(at(12), chips(c500=210)), *table.box_off(at(12)))
    desk.count_boxes(("BJ-01", table.sequence - 1, {}))
    wins = by_shift(both, "drop-and-win", "win_cents", "settled_win_cents", "counted_less_settled_cents")
    assert {"day": (50_00, 50_00, 0), "swing": (0, 0, 0)} == wins
    desk.settle(
        rounds.posted(table, at(9.15), "r-2", handle=7_00),
        rounds.reversed(table, at(40), "r-2", at(9.15), handle=7_00),
    )
    before, now = (
        {row["shift"]: row["settled_win_cents"] for row in rows_of(both.report("drop-and-win", **known), "shifts")}
        for known in ({"known_at": at(39).isoformat()}, {})
    )
    assert [{"day": 57_00, "swing": 0}, {"day": 50_00, "swing": 0}] == [before, now]
    found = both.report("drop-and-win/entries", more="&cell=shifts/day/settled_win_cents")
    assert 50_00 == found["value"] == sum(entry["value"] for entry in found["entries"])
    assert (set(), []) == (missing_of(both), both.differences())


def test_a_round_before_the_table_was_opened_is_of_the_clocks_shift(both: BothBooks) -> None:
    """The sum over the shifts is the gaming day's, whether a table was open or not."""
    both.has_only("BJ-01")
    table, desk, rounds = Table("BJ-01"), both.ledger, Rounds()
    desk.settle(rounds.posted(table, at(8.5), "r-1", handle=30_00), rounds.posted(table, at(10), "r-2", handle=20_00))
    table.shift = "day"
    desk.pit(table.opened(at(9.5), chips(c500=200)), table.closed(at(12), chips(c500=204)), *table.box_off(at(12)))
    desk.count_boxes(("BJ-01", table.sequence - 1, {}))
    assert {"day": (50_00,)} == by_shift(both, "drop-and-win", "settled_win_cents")
