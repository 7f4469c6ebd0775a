"""Generate the tables of docs/performance.md from the stored runs, so that no figure is copied by hand.

  python -m loadtest.bench.performance

Each table is between two comments in the page, `measured: NAME` and `end of measured`. A profile's row shows its last
run with correct books. A table without stored runs is not changed.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from loadtest import peers
from loadtest.bench import shards
from loadtest.bench.outcome import RESULTS, kept
from loadtest.bench.profiles import PROFILES
from loadtest.peers import table
from loadtest.traffic.progress import SETTLEMENT

PAGE: Final = Path("docs/performance.md")
_TABLE: Final = re.compile(r"(<!-- measured: (\w+) -->\n).*?(<!-- end of measured -->)", re.DOTALL)

_FULL: Final = 0.05
"""Windows with less than this share of all rounds are omitted: at the end of a run, services wait for each other."""

Run = Mapping[str, Any]


def runs_table(runs: Iterable[Run]) -> Iterator[str]:
    """Yield the table of profiles with their last runs; latencies are shown only if all rounds were paced."""
    yield (
        "| profile | commit | load | rounds | rounds/s | committed p50, p99, p99.9 ms | everywhere p50, p99 ms "
        "| behind at most | processor |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for run in runs:
        ages = run["age_ms"] if all(stage["rate"] for stage in run["stages"]) else {}
        age, everywhere = ages.get("committed", {}), ages.get("everywhere", {})
        behind = max((point.get(SETTLEMENT, 0) for point in run["lag"]), default=0)
        yield _row(
            run["profile"],
            _commit(run),
            f"{run['load_before']:.1f}",
            f"{run['rounds']:,}",
            f"{run['rounds_per_second']:,.0f}",
            _ages(age, "50", "99", "99.9"),
            _ages(everywhere, "50", "99"),
            f"{behind:,} rounds",
            f"{run['processor_us_total']:,.0f} µs",
        )


def parts_table(runs: Iterable[Run]) -> Iterator[str]:
    """Yield the table of CPU microseconds per round by part, and of bytes per round on disk."""
    names = ("round-settlement", "reporting", "postgres", "broker", "this harness")
    yield "| profile | round settlement | reporting | PostgreSQL | broker | harness | others | journal, B | all, B |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for run in runs:
        us, disk = run["processor_us"], run["disk_bytes"]
        others = sum(us.values()) - sum(us.get(name, 0) for name in names)
        tables = sum(size for name, size in disk.items() if name != "write-ahead log")
        each = (f"{us.get(name, 0):,.0f}" for name in names)
        yield _row(run["profile"], *each, f"{others:,.0f}", f"{disk['round_settlement']:,.0f}", f"{tables:,.0f}")


def memory_table(runs: Iterable[Run]) -> Iterator[str]:
    """Yield the table of memory before and after a run, of services and PostgreSQL, in megabytes."""
    yield "| profile | rounds | round settlement | reporting | PostgreSQL |"
    yield "|---|---|---|---|---|"
    for run in runs:
        memory = run["memory_mb"]
        each = (memory.get(name, {}) for name in ("round-settlement", "reporting", "postgres"))
        cells = (
            f"{one['before']:,.0f} → {one['after']:,.0f}, at most {one['peak']:,.0f}" if one else "" for one in each
        )
        yield _row(run["profile"], f"{run['rounds']:,}", *cells)


def growth_table(runs: Iterable[Run]) -> Iterator[str]:
    """Yield the table of the cost of a round in the first and last full windows, for unpaced runs."""
    yield "| profile | rounds in the journal | processor of a round | rounds/s |"
    yield "|---|---|---|---|"
    for run in runs:
        if any(stage["rate"] for stage in run["stages"]):
            continue  # if paced, the CPU time of a round includes idle work of the services
        windows = [each for each in run["growth"] if each["rounds"] >= run["rounds"] * _FULL]
        for each in windows[:1] + windows[1:][-1:]:
            cells = f"{each['rounds_before']:,}", f"{each['processor_us']:,.0f} µs", f"{each['rounds_per_second']:,.0f}"
            yield _row(run["profile"], *cells)


def page(text: str, tables: Mapping[str, Sequence[str]]) -> str:
    """Return the page with its tables replaced. Raises: ValueError if the page lacks the comments of a table."""
    places = {name for _, name, _ in _TABLE.findall(text)}
    if missing := tables.keys() - places:
        raise ValueError(f"{PAGE} has no place for {', '.join(sorted(missing))}")

    def filled(found: re.Match[str]) -> str:
        if (lines := tables.get(found[2])) is None:
            return found[0]
        return found[1] + "".join(f"{line}\n" for line in lines) + found[3]

    return _TABLE.sub(filled, text)


def right(runs: Iterable[Run]) -> list[Run]:
    """Return the last run with correct books of each profile, in the order of the profiles."""
    last = {run["profile"]: run for run in runs if run["verdict"]["holds"]}
    return [last[name] for name in PROFILES if name in last]


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _commit(run: Run) -> str:
    return f"{run['source']['commit'][:8]}{'*' if run['source']['changed'] else ''}"


def _ages(found: Mapping[str, float], *percents: str) -> str:
    return ", ".join(f"{found[percent]:,.0f}" for percent in percents if percent in found)


def _last(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text().splitlines()[-1]))


def main(words: Sequence[str] | None = None) -> int:
    """Write the tables for which figures are stored; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m loadtest.bench.performance", description=__doc__.split("\n\n")[0])
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--results", type=Path, default=RESULTS.parent, help="directory of the stored results")
    options = parser.parse_args(words)
    tables: dict[str, Sequence[str]] = {}
    if (path := options.results / RESULTS.name).exists():
        runs = right(kept(path))
        tables |= {"runs": list(runs_table(runs)), "parts": list(parts_table(runs))}
        tables |= {"memory": list(memory_table(runs)), "growth": list(growth_table(runs))}
    if (path := options.results / peers.RESULTS.name).exists():
        tables["peers"] = list(table.lines(_last(path)["peers"]))
    if (path := options.results / shards.RESULTS.name).exists():
        tables["shards"] = list(shards.lines([shards.Point(**each) for each in _last(path)["points"]]))
    options.page.write_text(page(options.page.read_text(), tables))
    sys.stdout.write(f"{options.page}: {', '.join(tables) or 'nothing is kept'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
