"""Chart of chip sales by hour (the part of the drop known before the count); from the report `drop-and-win`."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from services.console.charts.amounts import dollar_axis, in_dollars
from services.console.charts.chart import WIDTH, Chart, columns_of, empty_chart, period_of, section_of
from services.console.money import dollars
from services.console.words import counted, said, say

_NAME: Final = "drop-by-hour"
_COLUMNS: Final = columns_of(
    "charts.hours.columns",
    hour="moment",
    sales="count",
    sold_for_currency_cents="cents",
    checks_issued_cents="cents",
    sold_cents="cents",
)
_KINDS: Final = said("charts.hours.kind")
"""The titles of the kinds of sale, by report column."""
_HOURS_MAX: Final = 48
"""Maximum number of hours drawn: a gaming day has at most 25, but late entries may fall outside of it."""
_HOUR_PX: Final = 26


def drop_by_hour(document: Mapping[str, Any], zone: str) -> Chart:
    """Return a chart of a gaming day's chip sales at tables, for currency and Counter Checks, by hour.

    `document` is the report `drop-and-win` of a gaming day as JSON, for all tables, one game or one table; `zone` is
    the time zone of the property.
    """
    where = document.get("table") or document.get("game") or say("charts.hours.all_tables")
    title = say("charts.hours.title", where=where)
    rows = section_of(document, "hours")
    if not rows:
        why = say("charts.hours.empty", where=where, period=period_of(document))
        return empty_chart(_NAME, title, _COLUMNS, why)
    hours = _hours(rows, ZoneInfo(zone))
    clocks = [one["clock"] for one in hours]
    note = None
    if len(hours) > _HOURS_MAX:
        note = say("charts.hours.left_out", drawn=_HOURS_MAX, left=f"{len(hours) - _HOURS_MAX:,}")
        hours, clocks = hours[-_HOURS_MAX:], clocks[-_HOURS_MAX:]
    drawn = [
        {"clock": one["clock"], "dollars": in_dollars(one[column]), "kind": kind, "order": order}
        for one in hours
        for order, (column, kind) in enumerate(_KINDS.items())
    ]
    spec = {
        **({} if note is None else {"title": note}),
        "width": {"step": _HOUR_PX} if len(hours) * _HOUR_PX > WIDTH else WIDTH,
        "height": 240,
        "data": {"values": drawn},
        "mark": {"type": "bar", "style": "solid"},
        "encoding": {
            "x": {
                "field": "clock",
                "type": "ordinal",
                "sort": clocks,
                "axis": {"title": None, "labelExpr": "slice(datum.label, 11, 13)", "labelAngle": 0, "ticks": False},
            },
            "y": {"field": "dollars", "type": "quantitative", "axis": dollar_axis(say("charts.hours.axis"))},
            "color": {
                "field": "kind",
                "type": "nominal",
                "scale": {"domain": list(_KINDS.values()), "range": "category"},
                "legend": {"title": None},
            },
            "order": {"field": "order", "type": "ordinal"},
        },
    }
    return Chart(
        _NAME, title, _caption(where, document), _alt(title, rows, document, zone), _COLUMNS, tuple(rows), spec, note
    )


def _hours(rows: list[dict[str, Any]], zone: ZoneInfo) -> list[dict[str, Any]]:
    """Return the sales of every hour from the first to the last with sales, with times in the property's time zone."""
    known = {datetime.fromisoformat(row["hour"]): row for row in rows}
    nothing = dict.fromkeys(_KINDS, 0)
    found, hour = [], min(known)
    while hour <= max(known):
        clock = hour.astimezone(zone).isoformat()  # with its offset: an hour in fall occurs twice
        found.append({"clock": clock, **{column: known.get(hour, nothing)[column] for column in _KINDS}})
        hour += timedelta(hours=1)
    return found


def _caption(where: str, document: Mapping[str, Any]) -> str:
    return say("charts.hours.caption", where=where, period=period_of(document))


def _alt(title: str, rows: list[dict[str, Any]], document: Mapping[str, Any], zone: str) -> str:
    most = max(rows, key=lambda row: row["sold_cents"])
    clock = datetime.fromisoformat(most["hour"]).astimezone(ZoneInfo(zone))
    return say(
        "charts.hours.alt",
        title=title,
        period=period_of(document),
        sold=dollars(sum(row["sold_cents"] for row in rows)),
        hours=counted("charts.hours.hour", len(rows)),
        most=dollars(most["sold_cents"]),
        hour=f"{clock:%H:%M}",
    )
