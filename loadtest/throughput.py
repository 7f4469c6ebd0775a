"""End to end on one machine: rounds produced to Kafka until committed in the journal, beside a raw COPY of the rows.

    python -m loadtest.throughput --rounds 20000 --tables 12

Starts a stack of its own, generates all events before any clock starts, and measures:

- throughput: a bounded number of rounds produced as fast as the broker takes them;
- latency: rounds produced at a modest, even rate, each from its hand-over to the producer to its entry's `recorded_at`;
- processor time by process, while throughput is measured;
- the same entries by raw COPY into an identical table without triggers;
- decoding and settling alone, in this process: their share in the whole.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final

import psycopg

from loadtest.baseline import copy_baseline
from loadtest.devices import Devices
from loadtest.figures import Alone, Latency, Measured, Throughput, lines
from loadtest.floor import opening
from loadtest.game import TablePlan
from loadtest.games import pit, rules_submissions
from loadtest.messages import Message, day
from loadtest.processes import processes_below
from loadtest.property import property_document
from loadtest.publish import Publisher
from loadtest.registry import file_and_approve
from loadtest.stack import running_stack
from loadtest.target import Target
from loadtest.watch import TooSlow, Watch
from shared.contracts.tables import READER, RoundCompleted
from shared.rules import compile_rules
from shared.runtime.collector import collect_seldom

PROPERTY: Final = "loadtest"
SPINE: Final = ("paytable-registry", "round-settlement", "reporting")
"""The services that a round passes on its way into the journal and the reports."""

WARM_UP_ROUNDS: Final = 600
"""Rounds that are played before anything is measured, so that every process has loaded what it needs."""

_POLL_SECONDS: Final = 0.01
_SUBMISSION_SECONDS: Final = 60.0
_DEADLINE_SECONDS: Final = 300.0
_SAMPLE_ROUNDS: Final = 2000
_PERCENTILES: Final = (50, 95, 99, 100)


def measure(
    target: Target,
    *,
    stack_pid: int,
    services: Mapping[int, str],
    rounds: int,
    tables: int,
    seed: int,
    latency_rate: int,
    latency_seconds: int,
    signed: bool = False,
) -> Measured:
    """Measure a running stack whose processes descend from `stack_pid`, with its services by process id.

    Where rounds are `signed`, the property requires it. Raises: TooSlow, NotDelivered.
    """
    plans = pit(tables)
    gaming_day = date.today() - timedelta(days=1)  # noqa: DTZ011 - any day that has passed everywhere will do
    latency_rounds = latency_rate * latency_seconds
    total = WARM_UP_ROUNDS + rounds + latency_rounds
    events = list(
        day(property_name=PROPERTY, plans=plans, gaming_day=gaming_day, seed=seed, rounds=total, plants=False)
    )
    submissions = rules_submissions(PROPERTY, plans, opening(gaming_day))
    document = property_document(PROPERTY, plans, gaming_day)
    devices = Devices([document]) if signed else None
    file_and_approve(target, [document] if devices is None else devices.documents, submissions)
    with Watch(target) as watch, Publisher(target.bootstrap_servers, devices=devices) as publisher:
        # Reporting knows a submission once it has counted the exact house edges of its wagers, which takes a while.
        watch.wait_for_properties(1, seconds=_SUBMISSION_SECONDS)
        watch.wait_for_submissions(
            len(submissions), seconds=_SUBMISSION_SECONDS, schemas=("round_settlement", "reporting")
        )
        bench = _Bench(target, watch, publisher, stack_pid, services)
        bench.run(events[:WARM_UP_ROUNDS])
        throughput = bench.throughput(events[WARM_UP_ROUNDS : WARM_UP_ROUNDS + rounds])
        latency = bench.latency(events[WARM_UP_ROUNDS + rounds :], latency_rate)
    return Measured(
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        cpus=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 0,
        tables=tables,
        seed=seed,
        throughput=throughput,
        latency=latency,
        baseline=copy_baseline(target.conninfo),
        alone=measure_alone(events[:_SAMPLE_ROUNDS], plans),
    )


class _Bench:
    """Produces to one stack and asks its database how far it is."""

    def __init__(
        self, target: Target, watch: Watch, publisher: Publisher, stack_pid: int, services: Mapping[int, str]
    ) -> None:
        self._target = target
        self._watch = watch
        self._publisher = publisher
        self._stack_pid = stack_pid
        self._names = {**services, os.getpid(): "this harness"}
        self._produced = 0

    def run(self, messages: Sequence[Message]) -> None:
        """Play messages without measuring."""
        self._produce(messages)
        self._reached(lambda: self._watch.settled() >= self._produced)
        self._reported()

    def throughput(self, messages: Sequence[Message]) -> Throughput:
        before = self._watch.settled()
        cpu_before = self._cpu_seconds()
        started = time.monotonic()
        self._produce(messages)
        produced = time.monotonic()
        self._reached(lambda: self._watch.settled() > before)
        first_commit, first = time.monotonic(), self._watch.settled() - before
        self._reached(lambda: self._watch.settled() >= self._produced)
        committed = time.monotonic()
        self._reported()
        reported = time.monotonic()
        cpu = {name: round(seconds - cpu_before.get(name, 0.0), 2) for name, seconds in self._cpu_seconds().items()}
        count = len(messages)
        return Throughput(
            rounds=count,
            event_bytes_mean=sum(len(message.value) for message in messages) / count,
            postings_per_round=self._postings_per_round(),
            produced_seconds=produced - started,
            committed_seconds=committed - started,
            reported_seconds=reported - started,
            rounds_per_second=count / (committed - started),
            rounds_per_second_from_first_commit=(count - first) / (committed - first_commit),
            cpu_seconds=cpu,
        )

    def latency(self, messages: Sequence[Message], rate: int) -> Latency:
        handed_over: dict[tuple[str, int | None], float] = {}
        started = time.monotonic()
        for number, message in enumerate(messages):
            due = started + number / rate
            while (wait := due - time.monotonic()) > 0:
                self._publisher.poll()
                time.sleep(min(wait, _POLL_SECONDS))
            handed_over[message.key, message.sequence] = self._publisher.send(message)
            self._produced += 1
        self._publisher.flush()
        self._reached(lambda: self._watch.settled() >= self._produced)
        with psycopg.connect(self._target.conninfo) as connection:
            rows = connection.execute(
                "SELECT source, sequence, extract(epoch FROM recorded_at)::float8 FROM round_settlement.entries "
                "WHERE kind = 'settlement.posted' AND source LIKE '/properties/%'"
            ).fetchall()
        waits = sorted(
            1000 * (recorded_at - handed_over[source, sequence])
            for source, sequence, recorded_at in rows
            if (source, sequence) in handed_over
        )
        assert len(waits) == len(messages), f"{len(waits)} of {len(messages)} rounds are in the journal"
        return Latency(
            rounds=len(messages),
            rounds_per_second=rate,
            milliseconds={
                percent: round(waits[max(0, -(-len(waits) * percent // 100) - 1)], 1) for percent in _PERCENTILES
            },
        )

    def _produce(self, messages: Sequence[Message]) -> None:
        for message in messages:
            self._publisher.send(message)
        self._produced += len(messages)

    def _reported(self) -> None:
        self._reached(lambda: self._watch.reported() >= self._watch.entries())

    def _reached(self, done: Callable[[], bool]) -> None:
        deadline = time.monotonic() + _DEADLINE_SECONDS
        while not done():
            self._publisher.poll()
            if time.monotonic() > deadline:
                raise TooSlow(f"{self._watch.settled()} of {self._produced} records after {_DEADLINE_SECONDS:.0f} s")
            time.sleep(_POLL_SECONDS)

    def _postings_per_round(self) -> float:
        with psycopg.connect(self._target.conninfo) as connection:
            row = connection.execute(
                "SELECT (SELECT count(*) FROM round_settlement.postings)::float8 / count(*) "
                "FROM round_settlement.entries WHERE kind = 'settlement.posted'"
            ).fetchone()
        assert row is not None
        return float(row[0])

    def _cpu_seconds(self) -> dict[str, float]:
        """Processor seconds so far, by what the process is."""
        used: dict[str, float] = {}
        family = {process.pid: process for root in (self._stack_pid, os.getpid()) for process in processes_below(root)}
        for process in family.values():
            name = self._names.get(process.pid) or _program(process.words)
            used[name] = used.get(name, 0.0) + process.cpu_seconds
        return used


def _program(words: Sequence[str]) -> str:
    program = Path(words[0]).name if words else "(ended)"
    return "postgres" if program.startswith("postgres") else program


def measure_alone(messages: Sequence[Message], plans: Sequence[TablePlan]) -> Alone:
    """Time decoding and settling of some rounds in this process as in a service's, each in its own loop."""
    rules = {plan.name: compile_rules(plan.regulation, plan.submission) for plan in plans}
    collect_seldom()
    started = time.perf_counter()
    events = [READER.decode(message.value) for message in messages]
    decoded = time.perf_counter()
    for event in events:
        assert isinstance(event, RoundCompleted)
        rules[event.data.table].settle(event.data.round)
    settled = time.perf_counter()
    count = len(messages)
    return Alone(1e6 * (decoded - started) / count, 1e6 * (settled - decoded) / count)


