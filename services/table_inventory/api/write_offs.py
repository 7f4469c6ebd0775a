"""Routes of write-offs of drop boxes that cannot be counted: requested by one person, approved by another."""

from functools import partial

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from services.table_inventory.api.access import APPROVE_DAYS, AUDIT_DAYS, BY_OTHERS, DECIDED, DayReader, NumberPath
from services.table_inventory.commands.write_offs import ApproveWriteOff, EnterWriteOff, RejectWriteOff
from services.table_inventory.queries.write_offs import WriteOff, find_write_off, write_offs_of_day
from shared.contracts.rejection import Reason
from shared.runtime.database import snapshot
from shared.runtime.http import UNCHANGED, DayQuery, PropertyPath, command_route, document_response, problems
from shared.runtime.service.service_context import ServiceContext


class WriteOffs(BaseModel):
    """The write-offs of drop boxes missing from the count of a gaming day, each with its decision."""

    items: list[WriteOff]


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes of write-offs."""
    router = APIRouter(prefix="/write-offs/{property}", tags=["write-offs"])
    command = partial(command_route, router, context.commands, answers=WriteOff)
    rejects = (*DECIDED, Reason.CONTRADICTS, Reason.TOO_EARLY)
    command(EnterWriteOff, "", role=AUDIT_DAYS, status=201, rejects=rejects)
    one, path = "/{write_off}", router.prefix + "/{write_off}"
    command(ApproveWriteOff, one + "/approve", role=APPROVE_DAYS, rejects=BY_OTHERS, subject=path)
    command(RejectWriteOff, one + "/reject", role=APPROVE_DAYS, rejects=DECIDED, subject=path)

    @router.get("", response_model_exclude_none=True, summary="List write-offs of drop boxes")
    async def list_write_offs(reader: DayReader, property_name: PropertyPath, gaming_day: DayQuery) -> WriteOffs:
        """List the write-offs of drop boxes missing from the count of a gaming day."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            return WriteOffs(items=await write_offs_of_day(connection, property_name, gaming_day))

    @router.get(
        one,
        response_model=WriteOff,
        summary="Read a write-off of a drop box",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_write_off(
        request: Request, reader: DayReader, property_name: PropertyPath, write_off: NumberPath
    ) -> Response:
        """Return a write-off as entered, with its current status."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            return document_response(request, await find_write_off(connection, property_name, write_off))

    return router
