"""Pages of progressive meters: the state of the pools, each pool's movements, and changes pending approval."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from services.console.charts import meter_history
from services.console.console import Asked, page
from services.console.gallery import hung
from services.console.listing import MOVED, Act, cols, flat, listed
from services.console.pages.days import running_day, zone_of
from services.console.services import METERS, path, together
from services.console.words import say


def routes() -> APIRouter:
    """Return the routes of these pages."""
    router = APIRouter(prefix="/p/{property}/meters")

    @router.get("")
    async def meters(request: Request, person: Asked, property: str) -> Response:
        here = {"property": property}
        pools, changes = await together(
            person.calls.get_all(METERS, "/pools", **here),
            person.calls.get_page(METERS, "/changes", property=property, from_end=True),
        )
        lists = [
            listed(
                "meters.pools",
                pools,
                cols("pool", "shown_cents", "reserve_cents", "in_cents", "wins_cents", "hits", "at"),
                link=lambda one: path("p", property, "meters", one["pool"]),
                acts=lambda one: [Act(METERS, "request-change", {**here, "pool": one["pool"]})],
                more=[Act(METERS, "file-pool", here)],
            ),
            listed(
                "meters.changes",
                changes,
                cols("change", "pool", "kind", "cents", "to", "reason", "status", "requested_by", "requested_at"),
                acts=lambda one: (
                    [
                        Act(METERS, "approve-change", {**here, "change": one["change"]}),
                        Act(METERS, "reject-change", {**here, "change": one["change"]}),
                    ]
                    if one["status"] == "requested"
                    else []
                ),
            ),
        ]
        zone = await zone_of(person, property)
        return page(request, "lists.html", person, title=say("meters.title"), lead="", more=[], lists=lists, zone=zone)

    @router.get("/{pool}")
    async def pool(request: Request, person: Asked, property: str, pool: str, day: str = "") -> Response:
        running = await running_day(person, property)
        day, zone = day or running["gaming_day"], running["time_zone"]
        at, here = path("pools", property, pool), {"property": property, "pool": pool}
        state, moved, versions = await together(
            person.calls.get(METERS, at),
            person.calls.get_page(METERS, f"{at}/movements", gaming_day=day, from_end=True),
            person.calls.get_all(METERS, f"{at}/versions"),
        )
        lists = [
            listed(
                "meters.pools",
                [state] if state else state,
                cols("pool", "shown_cents", "reserve_cents", "in_cents", "wins_cents", "hits", "at"),
            ),
            listed(
                "meters.versions",
                versions,
                cols(
                    "version",
                    "status",
                    "reset_cents",
                    "base_cents",
                    "limit_cents",
                    "effective_from",
                    "filed_by",
                    "approved_by",
                    "reason",
                ),
                acts=lambda one: (
                    [
                        Act(METERS, "approve-pool", {**here, "version": one["version"]}),
                        Act(METERS, "return-pool", {**here, "version": one["version"]}),
                    ]
                    if one["status"] == "filed"
                    else []
                ),
            ),
            listed("meters.movements", moved, cols(*MOVED), seen=flat),
        ]
        drawn = [meter_history(moved["items"], zone)] if moved else []
        return page(
            request,
            "meter.html",
            person,
            day=day,
            charts=hung(request, person.session, drawn),
            title=say("meters.pool", pool=pool),
            lead="",
            more=[Act(METERS, "request-change", here)],
            lists=lists,
            zone=zone,
        )

    return router
