"""Charts on pages: stored for the session that requested them, and drawn when the browser requests the picture."""

import json
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, Response

from services.console import charts
from services.console.charts import Chart, NotDrawn, Renderer, Theme
from services.console.console import Asked
from services.console.sessions import Session

_KEPT_MAX: Final = 500
_OF_A_SESSION: Final = "private, max-age=3600, immutable"


@dataclass(frozen=True, slots=True)
class Hung:
    """A chart on a page: its texts and table, and the URLs of its light and dark pictures."""

    chart: Chart
    light: str
    dark: str

    @property
    def columns(self) -> list[dict[str, str]]:
        """Return the columns of the chart's table, in the format of a report's columns."""
        return [asdict(column) for column in self.chart.columns]


class Gallery:
    """Stores recently shown charts by session and content, and evicts the oldest."""

    def __init__(self, renderer: Renderer | None = None) -> None:
        self._renderer = Renderer() if renderer is None else renderer
        self._kept: OrderedDict[tuple[str, str], Chart] = OrderedDict()

    def hang(self, session: Session, *shown: Chart) -> list[Hung]:
        """Return charts with picture URLs for a page of this session, and store the charts for drawing."""
        return [self._hung(session, chart) for chart in shown]

    def _hung(self, session: Session, chart: Chart) -> Hung:
        content = json.dumps([chart.title, chart.alt, chart.spec], sort_keys=True, default=str)
        key = sha256(content.encode()).hexdigest()[:32]
        self._kept[session.name, key] = chart
        self._kept.move_to_end((session.name, key))
        while len(self._kept) > _KEPT_MAX:
            self._kept.popitem(last=False)
        return Hung(chart, *(f"/charts/{key}/{theme}.svg" for theme in ("light", "dark")))

    async def picture(self, session: Session, key: str, theme: Theme) -> bytes | None:
        """Return the picture of a chart as SVG; None if this session was not shown the chart. Raises: NotDrawn."""
        chart = self._kept.get((session.name, key))
        return None if chart is None else await self._renderer.svg(chart, theme)

    async def close(self) -> None:
        """End the renderer."""
        await self._renderer.close()


def hung(request: Request, session: Session, shown: Iterable[Chart]) -> list[Hung]:
    """Return charts with picture URLs for a page, and store the charts for the request's session."""
    gallery: Gallery = request.app.state.gallery
    return gallery.hang(session, *shown)


def routes() -> APIRouter:
    """Return the route of the pictures."""
    router = APIRouter(prefix="/charts")

    @router.get("/{key}/{theme}.svg")
    async def picture(request: Request, person: Asked, key: str, theme: Theme) -> Response:
        gallery: Gallery = request.app.state.gallery
        try:
            found = await gallery.picture(person.session, key, theme)
        except NotDrawn as error:
            return PlainTextResponse(str(error), status_code=503)
        if found is None:
            return PlainTextResponse("there is no such chart: show its page again", status_code=404)
        return Response(found, media_type="image/svg+xml", headers={"cache-control": _OF_A_SESSION})

    return router


SECTIONS_OF_CHARTS: Final[Mapping[str, Collection[str]]] = {
    "statistics": ("tables", "dealers", "wagers", "alarms"),
    "pace": ("hours",),
    "side-bets": ("hits",),
    "drop-and-win": ("hours",),
}
"""The report sections that charts need with every row, by report."""


def charts_of_report(shown: dict[str, Any], zone: str | None) -> list[Chart]:
    """Return the charts of a report given as JSON."""
    match shown["report"]:
        case "statistics":
            return [charts.win_against_expectation(shown, by) for by in ("table", "dealer", "wager")]
        case "pace":
            return [charts.pace_by_hour(shown, measure) for measure in charts.MEASURES]
        case "side-bets":
            wagers = dict.fromkeys((one["game"], one["wager"]) for one in charts.section_of(shown, "hits"))
            return [charts.hits_against_expectation(shown, wager, game=game) for game, wager in wagers]
        case "drop-and-win" if zone is not None and shown["first_day"] == shown["last_day"]:
            return [charts.drop_by_hour(shown, zone)]
        case _:
            return []
