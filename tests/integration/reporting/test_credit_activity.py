"""Credit of gaming days: what changed what is outstanding, and how old that is."""

from datetime import timedelta
from typing import Any

from tests.support.pit_day import Pit, identities, rows
from tests.support.pit_ledger import Said, at

_FLOWS = ("opening_cents", "issued_cents", "returned_cents", "redeemed_cents", "deposited_cents", "written_off_cents")


def _lost(pit: Pit, step: int, serial: str, cents: int) -> Any:
    said: Said = {"serial": serial, "cents": cents, "write_off_kind": "settlement", "reason": "agreed"}
    people: Said = {"entered_by": "credit.una", "check_write_off": step, "left_cents": 0, "by": "boss.cal"}
    place: Said = {"shift": "day", "step": step, "at": at(13).isoformat(), "table": "BJ-01"}
    return pit.ledger.desk("counter_check.written_off", at(13), **said, **people, **place)


def test_what_is_outstanding_follows_from_what_happened_to_the_checks(pit: Pit) -> None:
    """Deposits apart from redemptions; what is recovered or consolidated changes nothing of it."""
    pit.play()
    deposit: Said = {"serial": "CC-1", "cents": 12000, "paid_in": "deposit"}
    pit.feed(
        "inventory",
        pit.ledger.cage(at(12), 1, "counter_check.redeemed", serial="CC-1", cents=5000, left_cents=15000),
        pit.ledger.cage(at(12), 2, "counter_check.redeemed", **deposit, left_cents=3000),
        pit.ledger.cage(at(12.1), 3, "counter_check.returned", **deposit, returns=2, reason="no funds"),
        _lost(pit, 4, "CC-1", 15000),
        pit.ledger.cage(
            at(13.1), 5, "counter_check.recovered", serial="CC-1", cents=4000, check_write_off=4, recovered_cents=4000
        ),
    )
    report = pit.read("credit-activity")
    assert [(0, 30000, 12000, 5000, 12000, 15000)] == rows(report, "days", *_FLOWS)
    assert [(10000, None, 4000)] == rows(report, "days", "closing_cents", "replaced_cents", "recovered_cents")
    assert [("CC-2", 10000, "0 to 7")] == rows(report, "owed", "serial", "left_cents", "age")
    assert {"outstanding": (10000, 10000), "by age": (10000, 10000)} == identities(report)
    [entry] = pit.explain("credit-activity", "days/2026-11-20/written_off_cents")["entries"]
    assert ("checks_written_off_cents", 15000) == (entry["measure"], entry["value"])
    log = pit.read("counter-checks")
    assert (10000, 10000) == identities(log)["on hand"]
    assert [("written off", -15000), ("recovered", None)] == rows(log, "cage", "what", "cents")[-2:]


def test_a_check_is_as_old_as_the_first_that_it_replaced(pit: Pit) -> None:
    """In the groups that the property has, which end at 7, 30 and 90 days where it states none."""
    pit.play()
    first = at(10) - timedelta(days=31)
    made = pit.ledger.replaced(at(13), 1, "CC-7", [{"table": "BJ-01", "serial": "CC-1", "cents": 20000}])
    made["data"]["first_issued_at"] = first.isoformat()
    pit.feed("inventory", made)
    report = pit.read("credit-activity")
    assert [("CC-7", 31, "31 to 90"), ("CC-2", 0, "0 to 7")] == rows(report, "owed", "serial", "age_days", "age")
    assert [
        ("0 to 7", 1, 10000),
        ("8 to 30", 0, 0),
        ("31 to 90", 1, 20000),
        ("91 and more", 0, 0),
    ] == rows(report, "ageing", "age", "checks", "left_cents")
    assert [(20000,)] == rows(report, "days", "replaced_cents")
    assert [31, 0] == [age for (age,) in rows(pit.read("counter-checks"), "on_hand", "age_days")]


def test_a_check_that_a_table_issued_is_owed_by_the_patron_for_whom_it_was_prepared(pit: Pit) -> None:
    """The pit does not say who that is; a table that says it is believed."""
    pit.play()
    of_line: Said = {"table": "BJ-01", "patron": "p-7", "shift": "day", "limit_cents": 50000, "outstanding_cents": 0}
    by: Said = {"prepared_by": "pit.kai", "prepared_at": at(10).isoformat()}
    prepared = pit.ledger.desk("counter_check.prepared", at(10), serial="CC-2", cents=10000, **of_line, **by)
    pit.feed("inventory", prepared)
    assert [("CC-1", None), ("CC-2", "p-7")] == sorted(rows(pit.read("credit-activity"), "owed", "serial", "drawer"))
    log = pit.read("counter-checks")
    assert [("CC-1", None), ("CC-2", "p-7")] == sorted(rows(log, "log", "serial", "drawer"))
    assert [("CC-1", None), ("CC-2", "p-7")] == sorted(rows(log, "on_hand", "serial", "drawer"))
    assert (30000, 30000) == identities(log)["on hand"]


def test_a_recovery_that_came_back_is_no_recovery(pit: Pit) -> None:
    """It is off what was recovered on the day on which the cage learned of it, and changes nothing that is owed."""
    pit.play()
    of_write_off: Said = {"serial": "CC-1", "check_write_off": 1}
    again: Said = of_write_off | {"cents": 4000, "paid_in": "deposit"}
    pit.feed(
        "inventory",
        _lost(pit, 1, "CC-1", 20000),
        pit.ledger.cage(at(13.1), 2, "counter_check.recovered", **again, recovered_cents=4000),
        pit.ledger.cage(
            at(13.2), 3, "counter_check.recovery_returned", **again, recovered_cents=0, returns=2, reason="no funds"
        ),
        pit.ledger.cage(at(13.3), 4, "counter_check.recovered", **of_write_off, cents=3000, recovered_cents=3000),
        pit.ledger.cage(
            at(13.4),
            *(5, "counter_check.recovery_voided"),
            **of_write_off,
            cents=3000,
            recovered_cents=0,
            voids=4,
            recovered_by="cage.bob",
            reason="another check",
        ),
    )
    report = pit.read("credit-activity")
    assert [(20000, 10000, None)] == rows(report, "days", "written_off_cents", "closing_cents", "recovered_cents")
    assert (10000, 10000) == identities(report)["outstanding"]
    log = rows(pit.read("counter-checks"), "cage", "what", "reason")[-4:]
    assert [
        ("recovered", "write-off 1: $40.00 so far"),
        ("recovery returned unpaid", "no. 2: no funds"),
        ("recovered", "write-off 1: $30.00 so far"),
        ("recovery void", "no. 4: another check"),
    ] == log
