"""Amended returns on a real database: each version beside the one before it."""

from typing import Any
from urllib.parse import quote

from tests.support.reporting import Books, names, rows_of
from tests.support.table_days import TableDays
from tests.unit.reporting.entries import DAY

BEFORE = "2026-11-19"
STATE, LOCAL = "state_tax||0.12", "local_share||0.02"


def _restated(books: Books) -> TableDays:
    """Two tables of a day that is sealed with a win of 700.00."""
    ledger = TableDays()
    books.desk.feed(
        "inventory",
        *ledger.table_day("BJ-01", drop=50_000),
        *ledger.table_day("BJ-02", drop=20_000),
        *ledger.sealed(final_win_cents=70_000),
    )
    return ledger


def _amended(report: dict[str, Any]) -> dict[str, tuple[int, int, int]]:
    """The figures of the section by the id of their rows."""
    figures = ("before_cents", "after_cents", "difference_cents")
    return {row["id"]: names(row, *figures) for row in rows_of(report, "amended")}


def _entries(books: Books, row: str, column: str) -> list[tuple[int, int | None]]:
    entries = books.explain("tax", f"amended/{row}/{column}")["entries"]
    return [(entry["seq"], entry["value"]) for entry in entries if entry["value"] or entry["measure"] is None]


def test_a_restated_return_shows_the_difference_to_what_was_sealed(books: Books) -> None:
    """By line, for the period and for the day that changed; as of the seal it is what it was."""
    ledger = _restated(books)
    sealed = books.report("tax")
    assert ("final", []) == (sealed["stage"], rows_of(sealed, "amended"))
    assert "sealed days" in {one["name"] for one in sealed["content"]["identities"]}
    as_sealed = f"&known_at={quote(ledger.last_recorded.isoformat())}"
    before = books.get(books.path("tax", as_sealed)).content
    books.desk.feed("inventory", *ledger.adjusted("BJ-01", -10_000))
    assert before == books.get(books.path("tax", as_sealed)).content
    report = books.report("tax")
    assert ("restated", True) == (report["stage"], all(one["holds"] for one in report["content"]["identities"]))
    changed = _amended(report)
    assert (8_400, 7_200, -1_200) == changed[f"2||{STATE}|tax"] == changed[f"2|{DAY}|{STATE}|tax"]
    assert (0, 0, 0) == changed["2||fully_automated_tax||0.34|tax"]
    assert not any("contest" in row_id for row_id in changed)
    assert f"2|{DAY}|fully_automated_tax||0.34|tax" not in changed


def test_each_version_is_compared_with_the_one_before_it(books: Books) -> None:
    """Two restatements after the seal: versions 2 and 3, each with its entries; what version 2 was, it stays."""
    ledger = _restated(books)
    books.desk.feed("inventory", *ledger.adjusted("BJ-01", -10_000))
    second = f"&known_at={quote(ledger.last_recorded.isoformat())}"
    before = books.get(books.path("tax", second)).content
    books.desk.feed("inventory", *ledger.adjusted("BJ-02", 30_000))
    assert before == books.get(books.path("tax", second)).content
    report = books.report("tax")
    changed = _amended(report)
    assert {
        f"2||{STATE}|tax": (8_400, 7_200, -1_200),
        f"3||{STATE}|tax": (7_200, 10_800, 3_600),
        f"2||{LOCAL}|tax": (1_400, 1_200, -200),
        f"3||{LOCAL}|tax": (1_200, 1_800, 600),
    } == {
        row_id: changed[row_id]
        for version in (2, 3)
        for row_id in (f"{version}||{STATE}|tax", f"{version}||{LOCAL}|tax")
    }
    of_two = {row_id.removeprefix("2"): figures for row_id, figures in changed.items() if row_id.startswith("2")}
    of_three = {row_id.removeprefix("3"): figures for row_id, figures in changed.items() if row_id.startswith("3")}
    assert of_two.keys() == of_three.keys()
    assert all(of_two[row_id][1] == of_three[row_id][0] for row_id in of_two)
    due = {row["payee"]: row["due_cents"] for row in rows_of(report, "due")}
    assert due == {
        line.split("|")[2]: after
        for line, (_, after, _) in changed.items()
        if line.startswith("3||") and line.endswith("|due")
    }
    assert ([(3, None)], [(4, None)]) == (  # the statements
        _entries(books, f"2||{STATE}|tax", "difference_cents"),
        _entries(books, f"3||{STATE}|tax", "difference_cents"),
    )
    wins = [(1, 50_000), (2, 20_000), (3, -10_000), (4, 30_000)]
    assert wins == _entries(books, f"3|{DAY}|{STATE}|tax", "after_cents")
    assert wins[:3] == _entries(books, f"3|{DAY}|{STATE}|tax", "before_cents")


def test_a_return_of_several_days_begins_with_the_last_seal(books: Books) -> None:
    """What changed a day before the last of the period was sealed is in version 1."""
    ledger = TableDays()
    books.desk.feed(
        "inventory",
        *ledger.table_day("BJ-01", BEFORE, drop=10_000),
        *ledger.sealed(BEFORE, final_win_cents=10_000),
        *ledger.adjusted("BJ-01", 1_000, BEFORE),
        *ledger.table_day("BJ-01", drop=50_000),
        *ledger.sealed(final_win_cents=50_000),
    )
    assert ([], 2) == (
        rows_of(books.report("tax", "&period=week"), "amended"),
        books.report("tax", "&period=week")["version"],
    )
    books.desk.feed("inventory", *ledger.adjusted("BJ-01", 2_000, BEFORE), *ledger.adjusted("BJ-01", 500))
    changed = _amended(books.report("tax", "&period=week"))
    assert {
        "2||banking|||revenue": (61_000, 63_000, 2_000),
        f"2|{BEFORE}|banking|||revenue": (11_000, 13_000, 2_000),
        "3||banking|||revenue": (63_000, 63_500, 500),
        f"3|{DAY}|banking|||revenue": (50_000, 50_500, 500),
    } == {row_id: figures for row_id, figures in changed.items() if row_id.endswith("revenue")}
