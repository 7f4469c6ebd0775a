"""Which tables and devices a property has, on a gaming day and over a month."""

from datetime import date
from typing import Any

from services.paytable_registry.domain.table_list import by_month, master_list
from shared.contracts.properties import PropertyApproved
from shared.contracts.property_snapshot import PropertySnapshot
from tests.support.properties import approved, document


def version(*tables: dict[str, Any], effective_from: str = "2020-01-01T00:00:00Z", number: int = 1) -> PropertyApproved:
    """An approved version with tables: each the changes of one, by its name."""
    made = [document(tables=[each["table"]])["tables"][0] | each for each in tables]
    found = approved(tables=[], version=number, effective_from=effective_from)
    return PropertyApproved.model_validate(found.model_dump() | {"tables": made})


def test_the_master_list_has_what_is_there_on_the_day() -> None:
    """From the day on which a table was opened, up to but not including that on which it retired; by name."""
    found = version(
        {"table": "BJ-09"},
        {"table": "BJ-01", "opened_on": "2026-11-10"},
        {"table": "BJ-05", "retired_on": "2026-11-20"},
    )
    days = {day: [line.table for line in master_list(found, date(2026, 11, day))[0]] for day in (9, 10, 19, 20)}
    assert {
        9: ["BJ-05", "BJ-09"],
        10: ["BJ-01", "BJ-05", "BJ-09"],
        19: ["BJ-01", "BJ-05", "BJ-09"],
        20: ["BJ-01", "BJ-09"],
    } == days


def test_devices_are_those_of_the_tables_that_are_there() -> None:
    """By their asset numbers, each with its table and pit."""
    found = version(
        {"table": "BJ-01", "devices": [{"asset_number": "D-3"}, {"asset_number": "D-1", "kind": "shoe"}]},
        {"table": "BJ-02", "devices": [{"asset_number": "D-2", "serial_number": "S-2"}]},
        {"table": "BJ-03", "devices": [{"asset_number": "D-4"}], "retired_on": "2026-11-20"},
    )
    _, devices = master_list(found, date(2026, 11, 20))
    assert [("D-1", "shoe", "BJ-01"), ("D-2", "shuffler", "BJ-02"), ("D-3", "shuffler", "BJ-01")] == [
        (device.asset_number, device.kind, device.table) for device in devices
    ]
    assert {"pit-1"} == {device.pit for device in devices}


def test_a_month_counts_the_gaming_days_of_each_table() -> None:
    """All of them, or those from its opening on; in February of a leap year too."""
    places = [PropertySnapshot.of(version({"table": "BJ-01"}, {"table": "BJ-02", "opened_on": "2028-02-10"}))]
    assert {"BJ-01": 29, "BJ-02": 20} == {line.table: line.days for line in by_month(places, "2028-02")}
    assert [] == by_month(places, "2019-12")


def test_each_gaming_day_counts_under_the_version_in_effect_when_it_begins() -> None:
    """A version that takes effect after the day has begun counts from the next day on; the game makes a line."""
    begins = "2026-11-16T{}:00Z"  # four in New York is nine
    switched = {"table": "BJ-01", "game": "switch"}
    for moment, days in (("09:00", (15, 15)), ("09:01", (16, 14))):
        places = [
            PropertySnapshot.of(version(switched, number=2, effective_from=begins.format(moment))),
            PropertySnapshot.of(version({"table": "BJ-01"})),
        ]
        found = {line.game: line.days for line in by_month(places, "2026-11")}
        assert dict(zip(("blackjack", "switch"), days, strict=True)) == found
