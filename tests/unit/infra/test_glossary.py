"""The glossary: each term once, and each name in the code is there."""

import re
from importlib import import_module
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "glossary.md"
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| **")
]
NAMES = sorted({name for row in ROWS for name in re.findall(r"`([\w.]+)`", row[3])})


@pytest.mark.parametrize("name", NAMES)
def test_a_name_in_the_code_is_there(name: str) -> None:
    """A module, or what a module defines."""
    module, _, last = name.rpartition(".")
    if last[0].isupper():
        assert hasattr(import_module(module), last)
    else:
        import_module(name)


def test_each_term_stands_there_once_with_its_meaning_and_source() -> None:
    """About a hundred, in rows of four cells."""
    terms = [re.findall(r"\*\*(.+?)\*\*", row[0])[0] for row in ROWS]
    assert len(terms) == len(set(terms)) >= 100
    assert [] == [row for row in ROWS if len(row) != 4 or not all(row)]
