"""The figures of a run of a profile, stored as one line of JSON."""

import json
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from loadtest.bench.sampling import Resources, Samples
from loadtest.bench.verdict import Verdict
from loadtest.traffic.progress import SETTLEMENT
from shared.contracts.topics import SETTLEMENTS, TABLE_EVENTS

RESULTS: Final = Path("var/loadtest/results.jsonl")
PERCENTILES: Final = ("50", "95", "99", "99.9", "100")
_POINTS: Final = 400
"""The maximum number of stored points of a curve."""
_WINDOWS: Final = 10


@dataclass(frozen=True, slots=True)
class Source:
    """The measured source code: its commit, and whether files differ from the commit."""

    commit: str
    changed: bool

    @classmethod
    def here(cls) -> "Source":
        """Return the current source; outside of a git repository, its commit is unknown."""
        head, status = _git("rev-parse", "HEAD"), _git("status", "--porcelain")
        return cls(head or "unknown", bool(status))


@dataclass(slots=True, kw_only=True)
class Outcome:
    """The figures of one run.

    `age_ms` has the milliseconds from a record's due time until it was recorded, and until each service committed it,
    by stage and percentile. `processor_us` has CPU microseconds per round by process; `machine_us` those of the whole
    machine. `memory_mb` is in megabytes, `disk_bytes` in bytes per round.
    """

    at: str
    profile: str
    about: str
    source: Source
    broker: str
    processors: int
    load_before: float
    load_after: float = 0.0
    rounds: int = 0
    tables: int = 0
    stages: list[Mapping[str, float]] = field(default_factory=list)
    produced_seconds: float = 0.0
    committed_seconds: float = 0.0
    everywhere_seconds: float = 0.0
    processor_us: dict[str, float] = field(default_factory=dict)
    machine_us: float = 0.0
    counted_once: bool = True
    age_ms: dict[str, dict[str, float]] = field(default_factory=dict)
    memory_mb: dict[str, dict[str, float]] = field(default_factory=dict)
    disk_bytes: dict[str, float] = field(default_factory=dict)
    lag: list[Mapping[str, float]] = field(default_factory=list)
    growth: list[Mapping[str, float]] = field(default_factory=list)
    verdict: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rounds_per_second(self) -> float:
        """Return the rounds per second, from the first hand-over to the last commit."""
        return self.rounds / self.committed_seconds

    def as_document(self) -> dict[str, Any]:
        """Return the outcome as a JSON document."""
        us = sum(self.processor_us.values())
        return asdict(self) | {"rounds_per_second": self.rounds_per_second, "processor_us_total": us}


def ages(since: Mapping[Any, float], until: Mapping[Any, float]) -> dict[str, float]:
    """Return percentiles of the milliseconds between each item's times in `since` and `until` (100: maximum)."""
    waits = sorted(1000 * (until[name] - moment) for name, moment in since.items() if name in until)
    return {percent: round(_at(waits, float(percent)), 2) for percent in PERCENTILES} if waits else {}


def _at(ordered: Sequence[float], percent: float) -> float:
    return ordered[max(0, -int(-len(ordered) * percent // 100) - 1)]


def lag_of(samples: Samples, sent: Sequence[float], before: int, schemas: Iterable[str]) -> list[Mapping[str, float]]:
    """Return each service's lag in records, at seconds since the first record was due.

    `sent` are the due times of the records, in order; `before` is the number of records settled before the run.
    """
    curve: list[Mapping[str, float]] = []
    due = 0
    for sample in thinned(samples.places, _POINTS):
        while due < len(sent) and sent[due] <= sample.at:
            due += 1
        settled = sample.read(SETTLEMENT, TABLE_EVENTS.name)
        point: dict[str, float] = {"seconds": round(sample.at - sent[0], 3), SETTLEMENT: max(0, due - settled + before)}
        for schema in schemas:
            if schema != SETTLEMENT and (read := sample.read(schema, SETTLEMENTS.name)):
                point[schema] = max(0, settled - read)
        curve.append(point)
    return curve


def growth_of(samples: Samples) -> list[Mapping[str, float]]:
    """Return the cost of a round as the journal grows, in consecutive windows of about equally many rounds."""
    places = {sample.at: sample.read(SETTLEMENT, TABLE_EVENTS.name) for sample in samples.places}
    looks = [(_near(places, look.at), look) for look in samples.resources]
    if not looks:
        return []
    (least, _), (most, _) = looks[0], looks[-1]
    ends = {0: looks[0]}
    for number in range(1, _WINDOWS + 1):
        wanted = least + (most - least) * number / _WINDOWS
        first = next(place for place, (settled, _) in enumerate(looks) if settled >= wanted)
        ends[first] = looks[first]
    return [_window(*before, *after) for before, after in pairwise(ends.values())]


def _window(settled: int, before: Resources, settled_after: int, after: Resources) -> Mapping[str, float]:
    rounds = settled_after - settled
    return {
        "rounds_before": settled,
        "rounds": rounds,
        "rounds_per_second": rounds / (after.at - before.at),
        "processor_us": 1e6 * after.used.since(before.used).counted / rounds,
        "memory_mb": sum(after.memory.values()) / 1e6,
    }


def memory_of(samples: Samples) -> dict[str, dict[str, float]]:
    """Return the memory of each kind of process before the run, at its peak, and after the run, in megabytes."""
    found: dict[str, dict[str, float]] = {}
    for look in samples.resources:
        for name, size in look.memory.items():
            megabytes = round(size / 1e6, 1)
            one = found.setdefault(name, {"before": megabytes, "peak": megabytes, "after": megabytes})
            one["peak"], one["after"] = max(one["peak"], megabytes), megabytes
    return found


def verdict_document(verdict: Verdict, journals: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the verdict as a JSON document, including the problems that `pitledger verify` found."""
    verified = list(journals)
    for each in verified:
        for problem in each["problems"]:
            verdict.require(False, f"{each['service']}, shard {each['shard']}, entry {problem['entry']}: {problem}")
    verdict.count("shards verified", len(verified))
    return verdict.as_document()


def keep(outcome: Outcome, path: Path) -> None:
    """Append a run to the stored runs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps(outcome.as_document()) + "\n")


def kept(path: Path) -> list[dict[str, Any]]:
    """Return the stored runs, oldest first."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def thinned(items: Sequence[Any], most: int) -> Sequence[Any]:
    """Return at most `most` of the items, evenly spaced, including the first and the last."""
    if len(items) <= most:
        return items
    return [items[number * (len(items) - 1) // (most - 1)] for number in range(most)]


def _near(places: Mapping[float, int], moment: float) -> int:
    return places[min(places, key=lambda at: abs(at - moment))]


def _git(*words: str) -> str:
    try:
        found = subprocess.run(["git", *words], capture_output=True, text=True, check=True)  # noqa: S603, S607 - git
    except (OSError, subprocess.CalledProcessError):
        return ""
    return found.stdout.strip()


def processors() -> int:
    """Return the number of CPUs that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 0
