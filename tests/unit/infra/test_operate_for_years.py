"""docs/operate-for-years.md: what grows with time has a bound, and each bound a test that is there."""

import re
from typing import Final

import pytest

from tests.support.services import ROOT
from tests.unit.contracts.test_promises import defined_in

SECTION: Final = (
    (ROOT / "docs" / "operate-for-years.md").read_text().partition("## What grows with time\n")[2].partition("\n## ")[0]
)
ROWS: Final = [line.strip("| ").split(" | ") for line in SECTION.splitlines() if line.startswith("| ")][1:]


@pytest.mark.parametrize(("what", "how_fast", "bound"), ROWS, ids=[row[0] for row in ROWS])
def test_each_bound_has_a_test(what: str, how_fast: str, bound: str) -> None:
    """Whoever adds what grows says how fast, what bounds it, and what shows that."""
    del what
    assert how_fast
    named = re.findall(r"`(tests/[\w/]+\.py)::([\w:]+)`", bound)
    assert named
    for path, names in named:
        assert set(names.split("::")) <= defined_in(path), f"{path}::{names}"


def test_all_that_an_operator_asks_for_is_there() -> None:
    """Files, connections, memory and logs, at least."""
    assert {"files of checkpoints", "connections to PostgreSQL", "memory of a process", "log lines"} <= {
        row[0] for row in ROWS
    }
