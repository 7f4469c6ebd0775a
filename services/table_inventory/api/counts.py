"""Routes of the count team: counts of drop boxes."""

from functools import partial

from fastapi import APIRouter, Request, Response

from services.table_inventory.api.access import BY_OTHERS, COUNT_BOXES, CountReader, NumberPath
from services.table_inventory.commands.counts import ConcludeCount, CountBox, OpenCount, salted
from services.table_inventory.domain.boxes import BoxProgress, CountDocument
from services.table_inventory.queries.counts import read_count
from shared.contracts.counts import CountConcluded
from shared.contracts.rejection import Reason
from shared.runtime.database import snapshot
from shared.runtime.http import UNCHANGED, PropertyPath, command_route, document_response, problems
from shared.runtime.service.service_context import ServiceContext


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes of drop counts."""
    router = APIRouter(prefix="/drop-counts", tags=["drop counts"])
    command = partial(command_route, router, context.commands, role=COUNT_BOXES)
    command(OpenCount, "", answers=CountDocument, status=201, rejects=(Reason.NOT_FOUND, Reason.CONTRADICTS))
    boxes = "/{property}/{count}/boxes"
    command(CountBox, boxes, answers=BoxProgress, status=201, rejects=(*BY_OTHERS, Reason.NOT_ALLOWED), prepare=salted)
    rejects = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED, Reason.TOO_EARLY, Reason.CONTRADICTS)
    command(ConcludeCount, "/{property}/{count}/conclude", answers=CountConcluded, rejects=rejects)

    @router.get(
        "/{property}/{count}",
        response_model=CountDocument,
        summary="Read a count",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read(request: Request, reader: CountReader, property_name: PropertyPath, count: NumberPath) -> Response:
        """Return a count: its progress while open; once concluded, its figures and the salts of the commitments."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            found = await read_count(connection, property_name, count)
        return document_response(request, found)

    return router
