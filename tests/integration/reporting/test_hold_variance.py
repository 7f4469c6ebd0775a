"""Hold variance on a real database: a month against the year before, and against the theoretical win."""

from tests.support.ledger import counted_day
from tests.support.properties import property_event
from tests.support.reporting import Books, names, rows_of
from tests.support.table_days import TableDays
from tests.unit.reporting.entries import DAY, NOON, total

FIGURES = ("actual_percent", "base_percent", "deviation_percent", "limit_percent", "flag", "missing")


def test_a_hold_more_than_three_points_from_last_year_is_investigated(books: Books) -> None:
    """Ten percent last year: twenty is too much, thirteen is not; a table that is new has no base."""
    prior, days = "2025-03-01", "2026-11-03"
    for table, closers, seq in (("BJ-01", (960, 1_020), 0), ("BJ-02", (960, 978), 20), ("BJ-03", (None, 900), 40)):
        for day, closer, first in zip((prior, days), closers, (seq, seq + 10), strict=True):
            if closer is not None:
                books.desk.feed("inventory", *counted_day(table, closer=closer, day=day, seq=first))
    report = books.report("hold-variance", "&period=month")
    assert [
        ("BJ-01", "20.00", "10.00", "10.00", "3.00", "investigate", None),
        ("BJ-02", "13.00", "10.00", "3.00", "3.00", None, None),
        ("BJ-03", "0.00", None, None, None, None, "base"),
    ] == [names(row, "table", *FIGURES) for row in rows_of(report, "tables")]
    [game] = rows_of(report, "games")
    assert ("blackjack", "11.00", "10.00", "1.00", "3.00", None, None) == names(game, "game", *FIGURES)
    assert ("drop", "prior_year", "2025-03-01", "2025-12-31", "percentage_points", 180_000, 19_800) == names(
        game, "basis", "base", "base_first_day", "base_last_day", "method", "basis_cents", "win_cents"
    )
    assert {"hold variance", "what hold is a share of"} <= {mark["what"] for mark in report["content"]["marks"]}
    assert 404 == books.get(books.path("hold-variance")).status_code  # of a month, not of a day


def test_a_counted_game_goes_by_the_hold_that_the_property_expects(books: Books) -> None:
    """Until there is a year before: the hold of each gaming day, weighted by its drop, and the win expected of it."""
    held = [
        {"hold": "10", "source": "own years 2019-2025", "first_day": "2026-01-01", "last_day": "2026-11-03"},
        {"hold": "16.5", "source": "as published in May", "first_day": "2026-11-04"},
    ]
    changes = {"games": [{"game": "craps", "kind": "craps", "expected_holds": held}]}
    tables = {"CR-01": {"game": "craps", "play": "counted"}, "BJ-01": {}}
    books.desk.feed("properties", property_event(books.property_name, tables, sequence=3, version=2, **changes))
    for table, first in (("CR-01", 0), ("BJ-01", 40)):
        for day, closer, seq in (("2026-11-03", 960, first), ("2026-11-04", 1_020, first + 10)):
            books.desk.feed("inventory", *counted_day(table, closer=closer, day=day, seq=seq))
    report = books.report("hold-variance", "&period=month")
    craps = ("15.00", "13.25", "1.75", "3.00", None, None)
    assert [("BJ-01", "15.00", None, None, None, None, "base"), ("CR-01", *craps)] == [
        names(row, "table", *FIGURES) for row in rows_of(report, "tables")
    ]
    [game] = [row for row in rows_of(report, "games") if row["game"] == "craps"]
    assert (*craps, "drop", "expected", "2026-11-03", "2026-11-04") == names(
        game, *FIGURES, "basis", "base", "base_first_day", "base_last_day"
    )
    report = books.report("drop-and-win", "&period=month")
    assert {"BJ-01": None, "CR-01": 15_900} == {
        row["table"]: row["expected_win_cents"] for row in rows_of(report, "tables")
    }


def test_a_win_outside_the_interval_around_the_theoretical_win_is_investigated(books: Books) -> None:
    """Where law says so: 1.96 standard deviations, exactly known, of what the wagers with an exact edge won."""
    books.desk.feed("properties", property_event("seaside", packs=["us-ri", "us-federal"], sequence=3))
    under = books.submit(wagers={"royal_match_21": {"paytable": "D"}})
    played = (("BJ-01", 1_750, 500), ("BJ-01", 0, 500), ("BJ-02", 13_000, 500))
    books.publish(
        *(
            books.posted(
                seq,
                table,
                [total("royal_match_21", handle=stake, payout=payout), total(handle=1), total("bank", house_in_bank=9)],
                submission=under,
                property="seaside",
            )
            for seq, (table, payout, stake) in enumerate(played, 1)
        )
    )
    path = f"/reports/hold-variance?property=seaside&gaming_day={DAY}&period=month"
    report = books.get(path).json()
    # house edge 6.67 percent; one cent has a variance of 4.1319: two stakes of 500, then one
    assert [
        ("BJ-01", "-75.00", "6.67", "-81.67", "281.71", None, None),
        ("BJ-02", "-2500.00", "6.67", "-2506.67", "398.40", "investigate", None),
    ] == [names(row, "table", *FIGURES) for row in rows_of(report, "tables")]


def test_a_flagged_hold_has_its_investigation(books: Books) -> None:
    """Number, owner and conclusion, of the last one that was opened for the month that is asked."""
    for day, closer, seq in (("2025-03-01", 960, 0), ("2026-11-03", 1_020, 10)):
        books.desk.feed("inventory", *counted_day("BJ-01", closer=closer, day=day, seq=seq))
    ledger = TableDays(shard=2)
    hold = {"property": "riverside", "what": "table", "subject": "BJ-01", "found": "10 points", "owner": "audit.kim"}
    opened = {"opened_by": "audit.lou", "opened_at": NOON.isoformat()}
    step = {"property": "riverside", "investigation": 2, "owner": "audit.lou"}
    books.desk.feed(
        "inventory",
        ledger.entry("investigation.opened", hold | opened | {"month": "2026-10", "investigation": 1}),
        ledger.entry("investigation.opened", hold | opened | {"month": "2026-11", "investigation": 2}),
        ledger.entry(
            "investigation.assigned",
            step | {"assigned_by": "audit.kim", "assigned_at": ledger.last_recorded.isoformat()},
        ),
    )
    columns = ("flag", "investigation", "owner", "conclusion")
    [before] = rows_of(books.report("hold-variance", "&period=month"), "tables")
    assert ("investigate", "2", "audit.lou", None) == names(before, *columns)
    concluded = {"conclusion": "one player's luck", "concluded_at": ledger.last_recorded.isoformat()}
    books.desk.feed("inventory", ledger.entry("investigation.concluded", step | concluded))
    [row] = rows_of(books.report("hold-variance", "&period=month"), "tables")
    assert ("investigate", "2", "audit.lou", "one player's luck") == names(row, *columns)
    found = books.explain("hold-variance", "tables/BJ-01/conclusion", "&period=month")["entries"]
    assert [4] == [entry["seq"] for entry in found]
