"""Routes of statistical alarms: assignment and conclusion."""

from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Path, Request, Response

from services.table_inventory.api.access import RESOLVE_ALARMS, AlarmReader
from services.table_inventory.commands.alarms import OwnAlarm, ResolveAlarm
from services.table_inventory.domain.alarms import AlarmCase
from services.table_inventory.queries.alarms import cases_of, find_case
from shared.contracts.alarms import AlarmName
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.database import snapshot
from shared.runtime.http import (
    UNCHANGED,
    Asked,
    Listing,
    Page,
    PropertyPath,
    command_route,
    document_response,
    problems,
)
from shared.runtime.service.service_context import ServiceContext

CASES: Final[Listing[tuple[str]]] = Listing("alarms", tuple[str])


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes of alarms."""
    router = APIRouter(prefix="/alarms/{property}", tags=["alarms"])
    command = partial(command_route, router, context.commands, role=RESOLVE_ALARMS, answers=AlarmCase)
    command(OwnAlarm, "/{alarm}/own", rejects=(Reason.NOT_FOUND, Reason.ALREADY_DECIDED))
    rejects = (Reason.NOT_ALLOWED, Reason.ALREADY_DECIDED, Reason.TOO_EARLY)
    command(ResolveAlarm, "/{alarm}/resolve", rejects=rejects, subject=router.prefix + "/{alarm}")

    @router.get(
        "",
        response_model_exclude_none=True,
        summary="List alarms under investigation",
        responses=problems(Reason.CURSOR_UNKNOWN),
    )
    async def list_alarms(reader: AlarmReader, property_name: PropertyPath, asked: Asked) -> Page[AlarmCase]:
        """List alarms by name, with owners, and with conclusions if resolved."""
        del reader
        after = CASES.after(asked.cursor)
        async with snapshot(context.pools.readers) as connection:
            found = await cases_of(connection, property_name, after[0] if after else "", asked.limit + 1)
        return CASES.page(found, asked.limit, lambda one: (one.alarm,))

    @router.get(
        "/{alarm}",
        response_model=AlarmCase,
        summary="Read the investigation of an alarm",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_alarm(
        request: Request,
        reader: AlarmReader,
        property_name: PropertyPath,
        alarm: Annotated[AlarmName, Path(description="the alarm, as named by the exceptions report")],
    ) -> Response:
        """Return an alarm with its owner, and with its conclusion if it is resolved."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            found = await find_case(connection, property_name, alarm)
        if found is None:
            raise Rejected(Reason.NOT_FOUND, f"nobody looks into alarm {alarm!r} of {property_name}")
        return document_response(request, found)

    return router
