"""The light and the dark theme of charts, in colors that color-blind people can tell apart (Okabe and Ito)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from services.console.charts.chart import Chart

Theme = Literal["light", "dark"]

FONT: Final = "system-ui, 'Segoe UI', Roboto, 'Liberation Sans', 'DejaVu Sans', Arial, sans-serif"
"""Fonts installed on the reader's machine, because pictures must not fetch fonts."""

TEXT_PX: Final = 12
"""Size of labels in pixels; axis titles are larger. No text is below eleven pixels."""


@dataclass(frozen=True, slots=True)
class Palette:
    """The colors of a theme.

    `inner` and `outer` are the control bands. `kinds` are the colors of marks in this order: as expected (or the first
    of several series), beyond two standard deviations, beyond three, alarm.
    """

    page: str
    text: str
    quiet: str
    grid: str
    inner: str
    outer: str
    kinds: tuple[str, ...]


PALETTES: Final[Mapping[Theme, Palette]] = {
    "light": Palette(
        page="#ffffff",
        text="#1c1f23",
        quiet="#4d545c",
        grid="#e3e6e9",
        inner="#bcd9ee",
        outer="#e2eef7",
        kinds=("#0072b2", "#b36f00", "#d55e00", "#a8407f"),
    ),
    "dark": Palette(
        page="#1c2220",
        text="#eceff2",
        quiet="#b4bcc4",
        grid="#30363c",
        inner="#24506e",
        outer="#1b3345",
        kinds=("#56b4e9", "#e69f00", "#ff7f41", "#e59ccb"),
    ),
}
"""Blue, orange, vermillion and reddish purple of Okabe and Ito, darkened or lightened for contrast with the page."""


def document_of(chart: Chart, theme: Theme) -> dict[str, Any]:
    """Return the complete Vega-Lite document of a chart in a theme; the picture depends on nothing else."""
    return {**chart.spec, "description": chart.alt, "config": _config(theme), "usermeta": {"title": chart.title}}


def _config(theme: Theme) -> dict[str, Any]:
    """Return the Vega-Lite configuration of a theme: the colors of the styles used by the specifications."""
    colors = PALETTES[theme]
    label = {"labelColor": colors.text, "labelFontSize": TEXT_PX, "titleColor": colors.quiet, "titleFontSize": 13}
    return {
        "background": colors.page,
        "font": FONT,
        "padding": 12,
        "view": {"stroke": None},
        "axis": {
            **label,
            "titleFontWeight": "normal",
            "titlePadding": 10,
            "gridColor": colors.grid,
            "domainColor": colors.grid,
            "tickColor": colors.grid,
            "labelLimit": 380,
            "labelPadding": 8,
            "tickCount": 7,
        },
        "axisY": {"domain": False},
        "legend": {
            **label,
            "titleFontWeight": "normal",
            "orient": "top",
            "direction": "horizontal",
            "columns": 2,
            "columnPadding": 24,
            "labelLimit": 300,
            "symbolSize": 90,
        },
        "title": {"anchor": "start", "fontSize": TEXT_PX, "fontWeight": "normal", "color": colors.quiet, "offset": 10},
        "range": {"category": list(colors.kinds)},
        "style": {
            "outer": {"color": colors.outer},
            "inner": {"color": colors.inner},
            "expected": {"color": colors.text, "opacity": 1},
            "mark": {"size": 90, "stroke": colors.page, "strokeWidth": 1, "filled": True, "opacity": 1},
            "curve": {"color": colors.kinds[0], "strokeWidth": 2},
            "dot": {"color": colors.kinds[0], "size": 40, "filled": True, "opacity": 1},
            "amount": {"fontSize": TEXT_PX, "color": colors.text, "font": FONT},
            "cell": {"color": colors.kinds[0], "stroke": colors.page, "strokeWidth": 1},
            "solid": {"stroke": colors.page, "strokeWidth": 1, "opacity": 1},
            "words": {"fontSize": 14, "color": colors.text, "font": FONT},
        },
    }
