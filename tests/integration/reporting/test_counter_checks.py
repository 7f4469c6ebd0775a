"""The log of Counter Checks, and the boxes in which their issuance copies were found."""

from tests.support.pit_day import Pit, day_of_the_pit, identities, rows, statements_of_the_day
from tests.support.pit_ledger import DAY, LATER, PROPERTY, Said, at, counted_box, figures, turn
from tests.support.statements import Statements

_MONTH = "&period=month"


def test_each_check_is_found_in_a_box_or_not_accounted_for(pit: Pit) -> None:
    """What was issued and what was counted tie out, or the report says which check is not there."""
    pit.play()
    report = pit.read("counter-checks")
    assert [
        ("CC-1", 20000, "A1", 20000, "in box"),
        ("CC-2", 10000, None, None, "not accounted for"),
    ] == rows(report, "log", "serial", "cents", "box", "counted_cents", "status")
    assert [("day", 2, 30000, None, 30000), ("swing", None, None, 20000, -20000)] == rows(
        report, "shifts", "shift", "issued", "issued_cents", "counted_cents", "difference_cents"
    )
    assert {"issued and counted": (30000, 20000), "on hand": (30000, 30000)} == identities(report)
    [entry] = pit.explain("counter-checks", "log/2026-11-20|BJ-01|CC-2|2026-11-20T10:24:00+00:00/cents")["entries"]
    assert 7 == entry["seq"]


def test_before_the_count_nothing_is_missing(pit: Pit) -> None:
    """A copy is missing only when every box of its table is counted."""
    pit.play()
    report = pit.read("counter-checks", known_at="2026-11-21T00:30:00Z")
    assert [("not counted",), ("not counted",)] == rows(report, "log", "status")


def test_a_check_that_nobody_issued_is_listed(pit: Pit) -> None:
    """So is a copy that is there twice; one with another amount says so."""
    *before, count = day_of_the_pit(pit.ledger)
    found = figures(30000, ("CC-1", 20000), ("CC-2", 1000), ("CC-9", 5000), ("CC-1", 300))
    count["data"]["boxes"] = [counted_box("BJ-01", 12, found, turn(1, "count.sue", found))]
    pit.feed("inventory", *before, count, *statements_of_the_day(PROPERTY, checks=26300))
    report = pit.read("counter-checks")
    assert [("in box", 20000), ("other amount", 1000)] == rows(report, "log", "status", "counted_cents")
    assert [("BJ-01", "A1", "CC-9", 5000), ("BJ-01", "A1", "CC-1", 300)] == rows(
        report, "unknown", "table", "box", "serial", "cents"
    )
    assert (30000, 26300) == identities(report)["issued and counted"]


def test_what_the_cage_redeems_is_not_on_hand_any_more(pit: Pit) -> None:
    """In parts, by whom and in what; a void brings it back, and a check may take the place of others."""
    pit.play()
    day = at(12)
    pit.feed(
        "inventory",
        pit.ledger.cage(day, 1, "counter_check.redeemed", serial="CC-1", cents=5000, left_cents=15000),
        pit.ledger.cage(day, 2, "counter_check.redeemed", serial="CC-2", cents=10000, left_cents=0, drawer="p-1"),
        pit.ledger.cage(
            day,
            3,
            "counter_check.redemption_voided",
            serial="CC-2",
            cents=10000,
            voids=2,
            redeemed_by="cage.ann",
            reason="of another",
        ),
    )
    before = pit.read("counter-checks")
    assert [("CC-1", 20000, 15000, 0), ("CC-2", 10000, 10000, 0)] == rows(
        before, "on_hand", "serial", "issued_cents", "left_cents", "age_days"
    )
    assert [("redeemed in part", -5000), ("redeemed in full", -10000), ("void", 10000)] == rows(
        before, "cage", "what", "cents"
    )
    assert [("day", 0, 30000, 5000, 25000)] == rows(
        before, "shifts", "shift", "opening_cents", "issued_cents", "redeemed_cents", "closing_cents"
    )[:1]
    assert (25000, 25000) == identities(before)["on hand"]
    replaced = [{"table": "BJ-01", "serial": name, "cents": left} for name, left in (("CC-1", 15000), ("CC-2", 10000))]
    pit.feed("inventory", pit.ledger.replaced(at(13), 4, "CC-7", replaced))
    report = pit.read("counter-checks")
    assert [("CC-7", None, 25000, 25000)] == rows(report, "on_hand", "serial", "table", "issued_cents", "left_cents")
    found = pit.explain("counter-checks", "on_hand/CC-7/left_cents")["entries"]
    assert [("check_left_cents", 25000)] == [(one["measure"], one["value"]) for one in found]
    assert (25000, 25000) == identities(report)["on hand"]
    assert rows(before, "on_hand", "serial") == rows(
        pit.read("counter-checks", known_at="2026-11-20T12:30:00Z"), "on_hand", "serial"
    )


