"""Routes for bulk dismissals of quarantined records: list, show, request and decide."""

from dataclasses import asdict
from functools import partial
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Request, Response
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.rejection import Reason
from shared.journal.dismissals import list_dismissals, properties_of, read_dismissal
from shared.runtime.commands.bulk_dismissal import (
    ApproveDismissal,
    DismissalDocument,
    DismissalItem,
    DismissalWhole,
    RejectDismissal,
    RequestDismissal,
    read_many,
)
from shared.runtime.context import RuntimeContext
from shared.runtime.database import snapshot
from shared.runtime.http.access import Caller, caller_for_own
from shared.runtime.http.command_routes import CommandEngine, command_route
from shared.runtime.http.conditional_requests import UNCHANGED, document_response
from shared.runtime.http.pagination import Asked, Listing, Page
from shared.runtime.http.problems import problems
from shared.runtime.http.roles import APPROVE_QUARANTINE, MEND_QUARANTINE, READ_QUARANTINE

_ONE: Final = "/{dismissal}"

DISMISSALS: Listing[tuple[int]] = Listing("dismissals", tuple[int])

DismissalReader = Annotated[Caller, caller_for_own(READ_QUARANTINE, MEND_QUARANTINE, APPROVE_QUARANTINE)]


def dismissal_routes(context: RuntimeContext, commands: CommandEngine) -> APIRouter:
    """Return the routes for the bulk dismissals of a service.

    Register them before the routes for single records, which would match their paths, too.
    """
    readers, tables = context.pools.readers, context.tables
    router = APIRouter(prefix="/quarantine/dismissals", tags=["quarantine"])

    @router.get("", response_model_exclude_none=True, summary="List bulk dismissals of quarantined records")
    async def list_all(reader: DismissalReader, asked: Asked) -> Page[DismissalItem]:
        """Return requested dismissals with their decisions, oldest first, limited to the caller's properties.

        Callers who work for every property also see dismissals that name no property.
        """
        [after] = DISMISSALS.after(asked.cursor) or (0,)
        async with snapshot(readers) as connection:
            found = await list_dismissals(connection, tables, properties=reader.own, after=after, limit=asked.limit + 1)
        items = [DismissalItem(**asdict(one)) for one in found]
        return DISMISSALS.page(items, asked.limit, lambda item: (item.dismissal,))

    @router.get(
        _ONE,
        response_model=DismissalWhole,
        summary="Read a bulk dismissal of quarantined records",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def show_one(
        http: Request,
        reader: DismissalReader,
        dismissal: Annotated[int, Path(ge=1, le=2**31 - 1, description="the number of the bulk dismissal")],
    ) -> Response:
        """Return a bulk dismissal with the first records that its filter selects. An approval must contain its hash."""
        async with snapshot(readers) as connection:
            await require_own(connection, reader, dismissal)
            many = await read_many(connection, tables, dismissal)
        return document_response(http, many.whole)

    async def may_decide(caller: Caller, command: Any) -> None:
        """Check that the caller works for the dismissal's property, or for every property if it names none."""
        async with snapshot(context.pools.commands) as connection:
            await require_own(connection, caller, command.dismissal)

    async def require_own(connection: AsyncConnection, caller: Caller, number: int) -> None:
        """Check that the caller works for the dismissal's property, or for every property if it names none.

        Raises: Rejected, with the same answer for a dismissal of another property as for a missing one.
        """
        found = await read_dismissal(connection, tables, number)
        caller.require_properties_of(f"dismissal {number}", () if found is None else properties_of(found))

    decides = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED)
    command = partial(command_route, router, commands, answers=DismissalDocument)
    command(RequestDismissal, "", role=MEND_QUARANTINE, status=201, rejects=(Reason.NOT_FOUND, Reason.NOT_ALLOWED))
    decide = partial(command, role=APPROVE_QUARANTINE, subject=router.prefix + _ONE, whose=may_decide)
    decide(ApproveDismissal, _ONE + "/approve", rejects=(*decides, Reason.SAME_PERSON))
    decide(RejectDismissal, _ONE + "/reject", rejects=decides)
    return router
