"""Chart specification: actual values against expectation and control bands, one row each; alarms differ in shape."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, get_args

from services.console.charts.chart import WIDTH, Row
from services.console.words import say

Standing = Literal["as expected", "beyond 2", "beyond 3", "alarm"]

SAID: Final[Mapping[Standing, str]] = {one: say(f"charts.standing.{one}") for one in get_args(Standing)}
_SHAPES: Final = ("circle", "triangle-up", "diamond", "cross")
_ROW_PX: Final = 20


def standing_of(z: float | None, *, alarmed: bool = False) -> Standing:
    """Return the classification of a row: as expected, beyond 2 or 3 standard deviations, or an alarm.

    >>> standing_of(-2.5), standing_of(None), standing_of(0.1, alarmed=True)
    ('beyond 2', 'as expected', 'alarm')
    """
    if alarmed:
        return "alarm"
    if z is None or abs(z) <= 2:
        return "as expected"
    return "beyond 2" if abs(z) <= 3 else "beyond 3"


def banded(
    drawn: Sequence[Row],
    note: str | None,
    *,
    axis: Mapping[str, Any],
    scale: Mapping[str, Any],
    known: Sequence[Standing],
) -> dict[str, Any]:
    """Return the Vega-Lite specification for rows with `label`, `actual`, `expected`, `standing` and two bands' limits.

    The bands run from `low_3` to `high_3` and from `low_2` to `high_2`; a row without limits has only its mark. `known`
    are the classifications that the legend lists.
    """
    y = {
        "field": "label",
        "type": "nominal",
        "sort": None,
        "title": None,
        "axis": {"grid": False, "ticks": False},
        "scale": {"paddingInner": 0.3},
    }
    names = [SAID[one] for one in known]
    quantity = {"type": "quantitative", "scale": dict(scale)}

    def x(field: str, **more: Any) -> dict[str, Any]:
        return {"field": field, **quantity, **more}

    has_bands = [{"filter": "isValid(datum.low_3)"}]
    bars = [
        {
            "transform": has_bands,
            "mark": {"type": "bar", "style": band, "height": {"band": 1}},
            "encoding": {"x": x(f"low_{number}", axis=dict(axis)), "x2": {"field": f"high_{number}"}},
        }
        for band, number in (("outer", 3), ("inner", 2))
    ]
    return {
        **({} if note is None else {"title": note}),
        "width": WIDTH,
        "height": {"step": _ROW_PX},
        "data": {"values": list(drawn)},
        "encoding": {"y": y},
        "layer": [
            *bars,
            {
                "transform": [{"filter": "isValid(datum.expected)"}],
                "mark": {"type": "tick", "style": "expected", "thickness": 2, "height": {"band": 1}},
                "encoding": {"x": x("expected")},
            },
            {
                "mark": {"type": "point", "style": "mark"},
                "encoding": {
                    "x": x("actual"),
                    "color": {
                        "field": "said",
                        "type": "nominal",
                        "scale": {"domain": names, "range": "category"},
                        "legend": {"title": None},
                    },
                    "shape": {
                        "field": "said",
                        "type": "nominal",
                        "scale": {"domain": names, "range": list(_SHAPES[: len(names)])},
                        "legend": {"title": None},
                    },
                },
            },
        ],
    }