def test_a_deposit_that_comes_back_unpaid_is_on_hand_again(pit: Pit) -> None:
    """On the day of its return: the deposit stays what it was, and the page says which law leaves the drop alone."""
    pit.play()
    paid: Said = {"serial": "CC-1", "cents": 20000, "paid_in": "deposit"}
    pit.feed("inventory", pit.ledger.cage(at(12), 1, "counter_check.redeemed", **paid, left_cents=0))
    before = pit.read("counter-checks")
    assert [] == before["content"]["marks"]
    why: Said = {"returns": 1, "reason": "insufficient funds, notice 88-1"}
    pit.feed("inventory", pit.ledger.cage(at(13), 2, "counter_check.returned", **paid, **why))
    report = pit.read("counter-checks")
    assert [
        ("deposited in full", -20000, None),
        ("returned unpaid", 20000, "no. 1: insufficient funds, notice 88-1"),
    ] == rows(report, "cage", "what", "cents", "reason")
    assert [("CC-1", 20000), ("CC-2", 10000)] == rows(report, "on_hand", "serial", "left_cents")
    assert (20000, 20000, 30000) == rows(report, "shifts", "redeemed_cents", "returned_cents", "closing_cents")[0]
    assert (30000, 30000) == identities(report)["on hand"]
    assert ["unpaid counter checks in the drop"] == [one["what"] for one in report["content"]["marks"]]
    assert [("returned unpaid", 20000)] == rows(pit.read("counter-checks", _MONTH), "cage", "what", "cents")
    [entry] = pit.explain("counter-checks", "shifts/2026-11-20|day/returned_cents")["entries"]
    assert ("checks_returned_cents", 20000) == (entry["measure"], entry["value"])


def test_a_month_adds_up_by_shift_and_lists_what_does_not_tie_out(pit: Pit) -> None:
    """Of more than a week, checks in their boxes and paid ones are added up alone; what is on hand is listed whole."""
    pit.play()
    void: Said = {"voids": 1, "redeemed_by": "cage.ann", "reason": "of another"}
    pit.feed(
        "inventory",
        pit.ledger.cage(at(12), 1, "counter_check.redeemed", serial="CC-1", cents=20000, left_cents=0),
        pit.ledger.cage(at(12), 2, "counter_check.redemption_voided", serial="CC-1", cents=20000, **void),
        pit.ledger.cage(at(12), 3, "counter_check.redeemed", serial="CC-1", cents=5000, left_cents=15000),
    )
    day, month = pit.read("counter-checks"), pit.read("counter-checks", _MONTH)
    assert [("CC-2", "not accounted for")] == rows(month, "log", "serial", "status")
    assert [("void", 20000)] == rows(month, "cage", "what", "cents")
    for section, column in (("on_hand", "left_cents"), ("shifts", "closing_cents"), ("shifts", "counted_cents")):
        assert rows(day, section, column) == rows(month, section, column)
    assert [("CC-1", 15000), ("CC-2", 10000)] == rows(month, "on_hand", "serial", "left_cents")
    assert {"issued and counted": (30000, 20000), "on hand": (25000, 25000)} == identities(month)
    for cell, seqs in (("shifts/2026-11-20|day/issued_cents", [6, 7]), ("on_hand/CC-1/issued_cents", [6])):
        assert seqs == [one["seq"] for one in pit.explain("counter-checks", cell, _MONTH)["entries"]]
    uncounted = pit.read("counter-checks", _MONTH, known_at="2026-11-21T00:30:00Z")
    assert [("CC-1", "not counted"), ("CC-2", "not counted")] == rows(uncounted, "log", "serial", "status")


