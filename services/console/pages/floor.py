"""Pages of the floor: the pits, updated live, and a table with its gaming day and its last rounds."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from functools import lru_cache
from typing import Any, Final, Literal

from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse

from services.console.console import Asked, LoginNeeded, Person, page, session_of
from services.console.floor import FRESH_SECONDS, Floors, FloorView
from services.console.pages.days import running_day
from services.console.services import INVENTORY, REPORTING, SETTLEMENT, Refused, together
from services.console.views import environment, moment
from services.console.words import say

View = Literal["cards", "table"]

_EVENT_STREAM: Final = "text/event-stream"
_WAIT_SECONDS: Final = FRESH_SECONDS
_SILENT_SECONDS_MAX: Final = 15.0
"""Seconds of silence after which a comment is sent, so that proxies keep the stream open."""
_LAST_ROUNDS: Final = 50
_REQUESTERS: Final = ("slips.request",)
"""The role to request a fill."""
_LOOKS_KEPT: Final = 16


def routes() -> APIRouter:
    """Return the routes of these pages."""
    router = APIRouter(prefix="/p/{property}/floor")

    @router.get("")
    async def floor(request: Request, person: Asked, property: str, day: str = "", view: View = "cards") -> Response:
        """Show the pits with a card for each table, or with a row for each."""
        floors: Floors = request.app.state.floors
        read = floors.with_bands if view == "cards" else floors.of
        found = await read(person, property, day)
        zone = found.said["time_zone"]
        return page(
            request,
            "floor.html",
            person,
            floor=found,
            zone=zone,
            day=day,
            live=not day,
            view=view,
            may_request=person.may(*_REQUESTERS),
        )

    @router.get("/stream")
    async def stream(request: Request, person: Asked, property: str, view: View = "table") -> Response:
        floors: Floors = request.app.state.floors
        await floors.of(person, property)  # raises Refused before the response begins
        headers = {"x-accel-buffering": "no"}
        return StreamingResponse(_changes(request, person, property, view), media_type=_EVENT_STREAM, headers=headers)

    @router.get("/{table}")
    async def table(request: Request, person: Asked, property: str, table: str, day: str = "") -> Response:
        floors: Floors = request.app.state.floors
        found = await floors.with_bands(person, property, day)
        gaming_day = day or found.said["gaming_day"]
        running = await running_day(person, property)
        rounds, variances, slips, equipment = await together(
            person.calls.get(
                SETTLEMENT,
                "/rounds",
                property=property,
                gaming_day=gaming_day,
                table=table,
                limit=_LAST_ROUNDS,
                from_end=True,
            ),
            person.calls.get(INVENTORY, "/variances", property=property, gaming_day=gaming_day, table=table),
            person.calls.get_all(INVENTORY, "/slips", property=property, gaming_day=gaming_day, table=table),
            person.calls.get(INVENTORY, "/equipment", property=property),
        )
        shown = next((one for one in found.tables if one.name == table), None)
        if shown is None:
            detail = say("refused.table_why", table=table, property=property)
            raise Refused(REPORTING, 404, {"title": say("refused.table"), "detail": detail})
        return page(
            request,
            "table.html",
            person,
            floor=found,
            one=shown,
            day=gaming_day,
            shift=running.get("shift", "") if gaming_day == running["gaming_day"] else "",
            live=not day,
            zone=found.said["time_zone"],
            rounds=rounds,
            variances=(variances or {}).get("items", ()),
            slips=slips or (),
            equipment=[each for each in (equipment or {}).get("items", ()) if each["table"] == table],
        )

    return router


async def _changes(request: Request, person: Person, property_name: str, view: View) -> AsyncIterator[str]:
    """Yield the floor's changes as server-sent events, while the reader is connected and authorized."""
    floors: Floors = request.app.state.floors
    read = floors.with_bands if view == "cards" else floors.of
    may_request = person.may(*_REQUESTERS)
    known: Mapping[str, str] = {}
    silent = 0.0
    while True:
        session = session_of(request, seen=False)
        if session is None or await request.is_disconnected():
            return
        try:
            await request.app.state.logins.renewed(session)
            found = await read(person, property_name)
        except LoginNeeded:
            return
        except Refused as refused:
            if refused.status in (401, 403):
                return
            yield ": waiting\n\n"
        else:
            new = _pieces(found, property_name, view, may_request=may_request)
            changed = {name: html for name, html in new.items() if known.get(name) != html}
            if changed and known:
                for name, html in changed.items():
                    yield _event(name, html)
                silent = 0.0
            elif not known:
                yield "retry: 2000\n\n" + "".join(_event(name, html) for name, html in new.items())
            known = new
        await asyncio.sleep(_WAIT_SECONDS)
        silent += _WAIT_SECONDS
        if silent >= _SILENT_SECONDS_MAX:
            yield ": still here\n\n"
            silent = 0.0


@lru_cache(maxsize=_LOOKS_KEPT)
def _pieces(found: FloorView, property_name: str, view: View, *, may_request: bool) -> Mapping[str, str]:
    """Return the changing parts of the page as HTML, by event name; rendered once for all readers of a view."""
    macros: Any = (
        environment()
        .get_template("floor_table.html")
        .make_module({"property": property_name, "zone": found.said["time_zone"], "may_request": may_request})
    )
    if view == "cards":
        pieces = {f"card-{one.name}": str(macros.card(one, found.bands.get(one.name))) for one in found.tables}
    else:
        pieces = {f"table-{one.name}": str(macros.row(one)) for one in found.tables}
    pieces["totals"] = str(macros.totals(found))
    pieces["at"] = str(moment(found.said["at"], found.said["time_zone"], "%H:%M:%S"))
    return pieces


def _event(name: str, html: str) -> str:
    lines = "".join(f"data: {line}\n" for line in html.strip().splitlines())
    return f"event: {name}\n{lines}\n"
