"""The master game report on a real database: entries of the table inventory go in, the report comes out over HTTP."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.asgi import assert_problem
from tests.support.ledger import Ledger
from tests.support.reporting import Books, names, rows_of, total_of
from tests.unit.reporting.entries import DAY, NOON


def _day(ledger: Ledger) -> list[dict[str, Any]]:
    """Two shifts: openers 1,000 and 1,200, a fill of 500, closers 1,200 and 900, boxes of 600 and 400 dollars."""
    begins = {"purpose": "shift", "begins": {"gaming_day": DAY, "shift": "swing"}}
    fill = {"number": 7, "received_by": "dealer.1", "observed_by": "floor.lee"}
    handed_over = {"opener": 100_000, "fills": 50_000, "closer": 120_000, "handed_over": 120_000}
    return [
        ledger.count("table.opened", "day", 1_000, game="blackjack"),
        ledger.pit("fill.received", "day", moved=50_000, contents=[{"cents": 100, "count": 500}], **fill),
        ledger.count("table.counted", "day", 1_200, **begins),
        *ledger.box("day", 1, 600),
        ledger.stated("day", **handed_over, currency=60_000),
        ledger.count("table.closed", "swing", 900),
        *ledger.box("swing", 2, 400),
        ledger.stated("swing", opener=120_000, closer=90_000, currency=40_000),
    ]


FIGURES = ("opener_cents", "fills_cents", "closer_cents", "drop_cents", "win_cents", "hold_percent")


def test_the_win_follows_the_formula_by_table_and_by_shift(books: Books) -> None:
    """Closer + credits + drop - opener - fills; a count between shifts is no opener of the day, and no closer."""
    books.desk.feed("inventory", *_day(Ledger()))
    report = books.report("master-game")
    [table] = rows_of(report, "tables")
    assert (100_000, 50_000, 90_000, 100_000, 40_000, "40.00") == names(table, *FIGURES)
    assert [
        ("day", 100_000, 50_000, 120_000, 60_000, 30_000, "50.00"),
        ("swing", 120_000, 0, 90_000, 40_000, 10_000, "25.00"),
    ] == [names(row, "shift", *FIGURES) for row in rows_of(report, "shifts")]
    for section in ("tables", "shifts"):  # one table of 1,000, whatever its shifts hand over to each other
        assert (100_000, 50_000, 90_000, 100_000, 40_000, "40.00") == names(total_of(report, section), *FIGURES)
    explained = books.explain("master-game", "shifts/total/opener_cents")
    assert (100_000, "100000") == (explained["value"], explained["adds_up_to"])
    assert ["formula of win", "prepaid_access as drop", "match_play as drop", "direct_bet as drop"] == [
        mark["what"] for mark in report["content"]["marks"]
    ]


def test_while_something_is_not_counted_there_is_no_win(books: Books) -> None:
    """What was stated to be missing is, with its name and since when, until it is stated to be found."""
    ledger, since = Ledger(), "(since 2026-11-20 07:00)"
    books.desk.feed("inventory", ledger.stated(opener=100_000, missing=["closer", "drop"]))
    assert (f"closer {since}, drop {since}", None, None) == _missing(books)
    books.desk.feed("inventory", ledger.stated(closer=90_000, missing=["count B-1", "closer"]))
    assert (f"closer {since}, count B-1 {since}", None, None) == _missing(books)
    total = total_of(books.report("master-game"), "tables")
    assert (f"BJ-01: closer {since}, count B-1 {since}", None) == names(total, "missing", "win_cents")
    books.desk.feed("inventory", ledger.stated(currency=20_000))
    assert (None, 10_000, 10_000) == _missing(books)


def _missing(books: Books) -> tuple[Any, ...]:
    [table] = rows_of(books.report("master-game"), "tables")
    return names(table, "missing", "win_cents", "final_win_cents")


def test_every_figure_leads_to_its_entries(books: Books) -> None:
    """The entries behind a cell add up to it; of a cell that is not there, it says which there are."""
    books.desk.feed("inventory", *_day(Ledger()))
    explained = books.explain("master-game", "tables/BJ-01/drop_cents")
    assert (100_000, [(1, 60_000), (2, 40_000)]) == (
        explained["value"],
        [names(entry, "seq", "value") for entry in explained["entries"]],
    )
    assert 100_000 == books.explain("master-game", "tables/total/drop_cents")["value"]
    wrong = books.get(books.path("master-game/entries", "&cell=tables/BJ-09/drop_cents"))
    assert_problem(wrong, 404, "BJ-01")


def test_a_report_is_what_was_known_at_a_moment(books: Books) -> None:
    """As of a moment, it has the same bytes whatever came later, in every format."""
    entries = _day(Ledger())
    known_at = f"&known_at={entries[5]['recordedat'].replace('+', '%2B')}"
    forms = ("json", "csv", "xlsx", "parquet")
    books.desk.feed("inventory", *entries[:6])
    before = {form: books.get(books.path("master-game", f"{known_at}&as={form}")).content for form in forms}
    books.desk.feed("inventory", *entries[6:])
    after = {form: books.get(books.path("master-game", f"{known_at}&as={form}")).content for form in forms}
    assert before == after
    assert 60_000 == rows_of(books.report("master-game", known_at), "tables")[0]["drop_cents"]
    assert 100_000 == rows_of(books.report("master-game"), "tables")[0]["drop_cents"]


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("property=riverdale&gaming_day=2026-11-20", "GET /floors"),
        ("property=riverside&gaming_day=2025-11-20", "2026-11-20"),
        ("property=riverside&gaming_day=2026-11-20&table=BJ-99", "BJ-01"),
        ("property=riverside&gaming_day=2026-11-20&game=baccarat", "blackjack"),
    ],
)
def test_what_is_mistyped_is_not_found(books: Books, asked: str, known: str) -> None:
    """What is not known is no page of zeros: the answer says which properties, days and games are, or where."""
    books.desk.feed("inventory", *_day(Ledger()))
    assert_problem(books.get(f"/reports/master-game?{asked}"), 404, known)


def test_what_comes_after_the_seal_restates_the_day(books: Books) -> None:
    """Each version says which entries made it, who stands for them and why."""
    ledger = Ledger()
    books.desk.feed("inventory", *_day(ledger))
    books.desk.feed("inventory", *(ledger.entry(*step) for step in _sealed(40_000)))
    report = books.report("master-game")
    assert ("final", 1) == (report["stage"], report["version"])
    assert ("sealed report", 40_000, True) == names(report["content"]["identities"][-1], "name", "right", "holds")
    adjustment = ledger.at | {
        "adjustment": 1,
        "shift": "day",
        "figure": "currency",
        "cents": -1_000,
        "reason": "a note was counted twice",
        "day_status": "final",
        "entered_by": "audit.kim",
        "entered_at": NOON.isoformat(),
        "approved_by": "controller.fay",
        "approved_at": NOON.isoformat(),
    }
    approved = ledger.entry("adjustment.approved", adjustment)
    books.desk.feed("inventory", approved)
    assert ("final", 1) == names(books.report("master-game"), "stage", "version")  # nothing is other, as yet
    books.desk.feed("inventory", ledger.stated("day", adjusted=-1_000))
    report = books.report("master-game")
    assert ("restated", 2, 40_000, 39_000) == (
        report["stage"],
        report["version"],
        *names(rows_of(report, "tables")[0], "win_cents", "final_win_cents"),
    )
    assert [(2, "adjustment.approved", "controller.fay", "a note was counted twice"), (2, "win.stated", "", "")] == [
        names(row, "version", "kind", "who", "why") for row in rows_of(report, "restatements")
    ]


def test_a_report_whose_identity_fails_is_not_final(books: Books) -> None:
    """A sealed report that the entries do not make is preliminary again, and both sides name their entries."""
    ledger = Ledger()
    books.desk.feed("inventory", *_day(ledger))
    books.desk.feed("inventory", *(ledger.entry(*step) for step in _sealed(39_999)))
    report = books.report("master-game")
    assert ("preliminary", False) == (report["stage"], report["content"]["identities"][-1]["holds"])
    explained = books.explain("master-game", "identities/sealed report/right")
    assert (39_999, [11]) == (explained["value"], [entry["seq"] for entry in explained["entries"]])
    assert 40_000 == books.explain("master-game", "identities/sealed report/left")["value"]


def _sealed(win_cents: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """The steps by which the day is sealed with this win."""
    sealed = {"report": {"total": {"final_win_cents": win_cents}}, "hash": "e" * 64}
    for step, more in (("preliminary", {}), ("audited", {}), ("final", sealed)):
        people = {f"{step}_by": "audit.kim", f"{step}_at": NOON.isoformat()}
        yield f"day.{step}", {"property": "riverside", "gaming_day": DAY} | people | more
