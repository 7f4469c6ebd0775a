"""Measure the cost of a round with an empty journal and with fifty million postings, alternating in one run.

  python -m loadtest.bench.prefilled --postings 50000000 --directory /var/tmp

The benchmark starts two stacks, each on an embedded PostgreSQL with its data in a directory, and plays the same rounds
to both. One of the two journals is then filled with copies of these entries and of their stream positions and rounds.
The copies represent the history of other properties, in shards with lower and higher numbers than the shards in use.
Then windows of rounds are played to the two stacks alternately. Printed is the CPU time per round, in total and by kind
of process.

Both stacks are judged like a run of a load profile. `pitledger verify` reads every journal up to its signed
checkpoints, but not the filled shards, which no service has signed. The exit code is 1 if the books are wrong;
slowness never fails the run.
"""

import argparse
import json
import math
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final

import psycopg

from loadtest.bench.expected_journal import Expected
from loadtest.bench.load import verified
from loadtest.bench.outcome import Source
from loadtest.bench.processes import Family, load
from loadtest.bench.profiles import SPINE, WARM_UP_ROUNDS
from loadtest.bench.replay import Bench
from loadtest.bench.stack import started_stack, target_of
from loadtest.bench.verdict import Verdict, judge_journal, judge_refused, judge_services
from loadtest.traffic.corpus import DIRECTORY, Head, Record, corpus
from loadtest.traffic.progress import Watch
from loadtest.traffic.publish import Publisher
from loadtest.traffic.registry import file_and_approve
from loadtest.traffic.target import conninfo_of
from loadtest.traffic.topic import stored
from shared.contracts.topics import SETTLEMENTS, TABLE_EVENTS
from shared.local.postgres import PostgresServer

RESULTS: Final = Path("var/loadtest/prefilled.jsonl")
_TABLES: Final = 48
_SECONDS: Final = 120.0
_BYTES_OF_POSTING: Final = 400
"""The maximum disk space per posting in bytes, including its share of the entry, of indexes and of write-ahead log."""
_POSTINGS_AT_ONCE: Final = 500_000
_TEMPLATE: Final = """
    CREATE UNLOGGED TABLE public.template AS
    SELECT row_number() OVER (ORDER BY shard, seq) AS number, * FROM round_settlement.entries
    WHERE kind = 'settlement.posted'"""
_WIDTH: Final = "SELECT sum(cardinality(cents)), count(*) FROM public.template"
_COPIES: Final = (
    """
    INSERT INTO round_settlement.entries (shard, seq, kind, source, sequence, event_id, "offset", record_hash,
        gaming_day, occurred_at, recorded_at, data, previous, hash, accounts, cents)
    SELECT CASE WHEN mod(copy, 2) = 0 THEN -copy ELSE 1000000 + copy END, number, kind,
        '/properties/past-' || copy || substr(source, length('/properties/loadtest-1') + 1), sequence, event_id,
        "offset", record_hash, gaming_day, occurred_at, recorded_at, data, previous, hash, accounts, cents
    FROM generate_series(%(first)s::int, %(last)s::int) copy, public.template""",
    """
    INSERT INTO round_settlement.taken (source, first, last, digests)
    SELECT '/properties/past-' || copy || substr(source, length('/properties/loadtest-1') + 1), sequence, sequence, hash
    FROM generate_series(%(first)s::int, %(last)s::int) copy, public.template""",
    """
    INSERT INTO round_settlement.rounds (round_id, property, table_name, completed, seq, shard, revision,
        gaming_day, game, others)
    SELECT round_id, 'past-' || copy, table_name, completed, seq, shard, revision, gaming_day, game, others
    FROM generate_series(%(first)s::int, %(last)s::int) copy, round_settlement.rounds WHERE property = 'loadtest-1'""",
)
_SETTLE: Final = (
    "DROP TABLE public.template",
    "VACUUM (ANALYZE) round_settlement.entries",
    "VACUUM (ANALYZE) round_settlement.taken",
    "VACUUM (ANALYZE) round_settlement.rounds",
    "CHECKPOINT",
)
_PARTS: Final = ("round-settlement", "reporting", "postgres", "broker")
_SIZE: Final = """
    SELECT count(*), sum(cardinality(cents)), pg_total_relation_size('round_settlement.entries')
    FROM round_settlement.entries"""


class TooSmall(Exception):
    """The disk is too small for the filled journal."""


