"""Pages of rounds: the list of a gaming day, and a round with its history and its evidence."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from services.console.choices import choices_of_property
from services.console.console import Asked, Person, page
from services.console.felt import RoundView, regulation_of, view_of
from services.console.pages.days import running_day, zone_of
from services.console.services import REGISTRY, SETTLEMENT, or_missing, path


def routes() -> APIRouter:
    """Return the routes of these pages."""
    router = APIRouter(prefix="/p/{property}/rounds")

    @router.get("")
    async def rounds(
        request: Request, person: Asked, property: str, day: str = "", table: str = "", cursor: str = ""
    ) -> Response:
        day = day or (await running_day(person, property))["gaming_day"]
        found, choices = await asyncio.gather(
            person.calls.get(
                SETTLEMENT, "/rounds", property=property, gaming_day=day, table=table, cursor=cursor, from_end=True
            ),
            choices_of_property(person, property),
        )
        return page(request, "rounds.html", person, rounds=found, day=day, table_name=table, choices=choices)

    @router.get("/{table}/{round_id}")
    async def round_page(request: Request, person: Asked, property: str, table: str, round_id: str) -> Response:
        found = await person.calls.get(SETTLEMENT, path("rounds", property, table, round_id))
        view = await round_view(person, found, keys=request.app.state.verifiers)
        return page(request, "round/round.html", person, view=view, zone=await zone_of(person, property))

    return router


async def round_view(person: Person, found: Mapping[str, Any], *, keys: Sequence[str] = ()) -> RoundView:
    """Return the data of a round's page from the round as round settlement returns it; `keys` as for `view_of`."""
    regulation = regulation_of(found)
    catalogue: Any = None
    if regulation is not None:
        catalogue = await or_missing(person.calls.get(REGISTRY, path("catalogue", regulation)))
    return view_of(found, catalogue or None, keys=keys, proofs=f"/api/{SETTLEMENT}")
