"""Compare the cost of a round with one cell and with sixty-four cells, measured alternately.

  python -m loadtest.bench.shards --cells 1 4 16 64 --rounds 200

A cell is a property with its rules, its hash chain and its Merkle tree. The rounds of all cells are interleaved in
order of time, and are decoded, settled, encoded, hashed and appended in this process. This is the CPU-bound part of the
path, without servers; `loadtest.bench.load shards-64` plays the whole path. Printed is the CPU time per round. If cells
share nothing, it does not depend on the number of cells, and the total is linear in rounds.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from loadtest.bench.expected_journal import Expected
from loadtest.bench.outcome import Source
from loadtest.bench.processes import load
from loadtest.traffic.corpus import DIRECTORY, Head, Record, Site, corpus
from shared.journal.entry import entry_hash, genesis
from shared.journal.merkle import Frontier

RESULTS: Final = Path("var/loadtest/shards.jsonl")
_TABLES: Final = 12
_TRIES: Final = 3
"""The number of tries, of which only the fastest counts, because other load on the machine can only slow rounds."""
_RECORDED: Final = datetime(2026, 5, 10, tzinfo=UTC)


class Cell:
    """The journal of one property, in memory."""

    def __init__(self, site: Site) -> None:
        """Begin with an empty journal."""
        self.name = site.document.property
        self.seq = 0
        self.head = genesis(self.name)
        self.tree = Frontier()
        self._expected = Expected([site])

    def take(self, record: Record) -> None:
        """Settle a round, and append its entry."""
        draft = self._expected.draft(record.value, key=record.key.encode(), offset=self.seq, headers=())
        self.seq += 1
        self.head = entry_hash(draft, shard_name=self.name, seq=self.seq, recorded_at=_RECORDED, previous=self.head)
        self.tree = self.tree.append(self.head)


@dataclass(frozen=True, slots=True)
class Point:
    """The number of cells, their total number of rounds, and the CPU microseconds per round."""

    cells: int
    rounds: int
    processor_us: float


def simulated(sites: Sequence[Site], records: Iterable[Record]) -> tuple[list[Cell], Point]:
    """Process the records of these properties, skipping other records; return the cells and the cost."""
    cells = {site.document.property: Cell(site) for site in sites}
    mine = [(cells[name], record) for record in records if (name := record.key.split("/")[2]) in cells]
    began = time.process_time()
    for cell, record in mine:
        cell.take(record)
    seconds = time.process_time() - began
    return list(cells.values()), Point(len(cells), len(mine), 1e6 * seconds / max(1, len(mine)))


def lines(points: Sequence[Point]) -> Iterator[str]:
    """Yield the results as a Markdown table."""
    yield "| cells | rounds | processor of a round | of all rounds |"
    yield "|---|---|---|---|"
    for point in points:
        seconds = point.rounds * point.processor_us / 1e6
        yield f"| {point.cells} | {point.rounds:,} | {point.processor_us:,.0f} µs | {seconds:.2f} s |"


def main(words: Sequence[str] | None = None) -> int:
    """Simulate, print and store the table; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m loadtest.bench.shards", description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--cells", type=int, nargs="+", default=[1, 4, 16, 64], help="numbers of cells to compare, separated by spaces"
    )
    parser.add_argument("--rounds", type=int, default=200, help="number of rounds in each cell (default: %(default)s)")
    parser.add_argument("--corpora", type=Path, default=DIRECTORY, help="directory of the generated input records")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to which the results are appended")
    options = parser.parse_args(words)
    most = max(options.cells)
    head = Head(rounds=most * options.rounds, tables=_TABLES, properties=most)
    records, sites = corpus(head, options.corpora), head.sites
    simulated(sites[:1], records)  # warm-up, to load everything
    tried = [[simulated(sites[:cells], records)[1] for cells in options.cells] for _ in range(_TRIES)]
    points = [min(same, key=lambda point: point.processor_us) for same in zip(*tried, strict=True)]
    document = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "source": asdict(Source.here()),
        "load": load(),
        "points": [asdict(point) for point in points],
    }
    options.results.parent.mkdir(parents=True, exist_ok=True)
    with options.results.open("a") as file:
        file.write(json.dumps(document) + "\n")
    sys.stdout.writelines(f"{line}\n" for line in lines(points))
    return 0


if __name__ == "__main__":
    sys.exit(main())
