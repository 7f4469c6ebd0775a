"""Measure end to end on one machine: rounds from Kafka to the journal, compared with a raw COPY of the rows.

  python -m loadtest.bench.throughput --rounds 20000 --tables 12

It starts its own stack, generates all events before timing starts, and measures:

- throughput: a number of rounds produced as fast as the broker accepts them;
- latency: rounds produced at a modest, even rate, each from its due time to its entry's `recorded_at`;
- CPU time by process, while throughput is measured;
- a raw COPY of the same entries into an identical table without triggers;
- decoding and settling alone, in this process, as a share of the total.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import repeat
from pathlib import Path
from typing import Final

import psycopg

from loadtest.bench.baseline import copy_baseline
from loadtest.bench.figures import Alone, Latency, Measured, Throughput, lines
from loadtest.bench.outcome import ages, processors
from loadtest.bench.processes import Family
from loadtest.bench.profiles import SETTLEMENT, SPINE, WARM_UP_ROUNDS
from loadtest.bench.replay import Bench
from loadtest.bench.stack import ASKED_OFTEN, more_processes, started_stack, target_of
from loadtest.floor.devices import Devices
from loadtest.floor.floor_day import opening
from loadtest.floor.game import TablePlan
from loadtest.floor.games import pit, rules_submissions
from loadtest.floor.messages import Message, day
from loadtest.floor.property import property_document
from loadtest.traffic.progress import Watch
from loadtest.traffic.publish import Publisher
from loadtest.traffic.registry import file_and_approve
from loadtest.traffic.target import Target
from shared.contracts.tables import READER, RoundCompleted
from shared.rules import compile_rules
from shared.runtime.process_memory import raise_gc_threshold

PROPERTY: Final = "loadtest"

_SUBMISSION_SECONDS: Final = 60.0
_SAMPLE_ROUNDS: Final = 2000
_PERCENTILES: Final = (50, 95, 99, 100)


def measure(
    target: Target,
    *,
    family: Family,
    rounds: int,
    tables: int,
    seed: int,
    latency_rate: int,
    latency_seconds: int,
    signed: bool = False,
) -> Measured:
    """Measure a running stack; `family` is the stack's group of processes.

    With `signed`, devices sign the rounds, and the property requires signatures. Raises: TooSlow, NotDelivered.
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
        # Reporting has read a submission once it has computed the exact house edges of its wagers, which takes a while.
        watch.wait_for_properties(1, seconds=_SUBMISSION_SECONDS)
        watch.wait_for_submissions(
            len(submissions), seconds=_SUBMISSION_SECONDS, schemas=("round_settlement", "reporting")
        )
        bench = _Measuring(target, watch, publisher, family)
        bench.run(events[:WARM_UP_ROUNDS])
        throughput = bench.throughput(events[WARM_UP_ROUNDS : WARM_UP_ROUNDS + rounds])
        latency = bench.latency(events[WARM_UP_ROUNDS + rounds :], latency_rate)
    return Measured(
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        cpus=processors(),
        tables=tables,
        seed=seed,
        throughput=throughput,
        latency=latency,
        baseline=copy_baseline(target.conninfo),
        alone=measure_alone(events[:_SAMPLE_ROUNDS], plans),
    )


