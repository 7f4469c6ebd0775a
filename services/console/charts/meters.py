"""Chart of a progressive meter's history: its displayed amount, and the awards and changes that moved it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import accumulate
from typing import Any, Final
from zoneinfo import ZoneInfo

from services.console.charts.amounts import dollar_axis, in_dollars
from services.console.charts.chart import WIDTH, Chart, Row, columns_of, empty_chart
from services.console.money import dollars
from services.console.words import counted, say

_NAME: Final = "meter-history"
_COLUMNS: Final = columns_of(
    "charts.meter.columns",
    number="count",
    at="moment",
    kind="text",
    table="text",
    award_cents="cents",
    shown_cents="cents",
)
_POINTS_MAX: Final = 400
"""Maximum number of points: the picture has too few pixels to show more."""
_EVENTS_MAX: Final = 60

_PLAY: Final = "round"
_HIT, _BACK, _CHANGE = (say(f"charts.meter.event.{event}") for event in ("hit", "back", "change"))
_SHAPES: Final = {_HIT: "diamond", _BACK: "cross", _CHANGE: "square"}


def meter_history(movements: Sequence[Mapping[str, Any]], zone: str) -> Chart:
    """Return a chart of a pool's displayed amount after each movement.

    `movements` are those of `GET /pools/{property}/{pool}/movements`; `zone` is the time zone of the property.
    """
    rows = sorted((_row(one) for one in movements), key=lambda row: int(row["number"]))
    if not rows:
        return empty_chart(_NAME, say("charts.meter.title"), _COLUMNS, say("charts.meter.empty"))
    pool = movements[0]["movement"]["pool"]
    title = say("charts.meter.title_of", pool=pool)
    clock = ZoneInfo(zone)
    kept, note = _kept(_in_order(rows))
    values = [_drawn(row, clock) for row in kept]
    x = {
        "field": "at",
        "type": "temporal",
        "scale": {"type": "utc"},  # local times of the property, written as if in UTC
        "axis": {"title": None, "labelOverlap": "greedy", "labelSeparation": 12, "labelExpr": _CLOCK},
    }
    y = {
        "field": "dollars",
        "type": "quantitative",
        "scale": {"zero": False, "nice": True},
        "axis": dollar_axis(say("charts.meter.axis")),
    }
    spec = {
        **({} if note is None else {"title": note}),
        "width": WIDTH,
        "height": 240,
        "data": {"values": values},
        "encoding": {"x": x, "y": y},
        "layer": [
            {"mark": {"type": "line", "style": "curve", "interpolate": "step-after"}},
            {
                "transform": [{"filter": "isValid(datum.event)"}],
                "mark": {"type": "point", "style": "mark", "size": 130},
                "encoding": {
                    "color": {
                        "field": "event",
                        "type": "nominal",
                        "scale": {"domain": ["", *_SHAPES], "range": "category"},
                        "legend": {"title": None, "values": list(_SHAPES)},
                    },
                    "shape": {
                        "field": "event",
                        "type": "nominal",
                        "scale": {"domain": ["", *_SHAPES], "range": ["circle", *_SHAPES.values()]},
                        "legend": {"title": None, "values": list(_SHAPES)},
                    },
                },
            },
        ],
    }
    return Chart(_NAME, title, _caption(pool), _alt(title, rows), _COLUMNS, tuple(rows), spec, note)


_CLOCK: Final = "utcFormat(datum.value, utchours(datum.value) || utcminutes(datum.value) ? '%H:%M' : '%b %-d')"


def _row(one: Mapping[str, Any]) -> dict[str, Any]:
    movement = one["movement"]
    return {
        "number": movement["number"],
        "at": one["at"],
        "kind": one["kind"],
        "table": one.get("table"),
        "award_cents": movement["award_cents"],
        "shown_cents": movement["shown_cents"],
    }


def _in_order(rows: Sequence[Row]) -> list[Row]:
    """Add to each movement the time at which to draw it (`drawn_at`), which never decreases from one to the next.

    If two tables feed a meter, one table may report late; its round moves the meter when the report arrives.
    """
    latest = accumulate((row["at"] for row in rows), lambda one, other: max(one, other, key=datetime.fromisoformat))
    return [{**row, "drawn_at": at} for row, at in zip(rows, latest, strict=True)]


def _event(row: Row) -> str | None:
    """Return the name of the event that moved the meter; None for wager contributions and for the opening amount."""
    if row["award_cents"] > 0:
        return _HIT
    if row["award_cents"] < 0 or "back" in row["kind"]:
        return _BACK
    return None if row["kind"] in (_PLAY, "seed") else _CHANGE


def _kept(rows: Sequence[Row]) -> tuple[list[Row], str | None]:
    """Return the movements to draw (ends, latest events with predecessors, a sample), and a note on omissions."""
    if len(rows) <= _POINTS_MAX:
        return list(rows), None
    events = [place for place, row in enumerate(rows) if _event(row)][-_EVENTS_MAX:]
    step = len(rows) / (_POINTS_MAX - 2 * len(events) - 2)
    places = {0, len(rows) - 1, *events, *(max(place - 1, 0) for place in events)}
    places |= {int(number * step) for number in range(int(len(rows) / step))}
    movements = counted("charts.meter.movement", len(rows))
    note = say("charts.meter.left_out", drawn=f"{len(places):,}", movements=movements)
    return [rows[place] for place in sorted(places)], note


def _drawn(row: Row, clock: ZoneInfo) -> dict[str, Any]:
    at = datetime.fromisoformat(row["drawn_at"]).astimezone(clock).replace(tzinfo=None)
    found = {"at": f"{at.isoformat(timespec='milliseconds')}Z", "dollars": in_dollars(row["shown_cents"])}
    event = _event(row)
    return found if event is None else {**found, "event": event}


def _caption(pool: str) -> str:
    return say("charts.meter.caption", pool=pool)


def _alt(title: str, rows: Sequence[Row]) -> str:
    awards = [row["award_cents"] for row in rows if row["award_cents"] > 0]
    paid = counted("charts.meter.awards", len(awards), sum=dollars(sum(awards)))
    return say(
        "charts.meter.alt",
        title=title,
        movements=counted("charts.meter.movement", len(rows)),
        first_at=rows[0]["at"],
        last_at=rows[-1]["at"],
        first=dollars(rows[0]["shown_cents"]),
        last=dollars(rows[-1]["shown_cents"]),
        awards=paid if awards else say("charts.meter.no_award"),
    )
