"""Routes of the cage: transactions with known patrons."""

from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Request, Response

from services.table_inventory.api.access import BY_OTHERS, TRANSACT, NumberPath
from services.table_inventory.commands.cage import MoveAtCage, VoidAtCage
from services.table_inventory.commands.winners import IdentifyWinner
from services.table_inventory.domain.cage import CageDocument, CageRecord
from services.table_inventory.queries.cage import find_movement
from services.table_inventory.tables import cage_movements
from shared.contracts.cage import CageMoved, CageVoided, WinnerIdentified
from shared.contracts.rejection import Reason
from shared.runtime.database import snapshot
from shared.runtime.http import (
    UNCHANGED,
    Asked,
    DayQuery,
    Page,
    PropertyPath,
    PropertyQuery,
    TableListing,
    command_route,
    document_response,
    problems,
    require_role,
)
from shared.runtime.rows import thing_of
from shared.runtime.service.service_context import ServiceContext

MOVEMENTS: Final = TableListing(cage_movements, "number")

Cashier = Annotated[str, require_role(TRANSACT)]


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["cage"])
    command = partial(command_route, router, context.commands, role=TRANSACT)
    moved = (Reason.NOT_FOUND, Reason.NOT_ALLOWED, Reason.TOO_EARLY, Reason.TOO_LATE)
    command(MoveAtCage, "/cage-movements", answers=CageMoved, status=201, rejects=moved)
    rejects = (*BY_OTHERS, Reason.NOT_ALLOWED)
    one = "/cage-movements/{property}/{number}"
    command(VoidAtCage, f"{one}/void", answers=CageVoided, rejects=rejects, subject=one)

    won = (Reason.NOT_FOUND, Reason.CONTRADICTS, Reason.TOO_EARLY, Reason.ALREADY_DECIDED, Reason.NOT_ALLOWED)
    command(IdentifyWinner, "/winners", answers=WinnerIdentified, status=201, rejects=won)

    @router.get(
        "/cage-movements",
        response_model_exclude_none=True,
        summary="List movements at the cage",
        responses=problems(Reason.CURSOR_UNKNOWN),
    )
    async def list_movements(
        cashier: Cashier, property_name: PropertyQuery, gaming_day: DayQuery, asked: Asked
    ) -> Page[CageDocument]:
        """List the cage transactions of a gaming day, by number; patrons are references."""
        del cashier
        of_day = {"property": property_name, "gaming_day": gaming_day}
        async with snapshot(context.pools.readers) as connection:
            return await MOVEMENTS.read(connection, asked, partial(thing_of, CageDocument), **of_day)

    @router.get(
        one,
        response_model=CageRecord,
        summary="Read a movement at the cage",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_movement(
        request: Request, cashier: Cashier, property_name: PropertyPath, number: NumberPath
    ) -> Response:
        """Return a cage transaction as entered, with a flag that is set if it is void."""
        del cashier
        async with snapshot(context.pools.readers) as connection:
            return document_response(request, await find_movement(connection, property_name, number))

    return router
