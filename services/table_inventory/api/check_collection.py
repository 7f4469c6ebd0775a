"""Routes for the collection of counter checks: begin collection, write off by two people, recover."""

from functools import partial
from typing import Final

from fastapi import APIRouter, Request, Response

from services.table_inventory.api.access import (
    APPROVE_CREDIT_LINES,
    BY_OTHERS,
    DECIDED,
    REQUEST_CREDIT_LINES,
    TRANSACT,
    CheckWriteOffReader,
    NumberPath,
)
from services.table_inventory.commands.check_collection import (
    ApproveCheckWriteOff,
    BeginCollection,
    EnterCheckWriteOff,
    RecoverCheck,
    RejectCheckWriteOff,
)
from services.table_inventory.domain.check_collection import CheckWriteOff
from services.table_inventory.queries.check_collection import find_check_write_off
from services.table_inventory.tables import check_write_offs
from shared.contracts.check_collection import CheckRecovered, CollectionBegun
from shared.contracts.rejection import Reason
from shared.runtime.database import snapshot
from shared.runtime.http import (
    UNCHANGED,
    Asked,
    Page,
    PropertyPath,
    TableListing,
    command_route,
    document_response,
    problems,
)
from shared.runtime.http.merged_routers import merge_routers
from shared.runtime.rows import thing_of
from shared.runtime.service.service_context import ServiceContext

WRITE_OFFS: Final = TableListing(check_write_offs, "check_write_off")
_LATE: Final = (Reason.CONTRADICTS, Reason.TOO_EARLY, Reason.TOO_LATE)


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes for the collection of counter checks."""
    return merge_routers(_of_checks(context), _write_offs(context))


def _of_checks(context: ServiceContext) -> APIRouter:
    router = APIRouter(prefix="/counter-checks/{property}", tags=["counter checks"])
    command = partial(command_route, router, context.commands, role=TRANSACT)
    command(BeginCollection, "/{serial}/collection", answers=CollectionBegun, rejects=(*DECIDED, *_LATE))
    return router


def _write_offs(context: ServiceContext) -> APIRouter:
    router = APIRouter(prefix="/check-write-offs/{property}", tags=["counter checks"])
    command = partial(command_route, router, context.commands, answers=CheckWriteOff)
    entered = (*DECIDED, Reason.CONTRADICTS)
    command(EnterCheckWriteOff, "", role=REQUEST_CREDIT_LINES, status=201, rejects=entered)
    one, path = "/{check_write_off}", router.prefix + "/{check_write_off}"
    decide = partial(command, role=APPROVE_CREDIT_LINES, subject=path)
    decide(ApproveCheckWriteOff, f"{one}/approve", rejects=(*BY_OTHERS, Reason.CONTRADICTS))
    decide(RejectCheckWriteOff, f"{one}/reject", rejects=DECIDED)
    recovered = partial(command_route, router, context.commands, answers=CheckRecovered, role=TRANSACT)
    recovered(RecoverCheck, f"{one}/recover", rejects=(Reason.NOT_FOUND, Reason.NOT_ALLOWED, *_LATE))

    @router.get(
        "",
        response_model_exclude_none=True,
        summary="List write-offs of Counter Checks",
        responses=problems(Reason.CURSOR_UNKNOWN),
    )
    async def list_check_write_offs(
        reader: CheckWriteOffReader, property_name: PropertyPath, asked: Asked
    ) -> Page[CheckWriteOff]:
        """List write-offs of counter checks by number, with their status and the amount recovered."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            return await WRITE_OFFS.read(connection, asked, partial(thing_of, CheckWriteOff), property=property_name)

    @router.get(
        one,
        response_model=CheckWriteOff,
        summary="Read a write-off of a Counter Check",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_check_write_off(
        request: Request, reader: CheckWriteOffReader, property_name: PropertyPath, check_write_off: NumberPath
    ) -> Response:
        """Return a write-off of a counter check as entered, with its status and the amount recovered."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            found = await find_check_write_off(connection, property_name, check_write_off)
        return document_response(request, found)

    return router