@dataclass(frozen=True, slots=True)
class Journal:
    """The size of a journal: entries, postings, and bytes on disk."""

    entries: int
    postings: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Cost:
    """The CPU microseconds per round in a window, by kind of process."""

    us: dict[str, float]

    @property
    def all_us(self) -> float:
        """Return the CPU microseconds per round of all processes together."""
        return sum(self.us.values())


class _Side:
    """One of the two stacks, and the records sent to it."""

    def __init__(self, running: ExitStack, directory: Path, head: Head) -> None:
        self._server = running.enter_context(PostgresServer(directory=directory))
        environment = {**os.environ, "DATABASE_URL": self._server.owner_url}
        self._document, pid = running.enter_context(started_stack(*SPINE, environment=environment))
        self._target = target_of(self._document)
        assert self._server.pid is not None, "it was started above"
        self._family = Family(pid, self._server.pid, logs=Path(self._document["logs"]))
        self._sites = head.sites
        submissions = [each for site in self._sites for each in site.submissions]
        file_and_approve(self._target, [site.document for site in self._sites], submissions)
        self._watch = running.enter_context(Watch(self._target))
        self._watch.wait_for_properties(len(self._sites), seconds=_SECONDS)
        schemas = ("round_settlement", "reporting")
        self._watch.wait_for_submissions(len(submissions), seconds=_SECONDS, schemas=schemas)
        self._bench = Bench(self._watch, running.enter_context(Publisher(self._target.bootstrap_servers)))
        self._sent: list[Record] = []

    def play(self, records: Sequence[Record]) -> Cost:
        """Play rounds unpaced, and wait until reporting has processed them; return the cost per round."""
        used = self._family.used()
        self._bench.play(records, [0.0] * len(records))
        self._sent += records
        self._bench.committed()
        self._bench.reported()
        used = self._family.used().since(used)
        return Cost({name: 1e6 * seconds / len(records) for name, seconds in used.processes.items()})

    def fill(self, postings: int, say: Callable[[str], object]) -> None:
        """Add copied postings to the journal, with a superuser's login, because the triggers would refuse them."""
        with self._connected() as connection:
            connection.execute("SET session_replication_role = replica")
            connection.execute(_TEMPLATE)
            [(width, rows)] = connection.execute(_WIDTH).fetchall()
            copies, began = math.ceil(postings / width), time.monotonic()
            step = max(1, _POSTINGS_AT_ONCE // width)
            for first in range(1, copies + 1, step):
                last = min(first + step - 1, copies)
                for statement in _COPIES:
                    connection.execute(statement.encode(), {"first": first, "last": last})
                say(f"{last * width:,} postings, {last * rows:,} entries in {time.monotonic() - began:,.0f} s")
            for statement in _SETTLE:
                connection.execute(statement.encode())

    def size(self) -> Journal:
        """Return the journal's size: entries, postings, and bytes on disk."""
        with self._connected() as connection:
            [(entries, postings, size)] = connection.execute(_SIZE).fetchall()
        return Journal(entries, int(postings), size)

    def judged(self) -> Verdict:
        """Return the verdict on whether the books follow from the records sent."""
        verdict, expected, servers = Verdict(), Expected(self._sites), self._target.bootstrap_servers
        events, published = list(stored(servers, TABLE_EVENTS.name)), list(stored(servers, SETTLEMENTS.name))
        schemas = [service.replace("-", "_") for service in self._document["pids"]]
        judge_journal(verdict, self._target, self._sent, expected, events, published)
        judge_services(verdict, self._target, expected, schemas)
        judge_refused(verdict, self._target, schemas)
        self._watch.wait_for_checkpoints(seconds=_SECONDS, schemas=schemas)
        verified(self._document, verdict)
        return verdict

    def _connected(self) -> psycopg.Connection[Any]:
        return psycopg.connect(conninfo_of(self._server.url), autocommit=True)


@dataclass(frozen=True, slots=True)
class Prefilled:
    """The result of one run: final journal sizes, the cost per round in each window, and the verdicts."""

    at: str
    source: Source
    load: float
    rounds_a_window: int
    empty: Journal
    full: Journal
    on_empty: list[Cost]
    on_full: list[Cost]
    verdicts: list[dict[str, Any]]

    @property
    def holds(self) -> bool:
        """Return whether the books of both stacks are correct."""
        return all(verdict["holds"] for verdict in self.verdicts)


def measure(
    postings: int, *, windows: int, rounds: int, directory: Path, corpora: Path, say: Callable[[str], object]
) -> Prefilled:
    """Fill one of two journals, and play windows of rounds to both alternately. Raises: TooSmall."""
    free, needed = shutil.disk_usage(directory).free, postings * _BYTES_OF_POSTING
    if free < needed:
        raise TooSmall(f"{directory} has {free:,} bytes free; {postings:,} postings take up to {needed:,}")
    template = WARM_UP_ROUNDS + rounds
    head = Head(template + windows * rounds, _TABLES)
    records = corpus(head, corpora)
    with TemporaryDirectory(dir=directory, prefix="pitledger-prefilled-") as scratch, ExitStack() as running:
        Path(scratch).chmod(0o755)  # the server runs under another account
        empty, full = (_Side(running, Path(scratch, name), head) for name in ("empty", "full"))
        for side in (empty, full):
            side.play(records[:template])
        full.fill(postings, say)
        found: list[tuple[Cost, Cost]] = []
        for begin in range(template, len(records), rounds):
            window = records[begin : begin + rounds]
            first, second = (empty, full) if len(found) % 2 else (full, empty)  # alternate which journal comes first
            costs = {first: first.play(window), second: second.play(window)}
            found.append((costs[empty], costs[full]))
            say(f"a round: {costs[empty].all_us:,.0f} µs on the empty journal, {costs[full].all_us:,.0f} on the full")
        return Prefilled(
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            source=Source.here(),
            load=load(),
            rounds_a_window=rounds,
            empty=empty.size(),
            full=full.size(),
            on_empty=[each for each, _ in found],
            on_full=[each for _, each in found],
            verdicts=[side.judged().as_document() for side in (empty, full)],
        )


def lines(measured: Prefilled) -> Iterator[str]:
    """Yield the results as a Markdown table."""
    yield f"| postings in the journal | entries | on the disk | {' | '.join(_PARTS)} | all |"
    yield "|" + "---|" * (len(_PARTS) + 4)
    for journal, costs in ((measured.empty, measured.on_empty), (measured.full, measured.on_full)):
        parts = [f"{median(cost.us.get(name, 0.0) for cost in costs):,.0f} µs" for name in _PARTS]
        said = [f"{journal.postings:,}", f"{journal.entries:,}", f"{journal.bytes / 1e6:,.0f} MB", *parts]
        yield f"| {' | '.join(said)} | {median(cost.all_us for cost in costs):,.0f} µs |"
    yield ""
    ratios = sorted(full.all_us / empty.all_us for empty, full in zip(measured.on_empty, measured.on_full, strict=True))
    yield (
        f"full to empty, window by window: {median(ratios):.2f} (from {ratios[0]:.2f} to {ratios[-1]:.2f}); "
        f"medians of {len(ratios)} windows of {measured.rounds_a_window:,} rounds, load {measured.load:.1f}; "
        f"the books are {'right' if measured.holds else 'WRONG'}"
    )
    for verdict in measured.verdicts:
        yield from (f"wrong: {each}" for each in verdict["differences"])


def main(words: Sequence[str] | None = None) -> int:
    """Measure, print and store the table; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m loadtest.bench.prefilled", description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--postings",
        type=int,
        default=50_000_000,
        help="number of postings in the prefilled journal (default: %(default)s)",
    )
    parser.add_argument(
        "--windows", type=int, default=10, help="number of measurements of each journal (default: %(default)s)"
    )
    parser.add_argument(
        "--rounds", type=int, default=2000, help="number of rounds in each measurement (default: %(default)s)"
    )
    parser.add_argument("--directory", type=Path, default=Path("/var/tmp"), help="temporary directory for the data")  # noqa: S108
    parser.add_argument("--corpora", type=Path, default=DIRECTORY, help="directory of the generated input records")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to which the results are appended")
    options = parser.parse_args(words)
    options.directory.mkdir(parents=True, exist_ok=True)
    measured = measure(
        options.postings,
        windows=options.windows,
        rounds=options.rounds,
        directory=options.directory,
        corpora=options.corpora,
        say=lambda what: sys.stderr.write(f"prefilled: {what}\n"),
    )
    options.results.parent.mkdir(parents=True, exist_ok=True)
    with options.results.open("a") as file:
        file.write(json.dumps(asdict(measured)) + "\n")
    sys.stdout.writelines(f"{line}\n" for line in lines(measured))
    return 0 if measured.holds else 1


if __name__ == "__main__":
    sys.exit(main())
