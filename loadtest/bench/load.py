"""Run a load profile on the complete system, and report its figures and whether the books are correct.

  make loadtest PROFILE=casino
  python -m loadtest.bench.load casino spike --scale 0.1 --broker kafka

The command starts its own stack, on the empty servers that DATABASE_URL and KAFKA_BOOTSTRAP_SERVERS name or on embedded
servers, and plays the profile's corpus, which is generated on first use. Each run appends a line of JSON to the stored
results, which `loadtest.bench.results_page` plots. The exit code is 1 if the books do not follow from the corpus, or if
the CPU time of a process was counted twice; slowness never fails the run.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import psycopg

from loadtest.bench import timing
from loadtest.bench.expected_journal import Expected
from loadtest.bench.outcome import (
    RESULTS,
    Outcome,
    Source,
    ages,
    growth_of,
    keep,
    lag_of,
    memory_of,
    processors,
    verdict_document,
)
from loadtest.bench.processes import Family, load
from loadtest.bench.profiles import PROFILES, WARM_UP_ROUNDS, Profile
from loadtest.bench.replay import Bench
from loadtest.bench.sampling import Sampler, Samples
from loadtest.bench.stack import ASKED_OFTEN, environment_of, more_processes, started_stack, target_of, tokens_of
from loadtest.bench.verdict import Verdict, judge_journal, judge_refused, judge_services
from loadtest.traffic.arrivals import due, scaled
from loadtest.traffic.corpus import DIRECTORY, Head, Record, corpus
from loadtest.traffic.opening import open_all
from loadtest.traffic.progress import Watch
from loadtest.traffic.publish import Publisher
from loadtest.traffic.registry import file_and_approve
from loadtest.traffic.target import Target, conninfo_of
from loadtest.traffic.topic import stored
from shared.contracts.topics import SETTLEMENTS, TABLE_EVENTS
from shared.local.kafka import KafkaServer

_SUBMISSION_SECONDS: Final = 120.0
_CHECKPOINT_SECONDS: Final = 60.0
_AT_PROPERTIES: Final = ("table_inventory", "vigorish", "progressive_meters", "wagering_accounts")
_UNDER_SUBMISSIONS: Final = ("vigorish", "progressive_meters")
_VERIFY: Final = (sys.executable, "-P", "-m", "services.cli.main", "verify", "--json")
_BYTES: Final = """
    SELECT n.nspname, sum(pg_total_relation_size(c.oid))::bigint FROM pg_class c JOIN pg_namespace n ON
    n.oid = c.relnamespace WHERE c.relkind IN ('r', 'm') AND n.nspname = ANY(%s) GROUP BY 1"""
_WAL: Final = "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint"


class NotEmpty(Exception):
    """The given server already contains a journal."""


def run(
    name: str,
    profile: Profile,
    *,
    seed: int,
    broker: str,
    directory: Path,
    say: Callable[[str], object],
) -> Outcome:
    """Run a profile on a new stack, and return the outcome; `say` prints progress."""
    outcome = Outcome(
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        profile=name,
        about=profile.about,
        source=Source.here(),
        broker="given" if os.environ.get("KAFKA_BOOTSTRAP_SERVERS") else broker,
        processors=processors(),
        load_before=load(),
        rounds=profile.rounds,
        tables=profile.tables * profile.properties,
        stages=[{"rounds": stage.rounds, "rate": stage.rate} for stage in profile.stages],
    )
    rounds = profile.rounds + WARM_UP_ROUNDS
    head = Head(rounds, profile.tables, profile.properties, seed, profile.hot_share)
    say(f"{name}: {profile.about}; corpus {head.file_in(directory).name}")
    records = corpus(head, directory)
    partitions = {TABLE_EVENTS.name: profile.partitions} if profile.partitions else {}
    require_empty(os.environ.get("DATABASE_URL", ""))
    with (
        _servers(broker, ASKED_OFTEN if profile.paced and broker == "embedded" else {}) as environment,
        started_stack(*profile.services, environment=environment, partitions=partitions, together=profile.together) as (
            document,
            pid,
        ),
        more_processes(document, profile.processes, environment) as more,
    ):
        _Run(profile, outcome, head, document, Family(pid, os.getpid(), *more, logs=Path(document["logs"]))).measure(
            records, say
        )
    outcome.load_after = load()
    return outcome


def require_empty(url: str) -> None:
    """Raise NotEmpty if the database at a SQLAlchemy URL has a journal; an empty URL is accepted."""
    if url:
        with psycopg.connect(conninfo_of(url)) as connection:
            [found] = connection.execute("SELECT to_regclass('round_settlement.shards')").fetchone() or (None,)
        if found is not None:
            raise NotEmpty("DATABASE_URL names a database with a journal in it: name an empty one")


@contextmanager
def _servers(broker: str, settings: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """Yield a stack's environment, with a new Apache Kafka if `broker` is `kafka` and the environment has no broker."""
    with ExitStack() as running:
        environment = {**settings, **os.environ}
        if broker == "kafka" and not environment.get("KAFKA_BOOTSTRAP_SERVERS"):
            environment["KAFKA_BOOTSTRAP_SERVERS"] = running.enter_context(KafkaServer()).bootstrap_servers
        yield environment


