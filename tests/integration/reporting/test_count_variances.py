"""Counts beside what was expected, and what became of each difference."""

from tests.support.pit_day import Pit, identities, rows, total_of
from tests.support.pit_ledger import at


def test_table_inventories_are_counted_against_what_moved(pit: Pit) -> None:
    """By people, and by the rounds that were closed meanwhile: a round that was taken back never moved anything."""
    pit.play()
    report = pit.read("count-variances")
    assert [
        ("BJ-01", "2", "dealer.dan", "day", 150000, 0, 0, 150000, 147500, -2500, "noted", "open"),
        ("BJ-01", "9", "dealer.dan", "day", 147500, -15500, 6000, 138000, 138000, 0, None, "none"),
        ("BJ-01", "11", "dealer.eve", "swing", 138000, -29000, -8000, 101000, 100000, -1000, "noted", "open"),
        ("BJ-02", "2", "floor.fay", "day", 80000, 0, 0, 80000, 80000, 0, None, "none"),
    ] == rows(
        report,
        "inventories",
        *("table", "slip", "dealer", "shift", "before_cents", "moved_cents", "rounds_cents"),
        *("expected_cents", "counted_cents", "variance_cents", "level", "status"),
    )
    explained = pit.explain("count-variances", "inventories/BJ-01|11/expected_cents")
    assert [
        ("table-inventory", 12, 138_000),  # the count before
        ("table-inventory", 15, -30_000),  # the credit
        ("table-inventory", 17, 1_000),  # the paper fill
        ("round-settlement", 4, -8000),
    ] == [(entry["service"], entry["seq"], entry["value"]) for entry in explained["entries"]]
    assert [("pit_event", "9"), ("slip", "credit/1"), ("pit_event", "10"), ("slip", "fill/paper/103")] == [
        (lead["what"], lead["name"]) for entry in explained["entries"] for lead in entry["leads"]
    ]
    assert (str(explained["value"]), "0") == (explained["adds_up_to"], explained["rounding"])


def test_boxes_are_counted_against_what_was_recorded(pit: Pit) -> None:
    """First and second count, what further ones agreed on, and the difference by instrument."""
    pit.play()
    report = pit.read("count-variances")
    assert [("A1", "12", 30000, 30000, 60000)] == rows(
        report,
        "boxes",
        *("box", "exchange", "recorded_currency_cents", "recorded_checks_cents", "expected_cents"),
    )
    assert [(50000, "count.sue", 49900, "count.tom", 1, 50000)] == rows(
        report, "boxes", "first_cents", "first_by", "second_cents", "second_by", "further", "agreed_cents"
    )
    assert [(0, -10000, -10000, "authority", "open")] == rows(
        report, "boxes", "currency_variance_cents", "checks_variance_cents", "variance_cents", "level", "status"
    )
    assert [("fill", "1", 50000, 49500, -500), ("credit", "1", 30000, 30000, 0)] == sorted(
        rows(report, "slips", "slip", "number", "sent_cents", "received_cents", "variance_cents"), reverse=True
    )
    uncounted = pit.read("count-variances", known_at="2026-11-21T00:30:00Z")
    assert [("not counted", None, None)] == rows(uncounted, "boxes", "status", "agreed_cents", "variance_cents")
    assert {"boxes": (1, 0), "open after seal": (0, 0)} == identities(uncounted)


def test_what_is_open_on_a_sealed_day_stands_by_itself(pit: Pit) -> None:
    """Until it is resolved; what is above the limit of reports breaks the identity."""
    pit.play()
    assert [] == rows(pit.read("count-variances"), "after_seal", "table")
    pit.feed("inventory", *pit.ledger.sealed(at(30)))
    report = pit.read("count-variances")
    assert [
        ("inventory", "BJ-01", "2", -2500),
        ("inventory", "BJ-01", "11", -1000),
        ("drop", "BJ-01", "12", -10000),
        ("fill", "BJ-01", "1", -500),
    ] == rows(report, "after_seal", "variance", "table", "number", "variance_cents")
    assert -14000 == total_of(report, "after_seal", "variance_cents")
    assert {"boxes": (0, 0), "open after seal": (1, 0)} == identities(report)
    drop = {"table": "BJ-01", "variance": "drop", "number": 12, "cents": -10000}
    pit.feed("inventory", pit.ledger.owned(at(31), **drop), pit.ledger.resolved(at(32), **drop))
    report = pit.read("count-variances")
    assert [("resolved", "found in the rail")] == rows(report, "boxes", "status", "conclusion")
    assert (0, 0) == identities(report)["open after seal"]


def test_a_difference_that_came_later_is_another_one(pit: Pit) -> None:
    """A variance that was resolved, and has become another since, says so."""
    pit.play()
    closer = {"table": "BJ-01", "variance": "inventory", "number": 11, "cents": -1000}
    pit.feed("inventory", pit.ledger.owned(at(26), **closer), pit.ledger.resolved(at(27), **closer))
    assert [("resolved",)] == rows(pit.read("count-variances"), "inventories", "status")[2:3]
    pit.feed("inventory", pit.ledger.sold("BJ-01", at(22), 1000))
    assert [("changed", 0)] == rows(pit.read("count-variances"), "inventories", "status", "variance_cents")[2:3]


def test_a_month_adds_up_by_gaming_day_and_lists_what_differs(pit: Pit) -> None:
    """Of more than a week, counts without a variance are counted and not listed; figures lead to the same entries."""
    pit.play()
    assert 6 == len(rows(pit.read("count-variances", "&period=week"), "inventories", "slip"))
    figures = ("of", "counts", "off", "short", "variance_cents", "unresolved", "not_counted")
    for period in ("month", "year"):
        report = pit.read("count-variances", f"&period={period}")
        assert [
            ("2026-11-19", "inventory", 0, 0, 0, 0, 0, 0),
            ("2026-11-20", "credit", 1, 0, 0, 0, 0, 0),
            ("2026-11-20", "drop", 1, 1, 1, -10000, 1, 0),
            ("2026-11-20", "fill", 1, 1, 1, -500, 0, 0),
            ("2026-11-20", "inventory", 4, 2, 2, -3500, 0, 0),
        ] == rows(report, "days", "gaming_day", *figures)
        assert [("2", -2500), ("11", -1000)] == rows(report, "inventories", "slip", "variance_cents")
        assert [("fill", -500)] == rows(report, "slips", "slip", "variance_cents")
    day = pit.explain("count-variances", "days/2026-11-20|drop/variance_cents")["entries"]
    assert day == pit.explain("count-variances", "boxes/BJ-01|12/variance_cents")["entries"]
    uncounted = pit.read("count-variances", "&period=month", known_at="2026-11-21T00:30:00Z")
    assert [("not counted",)] == rows(uncounted, "boxes", "status")
    assert ("drop", 0, 1) in rows(uncounted, "days", "of", "counts", "not_counted")
