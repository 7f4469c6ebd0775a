"""Charts: each has a caption, a table and a picture as SVG."""

from services.console.charts.chart import Chart, ChartColumn, section_of
from services.console.charts.differences import what_if_cumulative, what_if_difference
from services.console.charts.expectation import win_against_expectation
from services.console.charts.hits import hits_against_expectation
from services.console.charts.hours import drop_by_hour
from services.console.charts.meters import meter_history
from services.console.charts.pace_of_play import MEASURES, pace_by_hour
from services.console.charts.renderer import NotDrawn, Renderer, TooManyWaiting
from services.console.charts.theme import Theme

__all__ = [
    "MEASURES",
    "Chart",
    "ChartColumn",
    "NotDrawn",
    "Renderer",
    "Theme",
    "TooManyWaiting",
    "drop_by_hour",
    "hits_against_expectation",
    "meter_history",
    "pace_by_hour",
    "section_of",
    "what_if_cumulative",
    "what_if_difference",
    "win_against_expectation",
]
