"""Measure the CPU cost of traces per round, in alternating runs with and without traces.

  python -m loadtest.bench.traces --rounds 12000 --turns 4

Each turn plays the same rounds, unpaced, to one stack per variant (with and without traces), alternating which variant
is first. A stack runs only the services of the spine. Spans are exported to an endpoint in this process. Rounds are
sent without a trace context, so that each round starts a trace in settlement.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from loadtest.bench.collector import Collector, collecting
from loadtest.bench.processes import Family, load
from loadtest.bench.profiles import SETTLEMENT, SPINE, WARM_UP_ROUNDS
from loadtest.bench.stack import started_stack, target_of
from loadtest.bench.throughput import measure

_REPORTING: Final = "reporting"
OFF: Final = "off"
WAYS: Final[Mapping[str, Mapping[str, str]]] = {
    OFF: {"OTEL_SDK_DISABLED": "true"},
    "on, 1% sampled": {"OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.01"},
    "on, 100% sampled": {},
}
_OF_ONE: Final = ("process one of table.events", "process one of settlements")
"""The names of the spans of one round, each in the trace that its producer began."""


@dataclass(frozen=True, slots=True)
class Run:
    """The result of one run: CPU microseconds of both services per round, and the number of spans per round."""

    way: str
    turn: int
    us: float
    spans: float


def lines(runs: Sequence[Run]) -> Iterator[str]:
    """Yield the results as a Markdown table."""
    off = {run.turn: run.us for run in runs if run.way == OFF}
    yield "| traces | µs a round, median | least to most | to off, median of the turns | spans a round |"
    yield "|---|---|---|---|---|"
    for way in WAYS:
        found = [run for run in runs if run.way == way]
        us = [run.us for run in found]
        ratio, spans = median(run.us / off[run.turn] for run in found), median(run.spans for run in found)
        yield f"| {way} | {median(us):,.0f} | {min(us):,.0f} to {max(us):,.0f} | {ratio:.2f} | {spans:.2f} |"


def ways(turn: int) -> list[str]:
    """Return the variants in the order for a turn; each turn starts with a different variant."""
    names = list(WAYS)
    return names[turn % len(names) :] + names[: turn % len(names)]


def run(way: str, turn: int, *, rounds: int, tables: int, seed: int) -> Run:
    """Play rounds to a new stack; return the result. Raises: TooSlow, NotDelivered."""
    with collecting() as collector:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
        environment = {**clean, "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, **WAYS[way]}
        with started_stack(*SPINE, environment=environment) as (document, pid):
            measured = measure(
                target_of(document),
                family=Family(pid, os.getpid(), logs=Path(document["logs"])),
                rounds=rounds,
                tables=tables,
                seed=seed,
                latency_rate=1,
                latency_seconds=1,
            )
        used = measured.throughput.cpu_seconds
        us = 1e6 * (used[SETTLEMENT] + used[_REPORTING]) / rounds
        return Run(way, turn, us, _of_rounds(collector) / (WARM_UP_ROUNDS + rounds + 1))


def _of_rounds(collector: Collector) -> int:
    return sum(span.name in _OF_ONE for span in collector.spans)


def main(words: Sequence[str] | None = None) -> int:
    """Measure, and print the table; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m loadtest.bench.traces", description=__doc__.split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=12_000, help="number of rounds to measure (default: %(default)s)")
    parser.add_argument(
        "--turns", type=int, default=4, help="number of runs with traces, and of runs without (default: %(default)s)"
    )
    parser.add_argument("--tables", type=int, default=48, help="number of tables (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="random seed of the simulated games (default: %(default)s)")
    options = parser.parse_args(words)
    runs = []
    for turn in range(options.turns):
        for way in ways(turn):
            found = run(way, turn, rounds=options.rounds, tables=options.tables, seed=options.seed)
            sys.stderr.write(f"turn {turn + 1}, {way}: {found.us:,.0f} µs a round, load {load():.1f}\n")
            runs.append(found)
    sys.stdout.writelines(f"{line}\n" for line in lines(runs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
