"""Drop by hour, as far as it is known before anything is counted: what tables sold; from the drop and win summary."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from services.console.charts.amounts import dollar_axis, dollars, in_dollars, plural
from services.console.charts.chart import WIDTH, Chart, ChartColumn, empty_chart, period_of, section_of

_NAME: Final = "drop-by-hour"
_COLUMNS: Final = (
    ChartColumn("hour", "Hour", "moment"),
    ChartColumn("sales", "Sales", "count"),
    ChartColumn("sold_for_currency_cents", "For currency", "cents"),
    ChartColumn("checks_issued_cents", "For Counter Checks", "cents"),
    ChartColumn("sold_cents", "Sold", "cents"),
)
_KINDS: Final = {"sold_for_currency_cents": "for currency", "checks_issued_cents": "for Counter Checks"}
_HOURS_MAX: Final = 48
"""A gaming day has 25 hours at the most; what was entered late may lie beside them."""
_HOUR_PX: Final = 26


def drop_by_hour(document: Mapping[str, Any], zone: str) -> Chart:
    """Return what tables sold for currency and Counter Checks in each hour of a gaming day.

    `document` is the report `drop-and-win` of a gaming day as JSON, of all tables, of a game or of one table; `zone` is
    the time zone of the property.
    """
    where = document.get("table") or document.get("game") or "all tables"
    title = f"Drop by hour, as sold at {where}"
    rows = section_of(document, "hours")
    if not rows:
        why = f"No chips were sold at {where} on {period_of(document)}, or it is more than one gaming day."
        return empty_chart(_NAME, title, _COLUMNS, why)
    hours = _hours(rows, ZoneInfo(zone))
    clocks = [one["clock"] for one in hours]
    note = None
    if len(hours) > _HOURS_MAX:
        left = len(hours) - _HOURS_MAX
        note = f"The last {_HOURS_MAX} hours; {left:,} before them are left out here. The table has all."
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
            "y": {"field": "dollars", "type": "quantitative", "axis": dollar_axis("sold in the hour")},
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
    """Return the hours from the first to the last, those without sales included, with the property's clock."""
    known = {datetime.fromisoformat(row["hour"]): row for row in rows}
    nothing = dict.fromkeys(_KINDS, 0)
    found, hour = [], min(known)
    while hour <= max(known):
        clock = hour.astimezone(zone).isoformat()  # with its offset: an hour of autumn comes twice
        found.append({"clock": clock, **{column: known.get(hour, nothing)[column] for column in _KINDS}})
        hour += timedelta(hours=1)
    return found


def _caption(where: str, document: Mapping[str, Any]) -> str:
    return (
        f"Chips sold for currency and for Counter Checks at {where} on {period_of(document)}, by the hour, on the "
        "clock of the property: what the drop boxes should hold once they are counted. Hours without a bar "
        "had no sale."
    )


def _alt(title: str, rows: list[dict[str, Any]], document: Mapping[str, Any], zone: str) -> str:
    most = max(rows, key=lambda row: row["sold_cents"])
    clock = datetime.fromisoformat(most["hour"]).astimezone(ZoneInfo(zone))
    return (
        f"{title}, {period_of(document)}: {dollars(sum(row['sold_cents'] for row in rows))} in "
        f"{plural(len(rows), 'hour')}, most of it, {dollars(most['sold_cents'])}, in the hour from {clock:%H:%M}."
    )
