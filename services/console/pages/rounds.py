"""Rounds: the list of a gaming day, one round with everything that is known of it, and the bundle that proves it."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from services.console.console import Asked, Person, page
from services.console.pages.days import running_day
from services.console.services import REGISTRY, SETTLEMENT, or_missing, path


def routes() -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/p/{property}/rounds")

    @router.get("")
    async def rounds(
        request: Request, person: Asked, property: str, day: str = "", table: str = "", cursor: str = ""
    ) -> Response:
        day = day or (await running_day(person, property))["gaming_day"]
        found = await person.calls.get(
            SETTLEMENT, "/rounds", property=property, gaming_day=day, table=table, cursor=cursor
        )
        return page(request, "rounds.html", person, rounds=found, day=day, table_name=table)

    @router.get("/{table}/{round_id}")
    async def round_page(request: Request, person: Asked, property: str, table: str, round_id: str) -> Response:
        found = await person.calls.get(SETTLEMENT, path("rounds", property, table, round_id))
        catalogue = await or_missing(_catalogue(person, found))
        return page(request, "round.html", person, shown=found, catalogue=catalogue)

    @router.get("/{table}/{round_id}/proof/{shard}/{seq}")
    async def proof(person: Asked, property: str, table: str, round_id: str, shard: int, seq: int) -> Response:
        where = path("rounds", property, table, round_id, "proofs", shard, seq)
        answer = await person.calls.get_bytes(SETTLEMENT, where)
        name = f"proof-{table}-{round_id}-{shard}-{seq}.json"
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(answer.content, media_type="application/json", headers=headers)

    return router


async def _catalogue(person: Person, found: dict[str, object]) -> object:
    return await person.calls.get(REGISTRY, path("catalogue", str(found["regulation"])))
