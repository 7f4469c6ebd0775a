"""Generate a self-contained page with plots of the stored runs.

python -m loadtest.bench.results_page --results var/loadtest/results.jsonl --to var/loadtest/report.html
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final

from loadtest.bench.outcome import RESULTS, kept
from loadtest.bench.plots import bars, curves

PAGE: Final = Path("var/loadtest/report.html")

_STYLE: Final = """
body { font: 14px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #222 }
table { border-collapse: collapse; margin: 1rem 0 } td, th { padding: .2rem .7rem; border-bottom: 1px solid #ddd }
td + td, th + th { text-align: right } section { border-top: 2px solid #444; margin-top: 2.5rem }
.wrong { color: #b00020; font-weight: 600 } svg { margin: .5rem 1rem .5rem 0; max-width: 100% }"""

Run = Mapping[str, Any]


def page(runs: Sequence[Run]) -> str:
    """Return the page: a table of all runs, then the plots of the last run of each profile."""
    last = {run["profile"]: run for run in runs}
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8><title>Pitledger under load</title>",
        f"<style>{_STYLE}</style><h1>Pitledger under load</h1>",
        _table(("profile", "commit", "rounds/s", "µs a round", "p50", "p99", "everywhere p99", "verdict"), _rows(runs)),
        _compared(list(last.values())),
        *(section for run in last.values() for section in _section(run)),
        "</html>",
    ]
    return "\n".join(parts)


def _rows(runs: Iterable[Run]) -> Iterator[Sequence[str]]:
    for run in runs:
        age, everywhere = run["age_ms"].get("committed", {}), run["age_ms"].get("everywhere", {})
        yield (
            run["profile"],
            f"{run['source']['commit'][:8]}{'*' if run['source']['changed'] else ''}",
            f"{run['rounds_per_second']:,.0f}",
            f"{run['processor_us_total']:,.0f}",
            _ms(age, "50"),
            _ms(age, "99"),
            _ms(everywhere, "99"),
            "right" if run["verdict"]["holds"] else "WRONG",
        )


def _compared(runs: Iterable[Run]) -> str:
    rows = [
        {"profile": run["profile"], "of": name, "processor, µs a round": us}
        for run in runs
        for name, us in run["processor_us"].items()
    ]
    return bars("Processor of a round", rows, x="processor, µs a round", y="profile", of="of") if rows else ""


def _section(run: Run) -> Iterator[str]:
    """Yield the section of one run."""
    source = run["source"]["commit"][:8] + (" with changes" if run["source"]["changed"] else "")
    verdict = run["verdict"]
    yield f"<section><h2>{escape(run['profile'])}</h2><p>{escape(run['about'])}. {escape(run['at'])}, {source},"
    yield f"{escape(run['broker'])} broker, {run['processors']} processors, load {run['load_before']:.1f} before"
    yield f"and {run['load_after']:.1f} after. {run['rounds']:,} rounds of {run['tables']:,} tables.</p>"
    compared = ", ".join(f"{number:,} {escape(what)}" for what, number in verdict["compared"].items())
    if verdict["holds"]:
        yield f"<p>The books are right: {compared}.</p>"
    else:
        yield "".join(f"<p class=wrong>{escape(each)}</p>" for each in verdict["differences"])
    ages = [(name, *(_ms(found, each) for each in found)) for name, found in run["age_ms"].items()]
    if ages:
        yield _table(("age, ms", *(f"p{each}" for each in next(iter(run["age_ms"].values())))), ages)
    lag = [
        {"seconds": point["seconds"], "rounds behind": behind, "service": name}
        for point in run["lag"]
        for name, behind in point.items()
        if name != "seconds"
    ]
    if lag:
        yield curves("Rounds behind", lag, x="seconds", y="rounds behind", of="service")
    growth = [
        {"rounds in the journal": each["rounds_before"], "µs a round": each["processor_us"], "of": "all processes"}
        for each in run["growth"]
    ]
    if growth:
        yield curves(
            "What a round costs as the journal grows", growth, x="rounds in the journal", y="µs a round", of="of"
        )
    memory = [(name, *(f"{mb[when]:,.0f}" for when in ("before", "peak", "after"))) for name, mb in _memory(run)]
    yield _table(("memory, MB", "before", "peak", "after"), memory)
    disk = [(name, f"{size:,.0f}") for name, size in run["disk_bytes"].items()]
    yield _table(("bytes a round", ""), disk) + "</section>"


def _memory(run: Run) -> Iterable[tuple[str, Mapping[str, float]]]:
    return sorted(run["memory_mb"].items(), key=lambda item: -item[1]["peak"])


def _ms(found: Mapping[str, float], percent: str) -> str:
    return f"{found[percent]:,.1f}" if percent in found else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    return f"<table>{row(head, 'th')}{''.join(row(each, 'td') for each in rows)}</table>"


def main(words: Sequence[str] | None = None) -> int:
    """Write the page; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m loadtest.bench.results_page", description=__doc__.split("\n\n")[0])
    parser.add_argument("--results", type=Path, default=RESULTS, help="file of the stored results")
    parser.add_argument("--to", type=Path, default=PAGE, help="output file for the page")
    options = parser.parse_args(words)
    options.to.write_text(page(kept(options.results)))
    sys.stdout.write(f"{options.to}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