def main(words: Sequence[str] | None = None) -> int:
    """Measure and prints; gives the exit code: 0, or 1 where the throughput is below `--at-least`."""
    parser = argparse.ArgumentParser(prog="python -m loadtest.throughput", description=__doc__.split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=20_000, help="rounds to measure (default: %(default)s)")
    parser.add_argument("--tables", type=int, default=48, help="tables that play them (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="what is played (default: %(default)s)")
    parser.add_argument(
        "--latency-rate", type=int, default=100, help="rounds a second for latency (default: %(default)s)"
    )
    parser.add_argument("--latency-seconds", type=int, default=10, help="for so long (default: %(default)s)")
    parser.add_argument("--at-least", type=int, default=0, help="fail below so many rounds a second")
    parser.add_argument("--all-services", action="store_true", help="run those beside the path of a round, too")
    parser.add_argument("--signed", action="store_true", help="a device signs each round, as it is produced")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of lines")
    options = parser.parse_args(words)
    with running_stack(*(() if options.all_services else SPINE)) as (target, pid, services):
        measured = measure(
            target,
            stack_pid=pid,
            services=services,
            rounds=options.rounds,
            tables=options.tables,
            seed=options.seed,
            latency_rate=options.latency_rate,
            latency_seconds=options.latency_seconds,
            signed=options.signed,
        )
    sys.stdout.write(json.dumps(measured.as_document()) + "\n" if options.json else "\n".join(lines(measured)) + "\n")
    if measured.throughput.rounds_per_second < options.at_least:
        sys.stderr.write(
            f"{measured.throughput.rounds_per_second:,.0f} rounds/s; at least {options.at_least:,} wanted\n"
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
