"""What traces cost: the table of the runs, and the order in which they are made."""

import os

import pytest

from loadtest.bench.collector import collecting
from loadtest.bench.traces import OFF, WAYS, Run, lines, ways
from shared.runtime.tracing.traces import exporting

_, SOME, ALL = WAYS


def test_each_way_is_compared_with_none_of_the_same_turn() -> None:
    """A machine that is slow in one turn is slow for all ways of it: medians of the ratios, not of the times."""
    runs = [Run(OFF, 0, 600, 0), Run(SOME, 0, 660, 0.02), Run(ALL, 0, 900, 2)]
    runs += [Run(ALL, 1, 1800, 1.9), Run(OFF, 1, 1000, 0), Run(SOME, 1, 1200, 0.02)]
    assert [
        "| off | 800 | 600 to 1,000 | 1.00 | 0.00 |",
        "| on, 1% sampled | 930 | 660 to 1,200 | 1.15 | 0.02 |",
        "| on, 100% sampled | 1,350 | 900 to 1,800 | 1.65 | 1.95 |",
    ] == list(lines(runs))[2:]


def test_each_turn_begins_with_another_way() -> None:
    """So none has the cold machine, or the warm one, each time."""
    orders = [ways(turn) for turn in range(len(WAYS))]
    assert [set(WAYS)] * len(WAYS) == [set(order) for order in orders]
    assert list(WAYS) == [first for first, *_ in orders]


def test_the_collector_says_what_was_exported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spans as OpenTelemetry's own exporter sends them, packed or not."""
    for name in [name for name in os.environ if name.startswith("OTEL_")]:
        monkeypatch.delenv(name)
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        for packing in ("none", "gzip"):
            monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", packing)
            provider = exporting("round-settlement")
            provider.get_tracer("test").start_span(packing).end()
            provider.shutdown()
        found = [(span.service, span.name) for span in collector.spans]
    assert [("pitledger-round-settlement", packing) for packing in ("none", "gzip")] == found
