"""Shift and pit summaries on a real database: the figures of the drop and win summary, on one sheet a pit and shift."""

import io
from typing import Any, Final

from pypdf import PdfReader

from tests.support.pit_day import Pit, identities, rows
from tests.support.pit_ledger import LATER, PROPERTY, at
from tests.support.properties import property_event
from tests.unit.reporting.entries import Shard, total

_FIGURES: Final = (
    *("opener_cents", "fills_cents", "credits_cents", "closer_cents", "drop_cents", "estimated_drop_cents"),
    *("win_cents", "estimated_win_cents", "hold_percent"),
)


def test_a_table_has_a_row_in_each_of_its_shifts(pit: Pit) -> None:
    """What was counted, and beside it what the pit reported sold; a table that did not open has its slip."""
    pit.play()
    report = pit.read("pit-summary")
    assert [
        ("day", "BJ-01", 147500, 49500, 0, 138000, 0, 60000, -59000, 1000, None),
        ("day", "BJ-02", 80000, 0, 0, 80000, 0, 0, 0, 0, None),
        ("swing", "BJ-01", 138000, 1000, 30000, 100000, 50000, 0, 41000, -9000, "82.00"),
    ] == rows(report, "tables", "shift", "table", *_FIGURES)
    assert [
        ("9.00", 1, "1.00"),
        ("0.00", 0, None),
        ("4.00", 1, "1.00"),
    ] == rows(report, "tables", "open_hours", "rounds", "heads")
    assert ["dealer.dan", None, "dealer.eve"] == [dealers for (dealers,) in rows(report, "staff", "dealers")]
    assert [("06:00", 1, 1, "1.00"), ("14:00", 1, 1, "1.00")] == rows(
        report, "heads", *("hour", "tables", "rounds", "heads")
    )
    assert all(left == right for left, right in identities(report).values())


def test_shifts_and_pits_are_those_of_the_drop_and_win_summary(pit: Pit) -> None:
    """Each pit of a day, each shift, each opener: no figure is another than that of the report of its own."""
    pit.play()
    report, summary = pit.read("pit-summary"), pit.read("drop-and-win")
    counted = ("drop_cents", "win_cents", "hold_percent")
    assert rows(summary, "shifts", "shift", *counted) == rows(report, "shifts", "shift", *counted)
    assert rows(summary, "pits", "pit", *counted) == rows(report, "whole_pits", "pit", *counted)
    [whole] = rows(report, "whole_pits", "opener_cents", "fills_cents", "credits_cents", "closer_cents")
    assert (147500 + 80000, 50500, 30000, 100000 + 80000) == whole
    openers = rows(pit.read("openers-closers"), "openers", "table", "shift", "opener_cents")
    assert sorted(openers) == sorted(rows(report, "tables", "table", "shift", "opener_cents"))
    games = rows(report, "games", "shift", "game", "tables", *_FIGURES[:-1])
    assert games == [
        (shift, "blackjack", *said) for shift, *said in rows(report, "pits", "shift", "tables", *_FIGURES[:-1])
    ]


def test_until_a_box_is_counted_its_estimate_stands_for_it(pit: Pit) -> None:
    """There is no win while the box is not counted, and it is named; there is none by estimate without a closer."""
    pit.play()
    before = pit.read("pit-summary", known_at="2026-11-20T23:30:00Z")
    [swing] = [row for row in rows(before, "tables", "shift", "table", *_FIGURES) if row[0] == "swing"]
    assert (None, -9000, None) == swing[-3:]
    [(missing,)] = [row[1:] for row in rows(before, "staff", "shift", "missing") if row[0] == "swing"]
    assert missing.startswith("count A1 (since 2026-11-20 18:06)")
    [whole] = rows(before, "pits", "shift", "win_cents", "estimated_win_cents", "missing")[1:]
    assert ("swing", None, -9000, f"BJ-01: {missing}") == whole
    pit.feed("inventory", pit.ledger.sold("BJ-03", at(12), 7000))
    report = pit.read("pit-summary")
    [sold] = [row for row in rows(report, "tables", "table", *_FIGURES) if row[0] == "BJ-03"]
    assert (7000, None, None, None) == sold[-4:]
    assert ("BJ-03", "counts") in rows(report, "staff", "table", "missing")


def test_a_counted_table_says_that_it_is_one(pit: Pit) -> None:
    """It has no rounds and no head count, and no estimate where it reports no sales."""
    counted: dict[str, Any] = {"play": "counted", "sales": "none", "game": "craps"}
    tables = {"BJ-01": {}, "BJ-02": counted, "BJ-03": {}}
    pit.feed("properties", property_event(PROPERTY, tables, sequence=4, version=2))
    pit.play()
    report = pit.read("pit-summary")
    assert [("BJ-01", "rounds"), ("BJ-02", "counted"), ("BJ-01", "rounds")] == rows(report, "tables", "table", "play")
    assert [(None, None, 0, None)] == rows(
        report, "games", "estimated_drop_cents", "estimated_win_cents", "rounds", "heads"
    )[1:2]
    assert all(left == right for left, right in identities(report).values())
    of_game = pit.read("pit-summary", "&game=blackjack")
    assert {"BJ-01"} == {table for (table,) in rows(of_game, "tables", "table")}
    assert all(left == right for left, right in identities(of_game).values())


def test_rounds_and_sales_lead_to_their_entries(pit: Pit) -> None:
    """Of the table, in the time in which it was in the shift, by its own counts and not by the clock."""
    pit.play()
    late = {"round_id": "r-late", "closed_at": at(18.99).isoformat()}
    pit.feed("settlements", Shard(property_name=PROPERTY).posted(5, "BJ-01", [total(handle=100)], **late))
    assert [(2, "1.00"), (1, "1.00")] == rows(pit.read("pit-summary", "&table=BJ-01"), "tables", "rounds", "heads")
    rounds = pit.explain("pit-summary", "tables/pit-1|day|BJ-01/rounds")["entries"]
    assert [1, 1] == [entry["value"] for entry in rounds if entry["value"] > 0 and entry["round_id"] != "r-back"]
    assert 2 == sum(entry["value"] for entry in rounds)
    sold = pit.explain("pit-summary", "pits/pit-1|day/estimated_drop_cents")["entries"]
    assert 3 == len(sold)


def test_each_pit_and_shift_is_a_sheet_of_its_own(pit: Pit) -> None:
    """Letter paper, turned; a sheet has the tables, games and the pit, and columns of no other."""
    pit.play()
    path = pit.books.path("pit-summary", f"&known_at={LATER}&as=pdf")
    pages = PdfReader(io.BytesIO(pit.books.get(path).content)).pages
    texts = [" ".join(page.extract_text().split()) for page in pages]
    assert {(792, 612)} == {(page.mediabox.width, page.mediabox.height) for page in pages}
    [day] = [text for text in texts if "Pit pit-1, Shift day" in text]
    [swing] = [text for text in texts if "Pit pit-1, Shift swing" in text]
    assert day != swing
    said = ("By table", "By game", "Pit totals for the shift", "BJ-01", "BJ-02", "dealer.dan")
    assert all(word in day for word in said)
    assert "BJ-02" not in swing
    assert not any("Shift summary" in sheet for sheet in (day, swing))
