"""The results of peers, and their output as a table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Kept:
    """A peer's results: rounds per second, CPU microseconds and bytes per round, latency percentiles in ms."""

    name: str
    keeps: str
    single_per_second: float
    single_us: float
    together_per_second: float
    together_us: float
    wait_ms: dict[str, float]
    bytes_a_round: float
    wrong: str | None


def lines(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the stored results of peers, given as JSON, as a Markdown table."""
    yield "| | keeps | 1 a commit, rounds/s | µs | 200 a commit, rounds/s | µs | p50, p99 at 25/s, ms | bytes | books |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for one in found:
        single, single_us, wait = one["single_per_second"], one["single_us"], one["wait_ms"]
        alone = f"{single:,.0f} | {single_us:,.0f}" if single else "as they come | "
        yield (
            f"| {one['name']} | {one['keeps']} | {alone} "
            f"| {one['together_per_second']:,.0f} | {one['together_us']:,.0f} "
            f"| {wait['50']:.1f}, {wait['99']:.1f} | {one['bytes_a_round']:,.0f} | {one['wrong'] or 'right'} |"
        )
