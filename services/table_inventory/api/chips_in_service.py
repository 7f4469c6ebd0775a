"""Routes of chips in service before the books began: entered by one person and approved by another."""

from functools import partial
from typing import Final

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from services.table_inventory.api.access import APPROVE_DAYS, AUDIT_DAYS, BY_OTHERS, DECIDED, DayReader, NumberPath
from services.table_inventory.commands.chips_in_service import (
    ApproveChipsInService,
    EnterChipsInService,
    RejectChipsInService,
)
from services.table_inventory.domain.chips_in_service import ChipsInServiceDocument
from services.table_inventory.queries.chips_in_service import find_chips_in_service, read_chips_in_service
from shared.contracts.rejection import Reason
from shared.runtime.database import snapshot
from shared.runtime.http import UNCHANGED, PropertyPath, command_route, document_response, problems
from shared.runtime.service.service_context import ServiceContext

_REVISION: Final = "/{revision}"


class ChipsInServiceRevisions(BaseModel):
    """All revisions of a property's opening position of chips in service, with their status, latest first."""

    items: list[ChipsInServiceDocument]


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/chips-in-service/{property}", tags=["cage"])
    command = partial(command_route, router, context.commands, answers=ChipsInServiceDocument)
    rejects = (Reason.NOT_FOUND, Reason.NOT_ALLOWED, Reason.TOO_EARLY, Reason.CONTRADICTS)
    command(EnterChipsInService, "", role=AUDIT_DAYS, status=201, rejects=rejects)
    decide = partial(command, role=APPROVE_DAYS, subject=router.prefix + _REVISION)
    decide(ApproveChipsInService, f"{_REVISION}/approve", rejects=(*BY_OTHERS, Reason.CONTRADICTS))
    decide(RejectChipsInService, f"{_REVISION}/reject", rejects=DECIDED)

    @router.get("", response_model_exclude_none=True, summary="List opening positions of chips in service")
    async def list_chips_in_service(reader: DayReader, property_name: PropertyPath) -> ChipsInServiceRevisions:
        """List all revisions of the chips that were in service before the cage's books began, latest first."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            return ChipsInServiceRevisions(items=await read_chips_in_service(connection, property_name))

    @router.get(
        _REVISION,
        response_model=ChipsInServiceDocument,
        summary="Read an opening position of chips in service",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_revision_of_chips(
        request: Request, reader: DayReader, property_name: PropertyPath, revision: NumberPath
    ) -> Response:
        """Return the chips that were in service before the cage's books began, as entered, with the current status.

        While the revision is undecided, the value put into service since then and the total in service are as of now.
        """
        del reader
        async with snapshot(context.pools.readers) as connection:
            return document_response(request, await find_chips_in_service(connection, property_name, revision))

    return router
