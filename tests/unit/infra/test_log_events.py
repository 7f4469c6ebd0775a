"""The log events of services: constant words, each logged for one thing, and each in docs/log-events.md."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "log-events.md"
LEVELS = {"debug", "info", "warning", "error", "exception", "critical"}
SAID_BY_ALL = {"started", "stopped"}
"""The same event, wherever it happens."""


@cache
def events() -> tuple[tuple[str | None, str], ...]:
    """Return what is logged, with its place; None where it is no constant."""
    return tuple(_events())


def _events() -> Iterator[tuple[str | None, str]]:
    for path in sorted((*ROOT.glob("shared/**/*.py"), *ROOT.glob("services/**/*.py"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="log"), attr=level), args=[first, *_]):
                    if level in LEVELS:
                        place = f"{path.relative_to(ROOT)}:{node.lineno}"
                        yield (str(first.value) if isinstance(first, ast.Constant) else None), place


def test_events_are_constant() -> None:
    """But for clients that are cut off: each reason has lines of its own, so that a flood for one hides no other."""
    assert ["shared/runtime/http/connection_limits.py"] == [
        place.partition(":")[0] for event, place in events() if event is None
    ]


def test_an_event_is_logged_for_one_thing() -> None:
    """In one place: whoever looks for it finds what happened."""
    found = Counter(event for event, _ in events() if event is not None)
    assert SAID_BY_ALL == {event for event, number in found.items() if number > 1}


def test_the_page_has_each_event_and_no_other() -> None:
    """With when it is logged and what to do."""
    rows = [line.split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    listed = [re.findall("`(.+?)`", row[0])[0] for row in rows if row[0] != "| `event`"]
    assert len(listed) == len(set(listed))
    assert {event for event, _ in events() if event is not None} == set(listed)
