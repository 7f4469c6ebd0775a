"""docs/promises.md: each promise of the integration guide, in its words, with the tests that show it."""

import ast
import re
from functools import cache
from typing import Final

import pytest

from tests.support.services import ROOT

GUIDE: Final = (ROOT / "docs" / "integrate.md").read_text()
TABLE: Final = (ROOT / "docs" / "promises.md").read_text()
MARKER: Final = re.compile(r"<!-- (\d+) -->")
ROWS: Final = {
    int(number): (text, re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", tests))
    for number, text, tests in re.findall(r"^\| (\d+) \| (.+) \| (.+) \|$", TABLE, re.MULTILINE)
}
ADVICE: Final = ("One writer, one counter.", "When every broker was away", "Your producer")
"""How paragraphs begin that say what to do, or are shown by a page of their own (decision 47)."""


def plain(text: str) -> str:
    """Text without markers and line breaks."""
    return " ".join(MARKER.sub("", text).split())


@cache
def defined_in(path: str) -> set[str]:
    """The tests that a file defines, in classes too, and these."""
    defines = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return {one.name for one in ast.walk(ast.parse((ROOT / path).read_text())) if isinstance(one, defines)}


def test_each_promise_of_the_guide_has_one_row() -> None:
    """Neither a row without its sentence, nor a number twice."""
    marked = [int(number) for number in MARKER.findall(GUIDE)]
    assert sorted(ROWS) == sorted(marked)
    assert list(range(1, len(ROWS) + 1)) == list(ROWS)


@pytest.mark.parametrize("number", ROWS)
def test_a_promise_is_written_as_in_the_guide_and_shown_by_tests_that_are_there(number: int) -> None:
    """Whoever changes the sentence looks at its tests."""
    text, tests = ROWS[number]
    before, _, _ = GUIDE.partition(f"<!-- {number} -->")
    assert plain(before).endswith(text)
    assert tests
    for path, name in tests:
        assert name.startswith("test_")
        assert name in defined_in(path), f"{path}::{name}"


def test_no_paragraph_about_what_happens_goes_without() -> None:
    """Those that begin in bold letters say what holds, and each limit is one."""
    sections = {part.partition("\n")[0]: part for part in GUIDE.split("\n## ")}
    asked = []
    for name in ("Send", "Follow", "Schema evolution", "Files in, reports out"):
        for paragraph in re.split(r"\n\n|\n- ", sections[name]):
            if paragraph.startswith("**") and not paragraph.startswith(tuple(f"**{one}" for one in ADVICE)):
                asked.append(paragraph)
    asked += sections["Send"].partition("\nLimits:\n\n")[2].partition("\n\n")[0].splitlines()[2:]
    assert len(asked) >= 18
    assert [] == [paragraph for paragraph in asked if not MARKER.search(paragraph)]
