"""The figures of a run: ages, lag, memory, what a round cost as the journal grew; and the page that shows them."""

from pathlib import Path
from typing import Any

import pytest

from loadtest.bench.outcome import Outcome, Source, ages, growth_of, keep, kept, lag_of, memory_of, thinned
from loadtest.bench.processes import Used
from loadtest.bench.replay import Bench, Place
from loadtest.bench.results_page import page
from loadtest.bench.sampling import Resources, Sample, Samples, place_of
from loadtest.bench.timing import everywhere
from loadtest.traffic.progress import TooSlow


def sample(at: float, settled: int, reported: int) -> Sample:
    """Two services, two partitions of each topic, evenly."""
    events = {("table.events", number): settled // 2 for number in (0, 1)}
    published = {("settlements", number): reported // 2 for number in (0, 1)}
    return Sample(at, {"round_settlement": events, "reporting": published})


SAMPLES = Samples(
    [sample(100.0, 0, 0), sample(101.0, 40, 20), sample(102.0, 80, 60), sample(103.0, 100, 100)],
    [
        Resources(100.0, {"postgres": 50_000_000}, Used({"postgres": 1.0}, 2.0)),
        Resources(101.0, {"postgres": 90_000_000}, Used({"postgres": 1.4}, 3.0)),
        Resources(103.0, {"postgres": 60_000_000}, Used({"postgres": 1.7}, 4.0)),
    ],
)


def test_ages_are_percentiles_from_the_moment_something_was_due() -> None:
    """A hundred waits of 1 to 100 ms; what was never seen is left out."""
    since = dict.fromkeys(range(101), 5.0)
    until = {number: 5.0 + (number + 1) / 1000 for number in range(100)}
    found = ages(since, until)
    assert {"50": 50.0, "95": 95.0, "99": 99.0, "99.9": 100.0, "100": 100.0} == pytest.approx(found)
    assert {} == ages({}, {})


def test_lag_is_what_was_due_and_is_not_yet_read() -> None:
    """Of 100 rounds within two seconds, 20 before."""
    sent = [100.0 + number / 50 for number in range(80)]
    curve = lag_of(SAMPLES, sent, 20, ["round_settlement", "reporting"])
    assert [0.0, 1.0, 2.0, 3.0] == [point["seconds"] for point in curve]
    assert [21, 31, 20, 0] == [point["round_settlement"] for point in curve]
    assert [20, 20, 0] == [point["reporting"] for point in curve[1:]]


def test_what_a_round_costs_is_told_by_windows_of_the_growing_journal() -> None:
    """0.4 s of a processor for 40 rounds, then 0.3 s for 60."""
    growth = growth_of(SAMPLES)
    assert [0, 40] == [each["rounds_before"] for each in growth]
    assert [10_000, 5_000] == pytest.approx([each["processor_us"] for each in growth])
    assert [40, 30] == pytest.approx([each["rounds_per_second"] for each in growth])


def test_memory_is_told_before_at_its_peak_and_after() -> None:
    """In megabytes."""
    assert {"postgres": {"before": 50.0, "peak": 90.0, "after": 60.0}} == memory_of(SAMPLES)


def test_everywhere_is_where_the_last_has_it() -> None:
    """What one of the services has not seen is nowhere."""
    one, other = ("a", 1), ("a", 2)
    found: dict[str, dict[Place, float]] = {
        "recorded": {one: 1.0},
        "committed": {one: 1.5},
        "x": {one: 2.0, other: 9.0},
        "y": {one: 3.0},
    }
    assert {one: 3.0} == everywhere(found)
    assert {} == everywhere({"recorded": {one: 1.0}})


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("settlements/3", ("settlements", 3)),
        ("table.events/11@97afd420", ("table.events", 11)),
        ("commands/x", None),
    ],
)
def test_a_shard_says_which_partition_it_follows(name: str, place: Any) -> None:
    """Also that of a topic that was made anew; commands follow none."""
    assert place == place_of(name)


def test_a_curve_is_thinned_evenly() -> None:
    """Its ends stay."""
    assert [0, 33, 66, 99] == list(thinned(range(100), 4))
    assert [1, 2] == list(thinned([1, 2], 4))


def outcome(**changes: Any) -> Outcome:
    """A run."""
    figures: dict[str, Any] = {
        "at": "2026-05-09T12:00:00+00:00",
        "profile": "casino",
        "about": "a casino <at> its peak",
        "source": Source("0123456789abcdef", changed=True),
        "broker": "embedded",
        "processors": 2,
        "load_before": 0.1,
        "rounds": 100,
        "tables": 48,
        "committed_seconds": 2.0,
        "everywhere_seconds": 3.0,
        "processor_us": {"postgres": 100.0, "round-settlement": 300.0},
        "age_ms": {"committed": {"50": 10.0, "99": 20.0}, "everywhere": {"50": 30.0, "99": 60.0}},
        "memory_mb": memory_of(SAMPLES),
        "disk_bytes": {"round_settlement": 2000.0},
        "lag": lag_of(SAMPLES, [100.0], 0, ["reporting"]),
        "growth": growth_of(SAMPLES),
        "verdict": {"holds": True, "compared": {"rounds": 100}, "differences": []},
    }
    return Outcome(**(figures | changes))


def test_runs_are_kept_one_a_line(tmp_path: Path) -> None:
    """With the commit and the sums that readers ask for."""
    results = tmp_path / "some" / "results.jsonl"
    keep(outcome(), results)
    keep(outcome(profile="spike"), results)
    first, second = kept(results)
    assert ["casino", "spike"] == [first["profile"], second["profile"]]
    assert "0123456789abcdef" == first["source"]["commit"]
    assert 50.0 == first["rounds_per_second"]
    assert 400.0 == first["processor_us_total"]


def test_the_page_has_everything_in_it() -> None:
    """Plots as SVG, figures, the verdict; nothing is loaded from anywhere."""
    wrong = {"holds": False, "compared": {}, "differences": ["entry 6 of shard x: <data> does not follow"]}
    shown = page([outcome().as_document(), outcome(profile="spike", verdict=wrong).as_document()])
    assert 5 == shown.count("<svg")  # the processor of all, lag and growth of each
    assert "a casino &lt;at&gt; its peak" in shown
    assert "entry 6 of shard x: &lt;data&gt; does not follow" in shown
    assert not any(loads in shown for loads in ("src=", "<link", "<script", "@import", "url(http"))


def test_the_source_is_named_by_its_commit() -> None:
    """In a repository; where there is none, it is unknown."""
    found = Source.here()
    assert found.commit == "unknown" or 40 == len(found.commit)


class _Standing:
    """A stack that reads nothing."""

    def settled(self) -> int:
        return 3


def test_a_bench_says_where_it_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    """What makes no progress for long is given up, with how far it came."""
    monkeypatch.setattr("loadtest.bench.replay._STALLED_SECONDS", 0.0)
    publisher: Any = type("Publisher", (), {"poll": lambda _: None})()
    watch: Any = _Standing()
    bench = Bench(watch, publisher)
    bench.produced = 5
    with pytest.raises(TooSlow, match="3 of 5 records"):
        bench.committed()
