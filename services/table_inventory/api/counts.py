"""Routes of the count team: counts of drop boxes."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel

from services.table_inventory.api.access import BY_OTHERS, COUNT_BOXES, CountReader, NumberPath
from services.table_inventory.commands.counts import ConcludeCount, CountBox, OpenCount, salted
from services.table_inventory.domain.boxes import BoxFound, BoxProgress, CountDocument
from services.table_inventory.queries.counts import read_count, removals_of
from shared.contracts.counts import CountConcluded
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason
from shared.runtime.database import snapshot
from shared.runtime.http import UNCHANGED, PropertyPath, command_route, document_response, problems
from shared.runtime.service.service_context import ServiceContext

BoxQuery = Annotated[Name, Query(description="the number of the box, ignoring case")]


class BoxesFound(BaseModel):
    """The latest removals of a drop box, at most 20."""

    items: list[BoxFound]


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes of drop counts."""
    router = APIRouter(prefix="/drop-counts", tags=["drop counts"])
    command = partial(command_route, router, context.commands, role=COUNT_BOXES)
    command(OpenCount, "", answers=CountDocument, status=201, rejects=(Reason.NOT_FOUND, Reason.CONTRADICTS))
    boxes = "/{property}/{count}/boxes"
    command(CountBox, boxes, answers=BoxProgress, status=201, rejects=(*BY_OTHERS, Reason.NOT_ALLOWED), prepare=salted)
    rejects = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED, Reason.TOO_EARLY, Reason.CONTRADICTS)
    command(ConcludeCount, "/{property}/{count}/conclude", answers=CountConcluded, rejects=rejects)

    @router.get("/{property}/boxes/find", response_model_exclude_none=True, summary="Search drop boxes")
    async def find_boxes(reader: CountReader, property_name: PropertyPath, box: BoxQuery) -> BoxesFound:
        """Find the removals of a drop box from tables by its number, ignoring case, the latest first."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            return BoxesFound(items=await removals_of(connection, property_name, box))

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
