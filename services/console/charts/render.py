"""Render a chart's specification, with the configuration of a theme, as SVG by Vega-Lite without a browser."""

from typing import Any, Final
from xml.sax.saxutils import escape

import vl_convert

from services.console.charts.chart import Chart
from services.console.charts.theme import Theme, document_of

_VEGA_LITE: Final = "6.4"


def draw(document: dict[str, Any]) -> bytes:
    """Return the SVG of a Vega-Lite document; equal documents give equal bytes. Drawing holds the interpreter lock.

    Nothing is fetched, because a document contains its data. Raises: ValueError if the document cannot be drawn.
    """
    svg: str = vl_convert.vegalite_to_svg(document, vl_version=_VEGA_LITE, allowed_base_urls=[])
    head, end, rest = svg.partition(">")
    title = escape(document["usermeta"]["title"])
    return f'{head} role="img"{end}<title>{title}</title>{rest}'.encode()


def render(chart: Chart, theme: Theme) -> bytes:
    """Return the picture of a chart as SVG. Blocks; services use `Renderer` instead."""
    return draw(document_of(chart, theme))
