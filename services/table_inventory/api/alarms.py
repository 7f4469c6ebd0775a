"""Routes of alarms: who looks into one that the statistics raised, and what was found."""

from functools import partial
from typing import Final

from fastapi import APIRouter

from services.table_inventory.api.access import RESOLVE_ALARMS, AlarmReader
from services.table_inventory.commands.alarms import OwnAlarm, ResolveAlarm
from services.table_inventory.domain.alarms import AlarmCase
from services.table_inventory.queries.alarms import cases_of
from shared.contracts.rejection import Reason
from shared.runtime.database import snapshot
from shared.runtime.service.context import ServiceContext
from shared.runtime.web import Asked, Listing, Page, PropertyPath, command_route, problems

CASES: Final[Listing[tuple[str]]] = Listing("alarms", tuple[str])


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/alarms/{property}", tags=["alarms"])
    command = partial(command_route, router, context.commands, role=RESOLVE_ALARMS, answers=AlarmCase)
    command(OwnAlarm, "/{alarm}/own", rejects=(Reason.NOT_FOUND, Reason.ALREADY_DECIDED))
    command(ResolveAlarm, "/{alarm}/resolve", rejects=(Reason.NOT_ALLOWED, Reason.ALREADY_DECIDED, Reason.TOO_EARLY))

    @router.get(
        "",
        response_model_exclude_none=True,
        summary="List alarms that somebody looks into",
        responses=problems(Reason.CURSOR_UNKNOWN),
    )
    async def list_alarms(reader: AlarmReader, property_name: PropertyPath, asked: Asked) -> Page[AlarmCase]:
        """With who does, and the conclusion of those that are resolved, in the order of their names."""
        del reader
        after = CASES.after(asked.cursor)
        async with snapshot(context.pools.readers) as connection:
            found = await cases_of(connection, property_name, after[0] if after else "", asked.limit + 1)
        return CASES.page(found, asked.limit, lambda one: (one.alarm,))

    return router
