"""Every table of a service is part of its journal, rebuilt from it, or said to be kept."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from services.cli.services import NAMES, load
from shared.runtime.projections.projection_replay import tables_of
from shared.runtime.projections.shadow_tables import copy_of
from tests.support.rebuilding import rebuilt_tables

PAGE = Path(__file__).parents[3] / "docs/operate/rebuild.md"

SOUGHT = {
    *("facts_of_property", "rounds_of_table", "movements_in_time", "readings_in_time", "hits_of_round"),
    *("events_of_seat", "filing_reports_about"),
}
"""The indexes by which projecting or checking finds rows."""


def _documented(service: str) -> tuple[set[str], set[str]]:
    """Return the tables that the page about rebuilding says are rebuilt, and those that it says are kept."""
    [row] = [
        line for line in PAGE.read_text().splitlines() if line.startswith(f"| `{service}` | `") and "journal" in line
    ]
    _, _, made, _, kept, _ = row.split("|")
    return set(re.findall(r"`(\w+)`", made)), set(re.findall(r"`(\w+)`", kept))


@pytest.mark.parametrize("service", NAMES)
def test_the_page_says_what_is_rebuilt_and_what_is_kept(service: str) -> None:
    """No table is left out: whoever adds one decides where it comes from."""
    tables = load(service).journal
    every = {table.name for table in tables.entries.metadata.tables.values()}
    journal = {getattr(tables, field.name).name for field in fields(tables) if field.name != "schema"}
    made, kept = _documented(service)
    assert {table.name for table in rebuilt_tables(service)} == made
    assert every - journal - made == kept - made


def test_second_copies_have_no_index_that_only_readers_use() -> None:
    """What is written once more is rows, their keys, and what projecting or checking finds them by."""
    copies = [copy_of(table) for service in NAMES for table in tables_of(load(service))]
    assert SOUGHT == {index.name for copy in copies for index in copy.indexes if not index.unique}