class _Run:
    """One run of a profile on a ready stack."""

    def __init__(
        self, profile: Profile, outcome: Outcome, head: Head, document: Mapping[str, Any], family: Family
    ) -> None:
        self._profile = profile
        self._outcome = outcome
        self._sites = head.sites
        self._document = document
        self._target: Target = target_of(dict(document))
        self._schemas = [service.replace("-", "_") for service in document["pids"]]
        self._family = family
        self._seed = head.seed

    def measure(self, records: Sequence[Record], say: Callable[[str], object]) -> None:
        """File the properties and submissions, play the rounds, measure, and judge the books."""
        with (
            Watch(self._target) as watch,
            Publisher(
                self._target.bootstrap_servers,
                partition=self._profile.partition,
                linger_ms=0 if self._profile.paced else 5,
            ) as publisher,
        ):
            self._file(watch, records)
            bench = Bench(watch, publisher)
            warm, measured = records[:WARM_UP_ROUNDS], records[WARM_UP_ROUNDS:]
            bench.play(warm, [0.0] * len(warm))
            self._at_rest(bench, watch)
            samples, sent, since = self._play(bench, watch, measured)
            say(f"{self._outcome.rounds_per_second:,.0f} rounds/s; judging")
            self._judge(watch, records, samples, sent, since)

    def _file(self, watch: Watch, records: Sequence[Record]) -> None:
        submissions = [each for site in self._sites for each in site.submissions]
        file_and_approve(self._target, [site.document for site in self._sites], submissions)
        watch.wait_for_properties(len(self._sites), seconds=_SUBMISSION_SECONDS)
        watch.wait_for_submissions(
            len(submissions), seconds=_SUBMISSION_SECONDS, schemas=("round_settlement", "reporting")
        )
        beside = [schema for schema in self._schemas if schema in _AT_PROPERTIES]
        watch.wait_for_properties(len(self._sites), seconds=_SUBMISSION_SECONDS, schemas=beside)
        beside = [schema for schema in beside if schema in _UNDER_SUBMISSIONS]
        watch.wait_for_submissions(len(submissions), seconds=_SUBMISSION_SECONDS, schemas=beside)
        open_all(self._document["services"], tokens_of(dict(self._document)), self._sites, records)

    def _at_rest(self, bench: Bench, watch: Watch) -> None:
        """Wait until every service has processed all messages sent so far."""
        bench.committed()
        readers = [schema for schema in self._schemas if watch.reads(schema, SETTLEMENTS.name)]
        for schema in readers:
            bench.reached(lambda schema=schema: watch.read(schema, SETTLEMENTS.name), watch.entries)  # type: ignore[misc]

    def _play(self, bench: Bench, watch: Watch, records: Sequence[Record]) -> tuple[Samples, dict[Any, float], int]:
        outcome = self._outcome
        disk, settled, used = self._disk(), watch.settled(), self._family.used()
        with Sampler(self._target.conninfo, self._schemas, self._family) as sampler:
            began = time.monotonic()
            sent = bench.play(records, due(self._profile.stages, self._seed), self._interventions(len(records)))
            outcome.produced_seconds = time.monotonic() - began
            bench.committed()
            outcome.committed_seconds = time.monotonic() - began
            self._at_rest(bench, watch)
            outcome.everywhere_seconds = time.monotonic() - began
        used = self._family.used().since(used)
        outcome.processor_us = {name: 1e6 * each / len(records) for name, each in used.processes.items() if each > 0}
        outcome.machine_us = 1e6 * used.machine / len(records)
        outcome.counted_once = used.counted_once
        outcome.disk_bytes = {name: (size - disk.get(name, 0)) / len(records) for name, size in self._disk().items()}
        return sampler.samples, sent, settled

    def _interventions(self, rounds: int) -> Mapping[int, Callable[[], object]]:
        killed = self._profile.killed
        return {} if killed is None else {rounds // 2: lambda: os.kill(self._document["pids"][killed], signal.SIGKILL)}

    def _judge(
        self, watch: Watch, records: Sequence[Record], samples: Samples, sent: Mapping[Any, float], settled: int
    ) -> None:
        outcome, servers = self._outcome, self._target.bootstrap_servers
        events, published = list(stored(servers, TABLE_EVENTS.name)), list(stored(servers, SETTLEMENTS.name))
        found = timing.moments(self._target.conninfo, self._schemas)
        found["everywhere"] = timing.everywhere(found)
        outcome.age_ms = {name: ages(sent, seen) for name, seen in found.items() if seen}
        outcome.lag = lag_of(samples, sorted(sent.values()), settled, self._schemas)
        outcome.growth = growth_of(samples)
        outcome.memory_mb = memory_of(samples)
        verdict, expected = Verdict(), Expected(self._sites)
        judge_journal(verdict, self._target, records, expected, events, published)
        judge_services(verdict, self._target, expected, self._schemas)
        judge_refused(verdict, self._target, self._schemas)
        watch.wait_for_checkpoints(seconds=_CHECKPOINT_SECONDS, schemas=self._schemas)
        outcome.verdict = verdict_document(verdict, verified(self._document, verdict))

    def _disk(self) -> dict[str, float]:
        """Return the size of each schema, and of all write-ahead log written so far, in bytes by name."""
        with psycopg.connect(self._target.conninfo) as connection:
            sizes: dict[str, float] = dict(connection.execute(_BYTES, (self._schemas,)).fetchall())
            row = connection.execute(_WAL).fetchone()
        assert row is not None
        return {**sizes, "write-ahead log": row[0]}


def verified(document: Mapping[str, Any], verdict: Verdict) -> list[dict[str, Any]]:
    """Run `pitledger verify` on every journal of a stack; return its output, and add failures to the verdict."""
    words = [f"--service={service}" for service in document["pids"]]
    environment = {**os.environ, **environment_of(dict(document))}
    found = subprocess.run([*_VERIFY, *words], env=environment, stdout=subprocess.PIPE, check=False)  # noqa: S603
    said = [json.loads(line) for line in found.stdout.splitlines()]
    verdict.require(found.returncode == 0, f"`pitledger verify` ended with exit code {found.returncode}")
    silent = set(document["pids"]) - {each["service"] for each in said}
    verdict.require(not silent, f"`pitledger verify` says nothing of {', '.join(sorted(silent))}")
    return said


def lines(outcome: Outcome) -> Iterator[str]:
    """Yield the figures as lines to print."""
    each = outcome.processor_us
    changed = " and changes" if outcome.source.changed else ""
    yield f"{outcome.profile}: {outcome.about} ({outcome.source.commit[:8]}{changed}, {outcome.broker} broker)"
    yield (
        f"  {outcome.rounds:,} rounds of {outcome.tables:,} tables: "
        f"{outcome.rounds_per_second:,.0f} rounds/s committed, "
        f"{outcome.rounds / outcome.everywhere_seconds:,.0f} in every service; "
        f"load {outcome.load_before:.1f} before, {outcome.load_after:.1f} after"
    )
    named = ", ".join(f"{name} {us:,.0f}" for name, us in sorted(each.items(), key=lambda item: -item[1]) if us >= 1)
    yield f"  processor, µs a round: {sum(each.values()):,.0f} of {outcome.machine_us:,.0f} of the machine: {named}"
    for name, percents in outcome.age_ms.items():
        yield f"  age, ms, {name}: " + ", ".join(f"p{percent} {ms:,.1f}" for percent, ms in percents.items())
    yield "  memory, MB at most: " + ", ".join(f"{name} {mb['peak']:,.0f}" for name, mb in outcome.memory_mb.items())
    yield "  bytes a round: " + ", ".join(f"{name} {size:,.0f}" for name, size in outcome.disk_bytes.items())
    compared = ", ".join(f"{number:,} {what}" for what, number in outcome.verdict["compared"].items())
    yield f"  verdict: {'the books are right' if outcome.verdict['holds'] else 'WRONG'}; compared {compared}"
    yield from (f"  wrong: {each}" for each in outcome.verdict["differences"])
    if not outcome.counted_once:
        yield "  wrong: the processes have used more than the machine: one of them was counted twice"


def main(words: Sequence[str] | None = None) -> int:
    """Run profiles; print and store their figures; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m loadtest.bench.load", description=__doc__.split("\n\n")[0])
    parser.add_argument("profiles", nargs="+", choices=sorted(PROFILES), metavar="PROFILE", help=", ".join(PROFILES))
    parser.add_argument(
        "--scale",
        type=float,
        default=1.0,
        help="factor by which the number of rounds is multiplied (default: %(default)s)",
    )
    parser.add_argument("--seed", type=int, default=1, help="random seed of the simulated games (default: %(default)s)")
    parser.add_argument(
        "--broker",
        choices=("embedded", "kafka"),
        default="embedded",
        help="broker to start if KAFKA_BOOTSTRAP_SERVERS is not set",
    )
    parser.add_argument("--corpora", type=Path, default=DIRECTORY, help="directory of the generated input records")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to which the results are appended")
    options = parser.parse_args(words)
    wrong = False
    for name in options.profiles:
        profile = replace(PROFILES[name], stages=scaled(PROFILES[name].stages, options.scale))
        outcome = run(name, profile, seed=options.seed, broker=options.broker, directory=options.corpora, say=_say)
        keep(outcome, options.results)
        sys.stdout.writelines(f"{line}\n" for line in lines(outcome))
        wrong = wrong or not outcome.verdict["holds"] or not outcome.counted_once
    return 1 if wrong else 0


def _say(what: str) -> None:
    sys.stderr.write(f"loadtest: {what}\n")


if __name__ == "__main__":
    sys.exit(main())
