"""A section of a report as it is shown: the first rows of a long one, the total of all, and the way to every row."""

import re
from typing import Any

import pytest

from services.console.pages.reports import cut_to_first
from services.console.views import cell, environment, figures

_COLUMNS = [
    {"name": "table", "title": "Table", "unit": "text"},
    {"name": "drop_cents", "title": "Drop", "unit": "cents"},
]


def section(rows: int, rows_max: int | None) -> str:
    """Return a section of so many tables, each with a drop of $10, as HTML; reporting gave at most so many of them."""
    shown: dict[str, Any] = {"report": "drop-and-win", "known_at": "2026-11-21T12:00:00Z"}
    wanted = {"gaming_day": "2026-11-20", "period": "day", "table": "", "game": ""}
    listed = [{"id": f"BJ{number:02}", "table": f"BJ{number:02}", "drop_cents": 1000} for number in range(rows)]
    one: dict[str, Any] = {"name": "tables", "title": "Tables", "total": {"drop_cents": 1000 * rows}}
    one |= {"rows": listed[:rows_max]} | ({"cut_from": rows} if rows_max is not None and rows_max < rows else {})
    template = environment().get_template("report_parts.html")
    module: Any = template.make_module({"property": "riverside", "shown": shown, "wanted": wanted, "zone": None})
    return str(module.section(one, _COLUMNS))


@pytest.mark.parametrize(("rows", "rows_max", "listed"), [(5, 3, 3), (3, 3, 3), (5, None, 5)])
def test_a_long_section_begins_with_its_first_rows(rows: int, rows_max: int | None, listed: int) -> None:
    """The total is that of all, and a link leads to every row as it is known at the same moment."""
    html = section(rows, rows_max)
    assert listed == len(re.findall(r"<tr><td", html.partition("<tfoot>")[0]))
    assert f"${rows * 10}.00" in html.partition("<tfoot>")[2]
    more = re.search(r'<a href="([^"]*whole=true[^"]*)">([^<]*)', html)
    assert (more is not None) == (listed < rows)
    if more is not None:
        assert f"The first {rows_max} of {rows} rows" in more[2]
        assert "known_at=2026-11-21T12%3A00%3A00Z" in more[1]
        assert more[1].endswith("#s-tables")


@pytest.mark.parametrize(("most", "listed", "cut_from"), [(3, 3, 5), (5, 5, None), (None, 5, None)])
def test_what_came_whole_for_charts_is_shown_as_reporting_would_cut_it(
    most: int | None, listed: int, cut_from: int | None
) -> None:
    """The first rows, how many there are where some are left out, and the total of all."""
    one: dict[str, Any] = {
        "name": "tables",
        "rows": [{"id": f"BJ{number:02}"} for number in range(5)],
        "total": {"n": 5},
    }
    cut_to_first({"content": {"sections": [one]}}, most)
    assert [f"BJ{number:02}" for number in range(listed)] == [row["id"] for row in one["rows"]]
    assert (cut_from, {"n": 5}) == (one.get("cut_from"), one["total"])


def test_an_amount_leads_to_its_entries_where_it_has_some() -> None:
    """Those of a report have; those of the table behind a chart are no cells of a report."""
    row = {"table": "BJ01", "drop_cents": 1000}
    assert 'href="/entries?cell=drop_cents"' in figures(row, _COLUMNS, "/entries?cell=")
    assert '<td class="">BJ01</td><td class="n" data-sort="1000">$10.00</td>' == figures(row, _COLUMNS)


def test_what_is_below_zero_has_the_same_sign_everywhere() -> None:
    """Amounts and percentages alike."""
    assert ["−$1.00", "−4.26 %"] == [cell(-100, "cents"), cell("-4.26", "percent")]
