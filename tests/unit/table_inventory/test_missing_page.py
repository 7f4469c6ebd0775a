"""docs/table-inventory.md says of everything that a day can lack who mends it, and with what."""

import re
from pathlib import Path
from typing import Final, get_args

import pytest

from shared.contracts import catalog
from shared.contracts.facts import KINDS
from shared.contracts.topics import PIT_EVENTS
from shared.contracts.win import MissingKind
from tests.support.openapi import document_of

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs/table-inventory.md"
ROUTES: Final = document_of("table-inventory")["paths"]
ROWS: Final = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.read_text().partition("else it lacks (`missing`)")[2].partition("\n\n")[0].splitlines()[2:]
]
assert catalog.MODULES, "all kinds are declared"


def test_each_kind_of_what_is_missing_has_a_row() -> None:
    """One row each, none of anything else, and no cell of it is empty."""
    kinds = [re.findall(r"`(\w+)`", row[1])[0] for row in ROWS]
    assert sorted(get_args(MissingKind)) == sorted(kinds)
    assert all(len(row) == 4 and all(row) for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1].strip("`").partition("`")[0])
def test_what_mends_it_is_there(row: list[str]) -> None:
    """An event of the pit by its kind, or a command by its route."""
    events = {kind.name for kind in KINDS if kind.topic is PIT_EVENTS}
    said = [name for name in re.findall(r"`([^`]+)`", row[3]) if "." in name or " " in name]
    assert said
    for name in said:
        method, _, path = name.rpartition(" ")
        assert method.lower() in ROUTES[path] if method else name in events, name
