"""Measure how much the failure of one property slows down another property on the same stack.

  python -m loadtest.bench.isolation --turns 4 --rounds 1000 --rate 100 --beside 4 --quarantined 100000

The steady property plays rounds at a constant rate, in three alternating kinds of turns. In the first kind, it is the
only property. In the second, another property plays `--beside` rounds for each round of the steady property. In the
third, a failing property sends as many bad records over the same partitions: invalid bytes, and rounds of tables
without approved rules. Printed are the latency of the steady property's rounds, the ratios, and the number of
quarantined records. `--quarantined` is the number of records to quarantine before the first turn. Every round of the
steady property must be settled, and none of its records may be quarantined.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import repeat
from pathlib import Path
from statistics import median
from typing import Final

import psycopg

from loadtest.bench.outcome import Source, ages
from loadtest.bench.processes import OWN, load
from loadtest.bench.profiles import SPINE, WARM_UP_ROUNDS
from loadtest.bench.replay import Bench
from loadtest.bench.stack import ASKED_OFTEN, started_stack, target_of
from loadtest.floor.floor_day import opening
from loadtest.floor.games import pit, rules_submissions
from loadtest.floor.messages import day
from loadtest.floor.property import property_document
from loadtest.traffic.progress import Watch
from loadtest.traffic.publish import Publisher
from loadtest.traffic.registry import file_and_approve
from loadtest.traffic.target import Target

RESULTS: Final = Path("var/loadtest/isolation.jsonl")
STEADY, BUSY, FAILING = "steady", "busy", "failing"
_KNOWN_SECONDS: Final = 60.0
_STREAMS: Final = f"/properties/{STEADY}/%"
_RECORDED: Final = """
    SELECT source, sequence, extract(epoch FROM recorded_at)::float8 FROM round_settlement.entries
    WHERE kind = 'settlement.posted' AND source LIKE %s"""
_REFUSED: Final = "SELECT count(*) FILTER (WHERE source LIKE %s), count(*) FROM round_settlement.quarantine"


@dataclass(frozen=True, slots=True)
class Record:
    """A record to send: its stream, its sequence in the stream (None if its bytes are invalid), and its bytes."""

    key: str
    sequence: int | None
    value: bytes


@dataclass(frozen=True, slots=True)
class Turn:
    """The result of one turn: milliseconds from due time to recording, and the number of quarantined records.

    `others` describes the activity of the other properties. `processor_us` is the CPU time of all processes per record,
    in microseconds, over the records of all properties.
    """

    others: str
    rounds: int
    median_ms: float
    p95_ms: float
    processor_us: float
    quarantined: int


def bad_records(rounds: Iterator[Record]) -> Iterator[Record]:
    """Yield the failing property's records: invalid bytes and a round without rules, alternately."""
    for number, one in enumerate(rounds):
        yield Record(one.key, None, b'{"specversion": "1.0", "id": "%d"' % number)
        yield one


class Isolation:
    """Runs the turns on one stack. The sources must yield enough records for all turns."""

    def __init__(self, target: Target, bench: Bench, sources: Mapping[str, Iterator[Record]]) -> None:
        """Run turns on a stack with records from `sources`, by property."""
        self._target = target
        self._bench = bench
        self._sources = sources

    def fill(self, records: int) -> None:
        """Send this number of bad records, and wait until they are quarantined."""
        self._bench.play([next(self._sources[FAILING]) for _ in range(records)], repeat(0.0, records))
        self._bench.committed()

    def turn(self, rounds: int, rate: int, others: str = STEADY, beside: int = 0) -> Turn:
        """Play rounds, each followed by `beside` records of another property, and wait until all are processed."""
        sent: list[Record] = []
        due: list[float] = []
        steady: set[tuple[str, int | None]] = set()
        for number in range(rounds):
            one = next(self._sources[STEADY])
            steady.add((one.key, one.sequence))
            sent += [one, *(next(self._sources[others]) for _ in range(beside))]
            due += [number / rate] * (1 + beside)
        before = OWN.used()
        moments = self._bench.play(sent, due)
        self._bench.committed()
        used = OWN.used().since(before)
        with psycopg.connect(self._target.conninfo) as connection:
            recorded = {(source, place): at for source, place, at in connection.execute(_RECORDED, [_STREAMS])}
            refused, quarantined = connection.execute(_REFUSED, [_STREAMS]).fetchone() or (0, 0)
        assert refused == 0, f"{refused} records of the steady property are in quarantine"
        assert steady <= recorded.keys(), f"{len(steady - recorded.keys())} of its rounds are not settled"
        found = ages({place: moments[place] for place in steady}, recorded)
        return Turn(others, rounds, found["50"], found["95"], 1e6 * used.counted / len(sent), quarantined)


