"""Reports: the list, any of them as a page, each cell with the entries that it comes from, and every format."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from services.console.console import Asked, page
from services.console.gallery import charts_of_report, hung
from services.console.pages.days import running_day, zone_of
from services.console.services import REPORTING, path


def routes() -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/p/{property}/reports")

    @router.get("")
    async def reports(request: Request, person: Asked) -> Response:
        definitions = await person.calls.get(REPORTING, "/reports")
        return page(request, "reports.html", person, definitions=definitions)

    @router.get("/{report}")
    async def report(
        request: Request,
        person: Asked,
        property: str,
        report: str,
        day: str = "",
        period: str = "day",
        table: str = "",
        game: str = "",
        known_at: str = "",
        form: str = "",
    ) -> Response:
        day = day or (await running_day(person, property))["gaming_day"]
        wanted: dict[str, Any] = {
            "property": property,
            "gaming_day": day,
            "period": period,
            "table": table,
            "game": game,
            "known_at": known_at,
        }
        if form:
            answer = await person.calls.get_bytes(REPORTING, path("reports", report), **wanted, **{"as": form})
            kept = {
                name: answer.headers[name] for name in ("content-type", "content-disposition") if name in answer.headers
            }
            return Response(answer.content, headers=kept)
        definitions = await person.calls.get(REPORTING, "/reports")
        [definition] = [one for one in definitions if one["name"] == report] or [{"name": report, "periods": ["day"]}]
        if period not in definition["periods"]:
            wanted["period"] = period = definition["periods"][0]
        shown = await person.calls.get(REPORTING, path("reports", report), **wanted, **{"as": "json"})
        zone = await zone_of(person, property)
        return page(
            request,
            "report.html",
            person,
            shown=shown,
            definition=definition,
            wanted=wanted,
            day=day,
            zone=zone,
            charts=hung(request, person.session, charts_of_report(shown, zone)),
        )

    @router.get("/{report}/entries")
    async def entries(
        request: Request,
        person: Asked,
        property: str,
        report: str,
        cell: str,
        day: str,
        period: str = "day",
        table: str = "",
        game: str = "",
        known_at: str = "",
    ) -> Response:
        found = await person.calls.get(
            REPORTING,
            path("reports", report, "entries"),
            property=property,
            gaming_day=day,
            period=period,
            table=table,
            game=game,
            known_at=known_at,
            cell=cell,
        )
        return page(request, "entries.html", person, found=found, cell=cell, report=report, day=day)

    return router
