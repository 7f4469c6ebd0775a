"""The figures of a throughput measurement, as JSON and as lines to print."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from loadtest.bench.baseline import Copied


@dataclass(frozen=True, slots=True)
class Throughput:
    """The rate at which rounds are committed.

    `committed_seconds` is the time from handing the first round to the producer to the last commit, and
    `rounds_per_second` the rate over that time. `rounds_per_second_from_first_commit` is the rate from the first
    observed commit to the last. `cpu_seconds` maps processes to CPU time.
    """

    rounds: int
    event_bytes_mean: float
    postings_per_round: float
    produced_seconds: float
    committed_seconds: float
    reported_seconds: float
    rounds_per_second: float
    rounds_per_second_from_first_commit: float
    cpu_seconds: dict[str, float]


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds from due time to recording, at a constant rate of rounds, by percentile (100: maximum)."""

    rounds: int
    rounds_per_second: float
    milliseconds: dict[int, float]


@dataclass(frozen=True, slots=True)
class Alone:
    """The microseconds for decoding and settling one round, measured in isolation."""

    decode_microseconds: float
    settle_microseconds: float


@dataclass(frozen=True, slots=True)
class Measured:
    """All figures of one throughput measurement."""

    at: str
    cpus: int
    tables: int
    seed: int
    throughput: Throughput
    latency: Latency
    baseline: Copied
    alone: Alone

    @property
    def ratio(self) -> float:
        """Return the end-to-end rounds per second as a fraction of the rate of a raw COPY."""
        return self.throughput.rounds_per_second / self.baseline.entries_per_second

    @property
    def share(self) -> float:
        """Return the time for decoding and settling a round as a fraction of the end-to-end time per round."""
        alone = (self.alone.decode_microseconds + self.alone.settle_microseconds) / 1e6
        return alone * self.throughput.rounds_per_second

    def as_document(self) -> dict[str, Any]:
        """Return the figures as a JSON document."""
        return asdict(self) | {
            "ratio_to_raw_copy": self.ratio,
            "raw_copy_entries_per_second": self.baseline.entries_per_second,
            "share_of_decode_and_settle": self.share,
        }


def lines(measured: Measured) -> Iterator[str]:
    """Yield the figures as lines to print."""
    through, latency, baseline, alone = measured.throughput, measured.latency, measured.baseline, measured.alone
    waits = ", ".join(f"p{percent} {ms:.0f} ms" for percent, ms in latency.milliseconds.items())
    used = sum(through.cpu_seconds.values())

    def figure(name: str, value: str, unit: str, remark: str) -> str:
        return f"{name:<12} {value:>9} {unit:<9} {remark}".rstrip()

    yield f"{measured.at}, {measured.cpus} processors, {measured.tables} tables, seed {measured.seed}"
    yield (
        f"{through.rounds:,} rounds of {through.event_bytes_mean:,.0f} bytes, "
        f"{through.postings_per_round:.1f} postings each, produced in {through.produced_seconds:.2f} s"
    )
    yield ""
    rate, after_first = through.rounds_per_second, through.rounds_per_second_from_first_commit
    yield figure("end to end", f"{rate:,.0f}", "rounds/s", "from the first event produced to the last commit")
    yield figure("", f"{after_first:,.0f}", "rounds/s", "from the first commit to the last")
    yield figure("", f"{through.rounds / through.reported_seconds:,.0f}", "rounds/s", "until all of it is reported")
    copied = f"{baseline.entries_per_second:,.0f}"
    yield figure("raw COPY", copied, "rounds/s", "the same entries and indexes, no triggers")
    yield figure("ratio", f"{measured.ratio:.1%}", "", "end to end to raw COPY")
    yield figure("latency", f"{latency.milliseconds[50]:.0f}", "ms", f"at {latency.rounds_per_second:.0f}/s: {waits}")
    yield figure(
        "alone",
        f"{alone.decode_microseconds + alone.settle_microseconds:.0f}",
        "µs/round",
        f"decode {alone.decode_microseconds:.0f}, settle {alone.settle_microseconds:.0f}: "
        f"{measured.share:.1%} of the whole",
    )
    yield figure("processor", f"{1e6 * used / through.rounds:,.0f}", "µs/round", f"{used:.1f} s in all, of which")
    for name, seconds in sorted(through.cpu_seconds.items(), key=lambda item: -item[1]):
        yield figure("", f"{1e6 * seconds / through.rounds:,.0f}", "µs/round", name)
