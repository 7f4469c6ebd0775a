"""A chart: its caption, its table, and its picture's Vega-Lite specification. No I/O; amounts are cents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

from services.console.words import say

Unit = Literal["text", "day", "moment", "cents", "count", "number"]
"""The type of a table column; `number` is a decimal text with its sign, such as a z-score."""

Row = Mapping[str, Any]
Spec = Mapping[str, Any]
"""A Vega-Lite document without its theme."""

Names = Mapping[str, str]

WIDTH: Final = 640
"""Width of the plotting area in pixels of the SVG; pages scale it."""

MARKS_MAX: Final = 40
"""Maximum number of rows drawn: more would not be legible."""


@dataclass(frozen=True, slots=True)
class ChartColumn:
    """A column of the table behind a chart."""

    name: str
    title: str
    unit: Unit = "text"


@dataclass(frozen=True)
class Chart:
    """A chart: `name` is part of its URL; `caption` and `alt` describe it; `rows` is its whole table.

    `note` states which rows the picture omits; the picture shows this text.
    """

    name: str
    title: str
    caption: str
    alt: str
    columns: tuple[ChartColumn, ...]
    rows: tuple[Row, ...]
    spec: Spec
    note: str | None = None

    @cached_property
    def empty(self) -> bool:
        """Return whether there is nothing to draw; the caption then states why."""
        return not self.rows


def columns_of(titles: str, **units: Unit) -> tuple[ChartColumn, ...]:
    """Return a chart's table columns, given their units by name; `titles` is the key of the titles in words.yaml."""
    return tuple(ChartColumn(name, say(f"{titles}.{name}"), unit) for name, unit in units.items())


def empty_chart(name: str, title: str, columns: tuple[ChartColumn, ...], why: str) -> Chart:
    """Return a chart without data, whose caption and picture state the reason."""
    spec = {
        "width": WIDTH,
        "height": 60,
        "data": {"values": [{"why": why}]},
        "mark": {"type": "text", "style": "words"},
        "encoding": {"text": {"field": "why", "type": "nominal"}},
    }
    return Chart(name, title, why, why, columns, (), spec)


def section_of(document: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """Return the rows of a section of a report; empty if the report has no such section."""
    return next((one["rows"] for one in document["content"]["sections"] if one["name"] == name), [])


def drawn_of(rows: Sequence[Row], left_out: str) -> tuple[Sequence[Row], str | None]:
    """Return the first rows to draw, and a note (text `left_out` in words.yaml) if some are omitted, else None."""
    if len(rows) <= MARKS_MAX:
        return rows, None
    left = len(rows) - MARKS_MAX
    return rows[:MARKS_MAX], say(left_out, drawn=MARKS_MAX, left=f"{left:,}", all=f"{len(rows):,}")


def period_of(document: Mapping[str, Any]) -> str:
    """Return the period of a report as text, such as `gaming days 2026-11-20 to 2026-11-22`."""
    return days_of(document["first_day"], document["last_day"])


def days_of(first: str, last: str) -> str:
    """Return a period of gaming days as text.

    >>> days_of("2026-11-20", "2026-11-22")
    'gaming days 2026-11-20 to 2026-11-22'
    """
    return say("charts.period.day" if first == last else "charts.period.days", first=first, last=last)
