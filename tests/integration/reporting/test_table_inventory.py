"""The table inventory report: every slip of a day, by denomination, and the tables that have none."""

from tests.support.pit_day import Pit, rows, total_of
from tests.support.pit_ledger import DAY, DAY_BEFORE, PROPERTY, Said, at
from tests.support.statements import Statements


def test_every_slip_of_the_day_is_listed_with_its_denominations(pit: Pit) -> None:
    """By table and time: opener, shift count, closer; a table that did not open is carried, or its slip is missing."""
    pit.play()
    report = pit.read("table-inventory")
    assert [
        ("BJ-01", "2", "opener", "39 chips of 25.00; 100 chips of 5.00", 147500, -2500),
        ("BJ-01", "9", "shift", "40 chips of 25.00; 76 chips of 5.00", 138000, None),
        ("BJ-01", "11", "closer", "38 chips of 25.00; 10 chips of 5.00", 100000, None),
        ("BJ-02", "2", "carried", "160 chips of 5.00", 80000, 0),
        ("BJ-03", None, "missing", None, None, None),
    ] == rows(report, "slips", "table", "slip", "purpose", "denominations", "total_cents", "difference_cents")
    assert [("dealer.eve", "floor.fay")] == rows(report, "slips", "counted_by", "observed_by")[2:3]
    assert [
        ("BJ-01", "11", "chip", 2500, 38, 95000),
        ("BJ-01", "11", "chip", 500, 10, 5000),
        ("BJ-02", "2", "chip", 500, 160, 80000),
    ] == rows(report, "denominations", "table", "slip", "kind", "denomination_cents", "pieces", "cents")
    assert 180000 == total_of(report, "denominations", "cents")


def test_a_count_that_begins_the_day_is_a_slip_of_it(pit: Pit) -> None:
    """A table that stays open past the end of a day has the drop count of that day; so its slip is not missing."""
    people: Said = {"dealer": "dealer.dan", "floorperson": "floor.fay"}
    begins = {"gaming_day": "2026-11-20", "shift": "day"}
    contents = [{"kind": "plaque", "cents": 100000, "count": 1}]
    about: Said = {"purpose": "drop", "begins": begins, "contents": contents}
    pit.feed(
        "inventory",
        pit.ledger.pit("BJ-03", "table.counted", at(9), day="2026-11-19", shift="grave", **about, **people),
        Statements(PROPERTY).stated(at(9), "BJ-03", DAY, opener=100000, missing=["closer"]),
    )
    report = pit.read("table-inventory", "&table=BJ-03")
    assert [("BJ-03", "1", "drop", "1 plaque of 1,000.00", "2026-11-20", "day")] == rows(
        report, "slips", "table", "slip", "purpose", "denominations", "begins_day", "begins_shift"
    )


def test_a_month_adds_up_by_gaming_day_and_lists_what_is_not_as_it_should_be(pit: Pit) -> None:
    """Of more than a week, slips without a difference are counted and not listed."""
    pit.play()
    slips = rows(pit.read("table-inventory", "&period=week"), "slips", "table", "gaming_day", "slip")
    assert 8 == len(slips)
    for period in ("month", "year"):
        report = pit.read("table-inventory", f"&period={period}")
        assert [
            (DAY_BEFORE, 3, 1, 2, 0, 0, 230000),
            ("2026-11-20", 3, 1, 4, 1, -2500, 180000),
        ] == rows(
            report,
            "days",
            *("gaming_day", "tables", "missing", "slips", "differences", "difference_cents", "closers_cents"),
        )
        assert [
            (DAY_BEFORE, "BJ-03", "missing", None),
            ("2026-11-20", "BJ-01", "opener", -2500),
            ("2026-11-20", "BJ-03", "missing", None),
        ] == rows(report, "slips", "gaming_day", "table", "purpose", "difference_cents")
        assert 180000 == total_of(report, "denominations", "cents")  # of the last slips
