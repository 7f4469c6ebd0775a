"""Routes of dealers' hours for tips pools: entered by one person and approved by another."""

from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel

from services.table_inventory.api.access import APPROVE_DAYS, AUDIT_DAYS, BY_OTHERS, DECIDED, DayReader, NumberPath
from services.table_inventory.commands.tips import ApproveTipHours, EnterTipHours, RejectTipHours
from services.table_inventory.domain.tips import TipHoursDocument
from services.table_inventory.queries.tips import find_hours, revisions_of
from shared.contracts.rejection import Reason
from shared.runtime.database import snapshot
from shared.runtime.http import UNCHANGED, Day, PropertyPath, command_route, document_response, problems
from shared.runtime.service.service_context import ServiceContext

_REVISION: Final = "/{revision}"
LastDay = Annotated[Day, Path(description="the last gaming day of the pool")]


class TipHoursOfPool(BaseModel):
    """The revisions of the dealers' hours for a tips pool, with the decision on each, latest first."""

    items: list[TipHoursDocument]


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes of tips pools."""
    router = APIRouter(prefix="/tip-hours/{property}/{last_day}", tags=["tips"])
    command = partial(command_route, router, context.commands, answers=TipHoursDocument)
    rejects = (Reason.NOT_FOUND, Reason.NOT_ALLOWED, Reason.TOO_EARLY, Reason.CONTRADICTS, Reason.SAME_PERSON)
    command(EnterTipHours, "", role=AUDIT_DAYS, status=201, rejects=rejects)
    decide = partial(command, role=APPROVE_DAYS, subject=router.prefix + _REVISION)
    decide(ApproveTipHours, f"{_REVISION}/approve", rejects=BY_OTHERS)
    decide(RejectTipHours, f"{_REVISION}/reject", rejects=DECIDED)

    @router.get("", response_model_exclude_none=True, summary="List the hours of a tips pool")
    async def list_hours(reader: DayReader, property_name: PropertyPath, last_day: LastDay) -> TipHoursOfPool:
        """List every revision of the dealers' hours for a tips pool."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            return TipHoursOfPool(items=await revisions_of(connection, property_name, last_day))

    @router.get(
        _REVISION,
        response_model=TipHoursDocument,
        summary="Read a revision of the hours of a tips pool",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_hours(
        request: Request, reader: DayReader, property_name: PropertyPath, last_day: LastDay, revision: NumberPath
    ) -> Response:
        """Return a revision of the dealers' hours as entered, with its current status."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            found = await find_hours(connection, property_name, last_day, revision)
        return document_response(request, found)

    return router
