"""A small month of a casino end to end: all journals read, every report asked for, rebuilt to the same bytes."""

import pytest

from loadtest.bench.month import main
from tests.support.nightly import AT_NIGHT


@AT_NIGHT
@pytest.mark.usefixtures("whole_stack")
def test_a_month_is_reported_and_rebuilt_to_the_same_bytes(capfd: pytest.CaptureFixture[str]) -> None:
    """Two days on three tables: no identity fails, asked again and after a rebuild, no byte is another."""
    words = "--days 2 --tables 3 --rounds-per-table-day 40 --rounds-in-pool 20 --spans month --rebuild"
    code = main(words.split())
    said = capfd.readouterr().out
    assert "wrong" not in said
    assert 0 == code
    assert "rebuilt in" in said
    slowest = [line for line in said.splitlines() if line.startswith("slowest report")]
    assert 2 == len(slowest)  # asked for the first time, and again
    assert all("slowest file" in line for line in slowest)
