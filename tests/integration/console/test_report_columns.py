"""The columns and rows of a report that somebody chooses: on the page, in its address, remembered, and as CSV."""

import re
from collections.abc import Sequence
from typing import Any, Final

import pytest

from tests.support.console import Browser, Stage

ADDRESS: Final = "/p/riverside/reports/drop-and-win"
CHOSEN: Final = "choose=1&column=tables:win_cents&column=tables:counted_at"
FLOOR: Final = {"property": "riverside", "title": "Riverside", "gaming_day": "2026-11-22", "shift": "day"}
COLUMNS: Final = [
    {"name": "table", "title": "Table", "unit": "text"},
    {"name": "drop_cents", "title": "Drop", "unit": "cents"},
    {"name": "win_cents", "title": "Win", "unit": "cents"},
    {"name": "counted_at", "title": "Counted", "unit": "moment"},
]


@pytest.fixture
def browser(stage: Stage) -> Browser:
    """A browser with which somebody has logged in, and a report of three tables."""
    answers = stage.services.answers
    answers["reporting", "GET", "/floors"] = (200, [FLOOR | {"time_zone": "America/New_York"}])
    answers["reporting", "GET", "/reports"] = (200, [{"name": "drop-and-win", "periods": ["day"]}])
    rows: list[dict[str, Any]] = [
        {"id": name, "table": name, "drop_cents": 900_000, "win_cents": win, "counted_at": "2026-11-23T15:00:00Z"}
        for name, win in (("BJ01", 123_450), ("BJ02", -5_000), ("=RP01", None))
    ]
    section = {"name": "tables", "title": "By table", "rows": rows, "total": {"table": "All", "win_cents": 118_450}}
    report: dict[str, Any] = {"report": "drop-and-win", "title": "Drop and win", "property_title": "Riverside"}
    report |= {"first_day": "2026-11-22", "last_day": "2026-11-22", "stage": "final", "version": 1}
    report |= {"known_at": "2026-11-23T16:00:00Z", "generated_by": "pit.pat", "system_version": "1", "sha256": ""}
    report |= {"columns": {"tables": COLUMNS}, "content": {"sections": [section], "identities": [], "marks": []}}
    answers["reporting", "GET", "/reports/drop-and-win"] = (200, report)
    return stage.browser("pit.pat")


def shown(page: str) -> tuple[list[str], list[str]]:
    """Return the headings and the first cells of the rows that a page shows."""
    [table] = re.findall("<table.*?</table>", page, re.DOTALL)
    head, _, body = table.partition("<tbody>")
    rows = re.findall(r"<tr><td[^>]*>([^<]*)", body.partition("<tfoot>")[0])
    return re.findall(r"<th [^>]*>([^<]*)", head), rows


def cells(page: str) -> Sequence[str]:
    """Return the texts of all cells of the rows, without markup."""
    body = page.partition("<tbody>")[2].partition("</tbody>")[0]
    return [re.sub("<[^>]*>", "", one) for one in re.findall("<td.*?</td>", body)]


def test_columns_are_chosen_in_the_address_and_remembered_for_the_report(browser: Browser) -> None:
    """The first column, which names the row, always stays; the next visit has the same; choosing all forgets it."""
    every = ["Table", "Drop", "Win", "Counted"]
    assert every == shown(browser.get(ADDRESS).text)[0]
    chosen = browser.get(f"{ADDRESS}?{CHOSEN}")
    assert ["Table", "Win", "Counted"] == shown(chosen.text)[0]
    assert "1 column hidden" in chosen.text
    assert ["Table", "Win", "Counted"] == shown(browser.get(ADDRESS).text)[0]
    kept = chosen.headers["set-cookie"]
    for said in ("columns.drop-and-win=tables:drop_cents;", "HttpOnly", "Path=/p/", "SameSite=lax"):
        assert said in kept, said
    browser.get(f"{ADDRESS}?{CHOSEN}&column=tables:drop_cents")
    assert every == shown(browser.get(ADDRESS).text)[0]


def test_rows_are_those_that_contain_a_text_and_have_no_total(browser: Browser) -> None:
    """As the page shows it, in any case, in a shown column; a total would be that of all rows."""
    assert "<tfoot>" in browser.get(ADDRESS).text
    for text, found in (("bj", ["BJ01", "BJ02"]), ("−$50.00", ["BJ02"]), ("10:00", ["BJ01", "BJ02", "=RP01"])):
        page = browser.get(ADDRESS, params={"find": text}).text
        assert found == shown(page)[1], text
        assert f"{len(found)} of 3 rows, without a total" in page
        assert "<tfoot>" not in page
    assert "0 of 3 rows" in browser.get(f"{ADDRESS}?{CHOSEN}&find=9,000").text


def test_the_csv_has_what_is_shown(stage: Stage, browser: Browser) -> None:
    """Its columns, rows and headings, under the link of the page; amounts are plain, formulas are no formulas."""
    page = browser.get(f"{ADDRESS}?{CHOSEN}&find=2026").text
    [link] = re.findall(r'href="([^"]*section=tables)"', page)
    stage.services.asked.clear()
    answer = browser.get(ADDRESS + link.replace("&amp;", "&"))
    assert "text/csv; charset=utf-8" == answer.headers["content-type"]
    assert 'attachment; filename="drop-and-win-tables-2026-11-22.csv"' == answer.headers["content-disposition"]
    moment = "2026-11-23 10:00:00"
    assert [
        "Table,Win,Counted",
        f"BJ01,1234.50,{moment}",
        f"BJ02,-50.00,{moment}",
        f"'=RP01,,{moment}",
    ] == answer.text.splitlines()
    assert ["BJ01", "$1,234.50", moment, "BJ02", "−$50.00", moment, "=RP01", "", moment] == cells(page)
    [asked] = [one for one in stage.services.asked if one.url.path == "/reports/drop-and-win"]
    assert "rows" not in asked.url.params, "every row is asked for, not the first of them"


def test_a_section_that_a_report_does_not_have_is_not_found(browser: Browser) -> None:
    """It says which."""
    page = browser.get(f"{ADDRESS}?section=gone")
    assert (404, True) == (page.status_code, "This report has no section gone." in page.text)
