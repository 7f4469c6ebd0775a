"""Heat map of pace by table and local hour; from the report `pace`."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from services.console.charts.amounts import in_dollars
from services.console.charts.chart import WIDTH, Chart, columns_of, empty_chart, period_of, section_of
from services.console.words import counted, say

Measure = Literal["rounds_per_hour", "handle_per_hour_cents"]
"""The figure that a heat map shows for each hour."""

MEASURES: Final[tuple[Measure, ...]] = ("rounds_per_hour", "handle_per_hour_cents")

_COLUMNS: Final = columns_of(
    "charts.pace.columns",
    table="text",
    game="text",
    hour="text",
    rounds="count",
    rounds_per_hour="number",
    seats_per_round="number",
    wager_cents="cents",
    handle_per_hour_cents="cents",
)
_TABLES_MAX: Final = 60
_ROW_PX: Final = 26
_HOUR_PX: Final = 44


def pace_by_hour(document: Mapping[str, Any], measure: Measure) -> Chart:
    """Return a heat map of tables by hour in the property's time zone.

    `document` is the report `pace` as JSON. The hours start after the longest break in play, so that a night's hours
    are contiguous.
    """
    title = say(f"charts.pace.title.{measure}")
    rows = section_of(document, "hours")
    if not rows:
        return empty_chart(_name(measure), title, _COLUMNS, say("charts.pace.empty", period=period_of(document)))
    tables = sorted({row["table"] for row in rows})
    note = None
    if len(tables) > _TABLES_MAX:
        note = say("charts.pace.left_out", drawn=_TABLES_MAX, left=f"{len(tables) - _TABLES_MAX:,}")
        tables = tables[:_TABLES_MAX]
    hours = _in_order({int(row["hour"][:2]) for row in rows})
    kept = set(tables)
    drawn = [_drawn(row, measure) for row in rows if row["table"] in kept]
    place = {
        "x": {
            "field": "hour",
            "type": "ordinal",
            "sort": hours,
            "axis": {"title": say("charts.pace.axis"), "orient": "top", "labelAngle": 0, "ticks": False, "grid": False},
        },
        "y": {"field": "table", "type": "ordinal", "sort": tables, "axis": {"title": None, "ticks": False}},
    }
    spec = {
        **({} if note is None else {"title": note}),
        "width": {"step": _HOUR_PX} if len(hours) * _HOUR_PX > WIDTH else WIDTH,
        "height": {"step": _ROW_PX},
        "data": {"values": drawn},
        "encoding": place,
        "layer": [
            {
                "mark": {"type": "rect", "style": "cell"},
                "encoding": {
                    "opacity": {
                        "field": "value",
                        "type": "quantitative",
                        "scale": {"range": [0.1, 0.6], "zero": True},
                        "legend": None,
                    }
                },
            },
            {
                "mark": {"type": "text", "style": "amount"},
                "encoding": {"text": {"field": "shown", "type": "nominal"}},
            },
        ],
    }
    caption = say(f"charts.pace.caption.{measure}", period=period_of(document))
    return Chart(
        _name(measure), title, caption, _alt(title, rows, measure, document), _COLUMNS, tuple(rows), spec, note
    )


def _in_order(hours: set[int]) -> list[str]:
    """Return hours of the day in order of play: the first hour is the one after the longest break.

    >>> _in_order({0, 1, 20, 23})
    ['20:00', '23:00', '00:00', '01:00']
    """
    before = sorted(hours)
    gaps = {hour: (hour - earlier) % 24 for earlier, hour in zip([before[-1], *before], before, strict=False)}
    first = max(gaps, key=lambda hour: (gaps[hour], -hour))
    return [f"{hour:02}:00" for hour in sorted(hours, key=lambda hour: (hour - first) % 24)]


def _name(measure: Measure) -> str:
    return f"pace-{measure.removesuffix('_cents').replace('_', '-')}"


def _drawn(row: Mapping[str, Any], measure: Measure) -> dict[str, Any]:
    value = _value(row, measure)
    return {"table": row["table"], "hour": row["hour"], "value": value, "shown": f"{value:,.0f}"}


def _value(row: Mapping[str, Any], measure: Measure) -> float:
    """Return the value of a measure in an hour, with money in dollars.

    0 if the hour has no value, because all of its play was at a single instant.
    """
    found = row[measure]
    if found is None:
        return 0.0
    return in_dollars(found) if measure == "handle_per_hour_cents" else float(found)


def _alt(title: str, rows: list[dict[str, Any]], measure: Measure, document: Mapping[str, Any]) -> str:
    most = max(rows, key=lambda row: _value(row, measure))
    return say(
        "charts.pace.alt",
        title=title,
        period=period_of(document),
        tables=counted("charts.pace.tables", len({row["table"] for row in rows})),
        table=most["table"],
        hour=most["hour"],
        most=f"{_value(most, measure):,.0f}",
    )
