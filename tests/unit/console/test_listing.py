"""A table of records as it is shown: the first of many, what may be done about each of them, and the way to all."""

import re
from types import SimpleNamespace
from typing import Any

import pytest

from services.console.listing import Act, Listed, cols, filled
from services.console.views import environment


def table(rows: int, rows_max: int | None, *, cut: bool = False) -> str:
    """Return a table of so many counter checks, each of which may be redeemed, as HTML."""
    operation = SimpleNamespace(address="/redeem", roles=(), title="Redeem")
    context = {
        "rows_max": rows_max,
        "every_row": "?whole=true",
        "here": "/p/riverside/desk",
        "zone": None,
        "may": lambda *_: True,
        "operations": SimpleNamespace(find=lambda *_: operation),
    }
    checks = [{"serial": f"C-{number}", "left_cents": 1000} for number in range(rows)]
    one = Listed(
        title="Checks",
        rows=checks,
        columns=cols("serial", "left_cents"),
        cut=cut,
        acts=lambda check: [Act("table-inventory", "redeem-check", {"serial": check["serial"]})],
    )
    module: Any = environment().get_template("lists_parts.html").make_module(context)
    return str(module.table_of(one))


@pytest.mark.parametrize(("rows", "rows_max", "shown"), [(5, 3, 3), (3, 3, 3), (5, None, 5)])
def test_a_long_table_begins_with_its_first_rows(rows: int, rows_max: int | None, shown: int) -> None:
    """Each with its command; a link says how many there are and leads to all of them."""
    html = table(rows, rows_max)
    assert [f"C-{number}" for number in range(shown)] == re.findall(r'<th scope="row">(C-\d+)', html)
    assert [f"C-{number}" for number in range(shown)] == re.findall(r"/redeem\?[^\"]*serial=(C-\d+)", html)
    assert ([f"The first {shown} of {rows}. Show all"] if shown < rows else []) == re.findall(
        r'<a href="\?whole=true">([^<]*)', html
    )


@pytest.mark.parametrize(("rows_max", "link", "note"), [(3, ["The first 3. Show all"], False), (None, [], True)])
def test_a_table_whose_end_was_not_asked_for_leads_to_all(rows_max: int | None, link: list[str], note: bool) -> None:
    """Where all were asked for and there are more than a page has, it says so."""
    html = table(3, rows_max, cut=True)
    assert link == re.findall(r'<a href="\?whole=true">([^<]*)', html)
    assert note == ("Showing the first 3." in html)


def test_lists_without_rows_are_one_sentence() -> None:
    """Those that a service does not tell are another one, with why; a list with a command of its own stays."""
    why = "demo.ann does not have the role 'sar.prepare'"
    empty = [Listed(title=title, rows=(), columns=()) for title in ("Prepared", "Sent")]
    untold = [Listed(title=title, rows=(), columns=(), missing=why) for title in ("Due", "Late")]
    rows = Listed(title="Accepted", rows=({"filing": 1},), columns=cols("filing"))
    command = Listed(title="In service", rows=(), columns=(), more=(Act("table-inventory", "enter"),))
    shown, said = filled([empty[0], untold[0], rows, empty[1], command, untold[1]])
    assert [rows, command] == shown
    assert ["No entries in: Prepared; Sent.", f"{why} (Due; Late)"] == said