class _Measuring(Bench):
    """Plays messages to one stack, and measures them."""

    def __init__(self, target: Target, watch: Watch, publisher: Publisher, family: Family) -> None:
        super().__init__(watch, publisher)
        self._target = target
        self._family = family

    def run(self, messages: Sequence[Message]) -> None:
        """Play messages without measuring (warm-up), and wait until reporting has processed them."""
        self.play(messages, repeat(0.0, len(messages)))
        self.committed()
        self.reported()

    def throughput(self, messages: Sequence[Message]) -> Throughput:
        before, used = self._watch.settled(), self._family.used()
        started = time.monotonic()
        self.play(messages, repeat(0.0, len(messages)))
        produced = time.monotonic()
        self.reached(self._watch.settled, lambda: before + 1)
        first_commit, first = time.monotonic(), self._watch.settled() - before
        self.committed()
        committed = time.monotonic()
        self.reported()
        reported = time.monotonic()
        used = self._family.used().since(used)
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
            cpu_seconds={name: round(seconds, 2) for name, seconds in used.processes.items()},
        )

    def latency(self, messages: Sequence[Message], rate: int) -> Latency:
        due = self.play(messages, (number / rate for number in range(len(messages))))
        self._publisher.flush()
        self.committed()
        with psycopg.connect(self._target.conninfo) as connection:
            rows = connection.execute(
                "SELECT source, sequence, extract(epoch FROM recorded_at)::float8 FROM round_settlement.entries "
                "WHERE kind = 'settlement.posted' AND source LIKE '/properties/%'"
            ).fetchall()
        recorded = {(source, sequence): moment for source, sequence, moment in rows}
        assert due.keys() <= recorded.keys(), f"{len(due.keys() - recorded.keys())} rounds are not in the journal"
        found = ages(due, recorded)
        return Latency(len(messages), rate, {percent: found[str(percent)] for percent in _PERCENTILES})

    def _postings_per_round(self) -> float:
        with psycopg.connect(self._target.conninfo) as connection:
            row = connection.execute(
                "SELECT (SELECT count(*) FROM round_settlement.postings)::float8 / count(*) "
                "FROM round_settlement.entries WHERE kind = 'settlement.posted'"
            ).fetchone()
        assert row is not None
        return float(row[0])


def measure_alone(messages: Sequence[Message], plans: Sequence[TablePlan]) -> Alone:
    """Return the times for decoding and settling a round, measured in this process in two separate loops."""
    rules = {plan.name: compile_rules(plan.regulation, plan.submission) for plan in plans}
    raise_gc_threshold()
    started = time.perf_counter()
    events = [READER.decode(message.value) for message in messages]
    decoded = time.perf_counter()
    for event in events:
        assert isinstance(event, RoundCompleted)
        rules[event.data.table].settle(event.data.round)
    settled = time.perf_counter()
    count = len(messages)
    return Alone(1e6 * (decoded - started) / count, 1e6 * (settled - decoded) / count)


def options_of(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options parsed from these arguments, by default from the process's arguments."""
    parser = argparse.ArgumentParser(prog="python -m loadtest", description=__doc__.split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=20_000, help="number of rounds to measure (default: %(default)s)")
    parser.add_argument("--tables", type=int, default=48, help="number of tables (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="random seed of the simulated games (default: %(default)s)")
    parser.add_argument(
        "--latency-rate",
        type=int,
        default=100,
        help="rounds per second while latency is measured (default: %(default)s)",
    )
    parser.add_argument(
        "--latency-seconds",
        type=int,
        default=10,
        help="duration of the latency measurement, in seconds (default: %(default)s)",
    )
    parser.add_argument(
        "--at-least", type=int, default=0, help="exit with 1 if fewer rounds than this are settled per second"
    )
    parser.add_argument("--all-services", action="store_true", help="also run the services that do not settle rounds")
    parser.add_argument(
        "--processes", type=int, default=1, help="number of processes of round settlement (default: %(default)s)"
    )
    parser.add_argument("--signed", action="store_true", help="have the table's device sign each round")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of lines")
    return parser.parse_args(words)


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print; return the exit code: 1 if the throughput is below `--at-least`, else 0."""
    options = options_of(words)
    environment = {**ASKED_OFTEN, **os.environ}
    with (
        started_stack(*(() if options.all_services else SPINE), environment=environment) as (document, pid),
        more_processes(document, {SETTLEMENT: options.processes}, environment) as more,
    ):
        measured = measure(
            target_of(document),
            family=Family(pid, os.getpid(), *more, logs=Path(document["logs"])),
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