def ratio(turns: Sequence[Turn], others: str) -> float:
    """Return the ratio of the steady property's median latency beside the failing one to that in turns `others`."""
    failing, other = (median(turn.median_ms for turn in turns if turn.others == name) for name in (FAILING, others))
    return failing / other


def lines(turns: Sequence[Turn]) -> Iterator[str]:
    """Yield the results as a Markdown table."""
    yield "| the others | rounds | median | 95th percentile | processor of a record | in quarantine after it |"
    yield "|---|---|---|---|---|---|"
    for turn in turns:
        said = {STEADY: "are quiet", BUSY: "play", FAILING: "fail"}[turn.others]
        waits = f"{turn.median_ms:,.1f} ms | {turn.p95_ms:,.1f} ms"
        yield f"| {said} | {turn.rounds:,} | {waits} | {turn.processor_us:,.0f} µs | {turn.quarantined:,} |"
    busy, quiet = ratio(turns, BUSY), ratio(turns, STEADY)
    yield f"where another fails, over where it plays as much: {busy:.2f}; over where it is quiet: {quiet:.2f}"


def measure(target: Target, options: argparse.Namespace) -> list[Turn]:
    """Play the turns on a running stack. Raises: TooSlow, NotDelivered."""
    plans = pit(options.tables)
    gaming_day = date.today() - timedelta(days=1)  # noqa: DTZ011 - any day that has passed everywhere will do
    beside = options.turns * options.rounds * options.beside

    def of(name: str, count: int) -> Iterator[Record]:
        many = {"gaming_day": gaming_day, "seed": options.seed, "rounds": count, "plants": False}
        return (Record(one.key, one.sequence, one.value) for one in day(property_name=name, plans=plans, **many))

    sources = {
        STEADY: list(of(STEADY, WARM_UP_ROUNDS + 3 * options.turns * options.rounds)),
        BUSY: list(of(BUSY, beside)),
        FAILING: list(bad_records(of(FAILING, (options.quarantined + beside) // 2 + 1))),
    }
    documents = [property_document(name, plans, gaming_day) for name in sources]
    filed = [one for name in (STEADY, BUSY) for one in rules_submissions(name, plans, opening(gaming_day))]
    file_and_approve(target, documents, filed)  # the failing property never files any rules
    with Watch(target) as watch, Publisher(target.bootstrap_servers) as publisher:
        watch.wait_for_properties(len(documents), seconds=_KNOWN_SECONDS)
        watch.wait_for_submissions(len(filed), seconds=_KNOWN_SECONDS, schemas=("round_settlement", "reporting"))
        one = Isolation(target, Bench(watch, publisher), {name: iter(records) for name, records in sources.items()})
        one.turn(WARM_UP_ROUNDS, options.rate)
        one.fill(options.quarantined)
        arms = [(STEADY, 0), (BUSY, options.beside), (FAILING, options.beside)]
        return [one.turn(options.rounds, options.rate, *arm) for _ in range(options.turns) for arm in arms]


def main(words: Sequence[str] | None = None) -> int:
    """Measure, print and store the turns; return 1 if the latency ratio exceeds `--at-most`."""
    parser = argparse.ArgumentParser(prog="python -m loadtest.bench.isolation", description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--turns", type=int, default=4, help="number of measurements of each kind (default: %(default)s)"
    )
    parser.add_argument(
        "--rounds", type=int, default=1000, help="number of rounds in each measurement (default: %(default)s)"
    )
    parser.add_argument("--rate", type=int, default=100, help="rounds per second (default: %(default)s)")
    parser.add_argument(
        "--beside", type=int, default=4, help="records of other properties for each round (default: %(default)s)"
    )
    parser.add_argument(
        "--quarantined", type=int, default=0, help="number of records in quarantine at the start (default: %(default)s)"
    )
    parser.add_argument(
        "--tables", type=int, default=24, help="number of tables of each property (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=1, help="random seed of the simulated games (default: %(default)s)")
    parser.add_argument(
        "--at-most",
        type=float,
        default=0.0,
        help="exit with 1 if a failing property slows rounds more than this multiple of a busy one; 0: never",
    )
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to which the results are appended")
    options = parser.parse_args(words)
    with started_stack(*SPINE, environment={**ASKED_OFTEN, **os.environ}) as (document, _):
        turns = measure(target_of(document), options)
    said = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "source": asdict(Source.here()),
        "load": load(),
        "options": {name: value for name, value in vars(options).items() if name != "results"},
        "turns": [asdict(turn) for turn in turns],
    }
    options.results.parent.mkdir(parents=True, exist_ok=True)
    with options.results.open("a") as file:
        file.write(json.dumps(said) + "\n")
    sys.stdout.writelines(f"{line}\n" for line in lines(turns))
    return int(0 < options.at_most < ratio(turns, BUSY))


if __name__ == "__main__":
    sys.exit(main())
