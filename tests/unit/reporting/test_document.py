"""Sections of a document: rows that are there, and rows that are made when somebody reads them."""

from collections.abc import Mapping
from typing import Any

import pytest

from services.reporting.framework.document import Column, Made, Section, fill
from services.reporting.framework.figures import Figure

TABLES = Section(
    name="tables",
    title="By table",
    key=("table",),
    columns=(Column(name="table", title="Table"), Column(name="win_cents", title="Win", unit="cents", added=True)),
)


def row(table: str) -> dict[str, Any]:
    """The row of a table that won 100 cents."""
    return {"table": table, "win_cents": Figure(100)}


def test_rows_are_made_when_they_are_read_and_no_others() -> None:
    """Of a section that is cut, the first ones alone; the total is the one that was given."""
    made: list[str] = []

    def make(table: str) -> Mapping[str, Any]:
        made.append(table)
        return row(table)

    filled = fill(TABLES, Made(["BJ-01", "BJ-02", "BJ-03"], make), win_cents=Figure(300)).cut(2)
    assert ([], 3) == (made, filled.cut_from)
    assert ["BJ-01", "BJ-02"] == [one.id for one in filled.rows] == made
    assert filled.total is not None
    assert {"table": None, "win_cents": 300} == filled.total.cells


def test_rows_that_are_made_say_what_they_come_to() -> None:
    """Nobody adds up rows that are not there yet."""
    with pytest.raises(AssertionError, match="win_cents"):
        fill(TABLES, Made(["BJ-01"], row))


def test_a_value_without_a_column_is_refused() -> None:
    """Of rows that are there, at once; of others, as soon as they are read."""
    wrong = row("BJ-01") | {"drop_cents": 1}
    with pytest.raises(KeyError, match="tables has no column drop_cents"):
        fill(TABLES, [wrong])
    filled = fill(TABLES, Made(["BJ-01"], lambda _: wrong), win_cents=Figure(100))
    with pytest.raises(KeyError, match="tables has no column drop_cents"):
        _ = filled.rows
