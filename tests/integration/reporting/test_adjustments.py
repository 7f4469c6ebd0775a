"""Adjustments of figures by hand."""

from tests.support.pit_day import Pit, identities, rows
from tests.support.pit_ledger import at


def test_adjustments_are_listed_with_before_and_after(pit: Pit) -> None:
    """What was approved changes what the next one changes; those over the limit are marked."""
    pit.play()
    adjusted = pit.ledger.adjustment
    pit.feed(
        "inventory",
        adjusted("entered", at(26), 1, "credits", 500),
        adjusted("entered", at(26), 2, "credits", -200001),
        adjusted("entered", at(26), 3, "counter_checks", 10000),
        adjusted("approved", at(27), 1, "credits", 500),
        adjusted("rejected", at(28), 3, "counter_checks", 10000),
    )
    report = pit.read("adjustments")
    assert [
        ("1", "credits", "30000", "500", "30500", "no", "approved", "control.eve"),
        ("2", "credits", "30500", "-200001", "-169501", "yes", "entered", None),
        ("3", "counter_checks", "20000", "10000", "30000", "no", "rejected", "control.eve"),
    ] == rows(
        report,
        "adjustments",
        *("number", "figure", "before_cents", "cents", "after_cents", "over_threshold", "status", "decided_by"),
    )
    assert {"approved, account": (0, 0)} == identities(report)
    assert ["adjustment_listed_cents"] == [mark["what"] for mark in report["content"]["marks"]]  # New Jersey's
    entries = pit.explain("adjustments", "adjustments/win||2026-11-20|1/cents")["entries"]
    assert [23, 26] == [entry["seq"] for entry in entries]
