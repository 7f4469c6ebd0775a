"""Chart to SVG: its specification with the configuration of a theme, drawn by Vega-Lite without any browser."""

from typing import Any, Final
from xml.sax.saxutils import escape

import vl_convert

from services.console.charts.chart import Chart
from services.console.charts.theme import Theme, document_of

_VEGA_LITE: Final = "6.4"


def draw(document: dict[str, Any]) -> bytes:
    """Return the SVG of a document: the same bytes for the same document. It takes the interpreter for itself.

    Nothing is fetched: a document has its data with it. Raises: ValueError where it cannot be drawn.
    """
    svg: str = vl_convert.vegalite_to_svg(document, vl_version=_VEGA_LITE, allowed_base_urls=[])
    head, end, rest = svg.partition(">")
    title = escape(document["usermeta"]["title"])
    return f'{head} role="img"{end}<title>{title}</title>{rest}'.encode()


def render(chart: Chart, theme: Theme) -> bytes:
    """Return the picture of a chart as SVG. In a service, `Renderer` does it without making anybody wait."""
    return draw(document_of(chart, theme))
