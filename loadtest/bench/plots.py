"""Plots as SVG, rendered from Vega-Lite by vl-convert. Rendering needs no browser, and pages need no network."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import vl_convert

Rows = Sequence[Mapping[str, Any]]

_VEGA_LITE: Final = "v5.20"
_WIDTH, _HEIGHT = 520, 180


def curves(title: str, rows: Rows, *, x: str, y: str, of: str) -> str:
    """Return a line chart as SVG, with field `x` on the x axis and one line per value of field `of`."""
    return _drawn(title, rows, "line", {"x": _axis(x), "y": _axis(y), "color": {"field": of, "type": "nominal"}})


def bars(title: str, rows: Rows, *, x: str, y: str, of: str) -> str:
    """Return a stacked bar chart as SVG, with one bar per value of field `y`, divided by field `of`."""
    encoding = {
        "x": _axis(x),
        "y": {"field": y, "type": "nominal", "sort": None, "title": None},
        "color": {"field": of, "type": "nominal"},
    }
    return _drawn(title, rows, "bar", encoding)


def _axis(name: str) -> dict[str, str]:
    return {"field": name, "type": "quantitative", "title": name}


def _drawn(title: str, rows: Rows, mark: str, encoding: Mapping[str, Any]) -> str:
    document = {
        "title": title,
        "width": _WIDTH,
        "height": _HEIGHT if mark == "line" else {"step": 18},
        "data": {"values": list(rows)},
        "mark": mark,
        "encoding": encoding,
    }
    return str(vl_convert.vegalite_to_svg(document, vl_version=_VEGA_LITE))
