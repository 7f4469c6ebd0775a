"""One page of a night: each part with its result and time, and the end of its log."""

from collections.abc import Sequence
from html import escape
from typing import Final

from tests.nightly.parts import Part, Result

_STYLE: Final = """
body { font: 14px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #222 }
table { border-collapse: collapse } td, th { padding: .3rem .7rem; border-bottom: 1px solid #ddd; text-align: left }
.wrong { color: #b00020; font-weight: 600 } pre { overflow-x: auto; background: #f6f6f6; padding: .5rem }"""
_HEADINGS: Final = ("part", "shows", "result", "minutes", "began at", "command")


def page(planned: Sequence[Part], results: Sequence[Result]) -> str:
    """Return the page: a row for each part that is planned, also for those that have not run."""
    done = {result.name: result for result in results}
    rows = "".join(_row(part, done.get(part.name)) for part in planned)
    head = "".join(f"<th>{each}</th>" for each in _HEADINGS)
    logs = "".join(f"<h2>{escape(one.name)}</h2><pre>{escape(chr(10).join(one.last_lines))}</pre>" for one in results)
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>Pitledger overnight</title>"
        f"<style>{_STYLE}</style><h1>Pitledger overnight</h1><table><tr>{head}</tr>{rows}</table>{logs}</html>\n"
    )


def _row(part: Part, result: Result | None) -> str:
    if result is None:
        said = ["not run", "", "", part.said]
    else:
        said = [result.outcome, f"{result.seconds / 60:.1f}", result.began_at, result.command]
    wrong = "" if said[0] == "passed" else " class=wrong"
    cells = "".join(f"<td>{escape(each)}</td>" for each in said[1:])
    return f"<tr><td>{escape(part.name)}</td><td>{escape(part.shows)}</td><td{wrong}>{said[0]}</td>{cells}</tr>"
