"""Routes of revenue audit: investigations of a hold that deviates from its base of comparison."""

from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response

from services.table_inventory.api.access import AUDIT_DAYS, DayReader, NumberPath
from services.table_inventory.commands.investigations import (
    AssignInvestigation,
    ConcludeInvestigation,
    OpenInvestigation,
)
from services.table_inventory.domain.investigations import Investigation
from services.table_inventory.queries.investigations import find_investigation, read_investigations
from shared.contracts.investigations import Month
from shared.contracts.rejection import Reason
from shared.runtime.database import snapshot
from shared.runtime.http import (
    UNCHANGED,
    Asked,
    Listing,
    Page,
    PropertyPath,
    PropertyQuery,
    command_route,
    document_response,
    problems,
)
from shared.runtime.service.service_context import ServiceContext

INVESTIGATIONS: Final[Listing[tuple[int]]] = Listing("investigations", tuple[int])


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes of investigations."""
    router = APIRouter(prefix="/investigations", tags=["investigations"])
    command = partial(command_route, router, context.commands, role=AUDIT_DAYS, answers=Investigation)
    command(OpenInvestigation, "", status=201, rejects=(Reason.NOT_FOUND, Reason.CONTRADICTS))
    one, known = "/{property}/{investigation}", (Reason.NOT_FOUND, Reason.ALREADY_DECIDED)
    step = partial(command, subject=router.prefix + one)
    step(AssignInvestigation, f"{one}/assign", rejects=known)
    step(ConcludeInvestigation, f"{one}/conclude", rejects=(*known, Reason.NOT_ALLOWED))

    @router.get(
        one,
        response_model=Investigation,
        summary="Read an investigation",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_investigation(
        request: Request, reader: DayReader, property_name: PropertyPath, investigation: NumberPath
    ) -> Response:
        """Return an investigation with its owner, and its conclusion if it is closed."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            found = await find_investigation(connection, property_name, investigation)
        return document_response(request, found)

    @router.get(
        "",
        response_model_exclude_none=True,
        summary="List investigations",
        responses=problems(Reason.CURSOR_UNKNOWN),
    )
    async def list_investigations(
        reader: DayReader,
        property_name: PropertyQuery,
        asked: Asked,
        month: Annotated[Month | None, Query(description="only investigations of this month's report")] = None,
    ) -> Page[Investigation]:
        """List investigations by number, with owner and conclusion."""
        del reader
        after = INVESTIGATIONS.after(asked.cursor)
        async with snapshot(context.pools.readers) as connection:
            number, limit = after[0] if after else 0, asked.limit + 1
            found = await read_investigations(connection, property_name, after=number, limit=limit, month=month)
        return INVESTIGATIONS.page(found, asked.limit, lambda one: (one.investigation,))

    return router