def test_a_month_lists_copies_of_another_amount_and_of_no_check(pit: Pit) -> None:
    """As the day does; a copy that is there twice is one too many."""
    *before, count = day_of_the_pit(pit.ledger)
    found = figures(30000, ("CC-1", 20000), ("CC-2", 1000), ("CC-9", 5000), ("CC-1", 300))
    count["data"]["boxes"] = [counted_box("BJ-01", 12, found, turn(1, "count.sue", found))]
    pit.feed("inventory", *before, count, *statements_of_the_day(PROPERTY, checks=26300))
    day, month = pit.read("counter-checks"), pit.read("counter-checks", _MONTH)
    assert [("CC-2", "other amount", 1000)] == rows(month, "log", "serial", "status", "counted_cents")
    unknown = ("table", "box", "line", "serial", "cents")
    assert [("BJ-01", "A1", "3", "CC-9", 5000), ("BJ-01", "A1", "4", "CC-1", 300)] == rows(month, "unknown", *unknown)
    assert rows(day, "unknown", *unknown) == rows(month, "unknown", *unknown)


def test_a_serial_number_at_two_tables_is_named_and_fails_no_report(pit: Pit) -> None:
    """Both checks are listed, each under an id of its own, and the report says that it does not balance."""
    ledger = pit.ledger
    pit.feed("inventory", *(ledger.check(table, at(10), "K-1", 20000) for table in ("BJ-01", "BJ-02")))
    report = pit.read("counter-checks")
    assert [("BJ-01", "K-1"), ("BJ-02", "K-1")] == sorted(rows(report, "on_hand", "table", "serial"))
    assert (2, 1) == identities(report)["serial numbers"]
    [held] = [one for one in report["content"]["sections"] if one["name"] == "on_hand"]
    assert len(held["rows"]) == len({row["id"] for row in held["rows"]})


def test_a_check_is_of_the_shift_at_which_its_table_was(pit: Pit) -> None:
    """Whatever the pit claimed, which is an exception; of a table that was closed, of the clock's."""
    ledger = pit.ledger
    pit.play()
    pit.feed(
        "inventory",
        ledger.check("BJ-01", at(18.9), "CC-3", 100, shift="swing"),
        ledger.check("BJ-01", at(19.1), "CC-4", 200, shift="day"),
        ledger.check("BJ-01", at(19.2), "CC-5", 400, shift="swing"),
        ledger.check("BJ-02", at(16), "CC-6", 800, shift="grave"),
    )
    shifts = ("shift", "issued", "issued_cents")
    for more in ("", _MONTH):
        report = pit.read("counter-checks", more)
        assert [("day", 4, 30900), ("swing", 2, 600)] == rows(report, "shifts", *shifts)
    shown = dict(rows(pit.read("counter-checks"), "log", "serial", "shift"))
    assert {"CC-3": "day", "CC-4": "swing", "CC-5": "swing", "CC-6": "day"} == {
        name: shift for name, shift in shown.items() if name > "CC-2"
    }
    [entries] = [pit.explain("counter-checks", "shifts/2026-11-20|swing/issued_cents")["entries"]]
    assert 2 == len(entries)
    others = [one for one in pit.books.exceptions(f"&known_at={LATER}") if one["kind"] == "other_shift"]
    assert [
        ("BJ-01/counter_check.issued", "claimed shift swing: the table was in shift day, as it was counted"),
        ("BJ-01/counter_check.issued", "claimed shift day: the table was in shift swing, as it was counted"),
    ] == [(one["subject"], one["reason"]) for one in others]


def test_a_check_whose_box_was_given_up_waits_for_no_count(pit: Pit) -> None:
    """Two people wrote the box off: nobody will count it, and it may have been in there."""
    pit.feed("inventory", *day_of_the_pit(pit.ledger)[:-2], *statements_of_the_day(PROPERTY)[:-1])
    assert [("not counted",), ("not counted",)] == rows(pit.read("counter-checks"), "log", "status")
    entered: Said = {"entered_by": "audit.kim", "entered_at": at(24).isoformat(), "reason": "burnt"}
    box: Said = {"table": "BJ-01", "shift": "swing", "box": "A1", "exchange": 12, "which": "removed", "write_off": 1}
    approved: Said = {"approved_by": "control.eve", "approved_at": at(24).isoformat()}
    pit.feed("inventory", pit.ledger.desk("box.written_off", at(24), **box, **entered, **approved))
    statements = Statements(PROPERTY, shard=91)
    statements.stated(at(23.1), "BJ-01", DAY, "swing", missing=["count A1"])
    pit.feed("inventory", statements.stated(at(25), "BJ-01", DAY, "swing", missing=[]))
    assert [("box written off",), ("box written off",)] == rows(pit.read("counter-checks"), "log", "status")
