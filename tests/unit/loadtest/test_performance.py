"""The page of figures: its tables are written from what is kept; and cells that share nothing."""

import re
from pathlib import Path
from typing import Any

import pytest

from loadtest.bench import performance, shards
from loadtest.bench.outcome import keep
from loadtest.bench.shards import Point, simulated
from loadtest.peers.table import lines as peer_lines
from loadtest.traffic.corpus import Head, played
from tests.unit.loadtest.test_outcome import outcome

HEAD = Head(rounds=48, tables=12, properties=4)
PLACES = "# Performance\n\n" + "".join(
    f"## {name}\n\n<!-- measured: {name} -->\nas before\n<!-- end of measured -->\n\nmore\n\n"
    for name in ("runs", "parts", "memory", "growth", "peers", "shards")
)
WRONG = {"holds": False, "compared": {}, "differences": ["something"]}


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A page with a place for each table."""
    path = tmp_path / "performance.md"
    path.write_text(PLACES)
    return path


def test_the_tables_are_those_of_the_last_right_runs(page: Path, tmp_path: Path) -> None:
    """One row a profile, in the order of the profiles; what was wrong is not shown, and no other word changes."""
    results = tmp_path / "results.jsonl"
    for one in (outcome(profile="spike"), outcome(rounds=7), outcome(rounds=9), outcome(rounds=8, verdict=WRONG)):
        keep(one, results)
    assert 0 == performance.main(["--page", str(page), "--results", str(tmp_path)])
    written = page.read_text()
    rows = re.findall(r"^\| (casino|spike) \| 01234567\* \| 0\.1 \| (\d+) \|.*$", written, re.MULTILINE)
    assert [("casino", "9"), ("spike", "100")] == rows
    assert "| casino | 300 | 0 | 100 | 0 | 0 | 0 | 2,000 | 2,000 |" in written
    assert "| casino | 40 | 5,000 µs | 30 |" in written
    assert 2 == written.count("as before"), "nothing is kept of peers and cells"
    assert 6 == written.count("\nmore\n")


def test_a_table_without_a_place_is_named(page: Path, tmp_path: Path) -> None:
    """Figures that nobody would see are an error."""
    page.write_text("# Performance\n")
    keep(outcome(), tmp_path / "results.jsonl")
    with pytest.raises(ValueError, match="no place for growth, memory, parts, runs"):
        performance.main(["--page", str(page), "--results", str(tmp_path)])


def test_the_page_of_the_repository_has_a_place_for_every_table() -> None:
    """And its tables have the columns that they are written with."""
    text = (Path(__file__).parents[3] / performance.PAGE).read_text()
    one = outcome().as_document()
    heads = {
        "runs": next(performance.runs_table([one])),
        "parts": next(performance.parts_table([one])),
        "memory": next(performance.memory_table([one])),
        "growth": next(performance.growth_table([one])),
        "peers": next(peer_lines([])),
        "shards": next(shards.lines([])),
    }
    for name, head in heads.items():
        assert f"<!-- measured: {name} -->\n{head}\n" in text


def test_a_cell_comes_to_the_same_alone_and_among_others() -> None:
    """Nothing is shared: the same chain and the same tree, whatever is settled between its rounds."""
    sites, records = HEAD.sites, list(played(HEAD))
    together, point = simulated(sites, records)
    assert (4, 48) == (point.cells, point.rounds)
    for cell, site in zip(together, sites, strict=True):
        [alone], own = simulated([site], records)
        assert (alone.head, alone.tree.root(), alone.seq) == (cell.head, cell.tree.root(), cell.seq)
        assert 12 == own.rounds == alone.seq
    assert 4 == len({cell.head for cell in together})


def test_the_table_of_cells_says_what_all_rounds_take() -> None:
    """64 cells of 100 rounds at 250 µs are 1.6 s."""
    assert "| 64 | 6,400 | 250 µs | 1.60 s |" == list(shards.lines([Point(64, 6400, 250.0)]))[-1]


def test_a_peer_that_is_wrong_is_said_to_be() -> None:
    """In its row."""
    kept: dict[str, Any] = {"name": "x", "keeps": "y", "single_per_second": 0.0, "single_us": 0.0}
    kept |= {"together_per_second": 1.0, "together_us": 2.0, "wait_ms": {"50": 1.0, "99": 2.0}}
    kept |= {"bytes_a_round": 3.0, "wrong": "2 balances are wrong"}
    assert "| x | y | as they come |  | 1 | 2 | 1.0, 2.0 | 3 | 2 balances are wrong |" == list(peer_lines([kept]))[-1]
