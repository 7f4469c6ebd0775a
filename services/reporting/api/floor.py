"""Routes for watching the floor: the list of properties, and the current state of a property's tables."""

from typing import Annotated, Final

from fastapi import APIRouter, Query
from sqlalchemy import text

from services.reporting.read_model.floor import Floor, FloorNames, FloorOf, floor_of, names_of
from services.reporting.tables import properties
from shared.contracts.property_snapshot import place_for_command
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.database import snapshot
from shared.runtime.http import Day, PropertyPath, problems, require_role
from shared.runtime.http.access import Caller, caller_for_own
from shared.runtime.http.roles import READ_REPORTS, Role
from shared.runtime.http.segregation_of_duties import DUTY_OF
from shared.runtime.ingest.property_copies import known_places
from shared.runtime.service.service_context import ServiceContext

_ANY_ROLE: Final = tuple(Role(name, "") for name in DUTY_OF)

Anybody = Annotated[Caller, caller_for_own(*_ANY_ROLE)]
"""A caller with any role in this service."""

Worker = Annotated[str, require_role(*_ANY_ROLE)]
"""A caller with any role who works for the named property."""

Reader = Annotated[str, require_role(READ_REPORTS)]

_PROPERTIES: Final = text("SELECT DISTINCT property FROM reporting.properties ORDER BY property")


def routes(context: ServiceContext) -> APIRouter:
    """Return the router, whose routes read from the database of a running service."""
    router = APIRouter(prefix="/floors", tags=["floor"])

    @router.get("", summary="List the properties and their current gaming days")
    async def list_floors(caller: Anybody) -> list[FloorOf]:
        """List the properties that the caller works for, with the current gaming day and shift."""
        now = context.clock()
        async with snapshot(context.pools.readers) as connection:
            names = list((await connection.execute(_PROPERTIES)).scalars())
            own = [name for name in names if caller.own is None or name in caller.own]
            places = await known_places(connection, properties)
        found = []
        for name in own:
            try:
                place = place_for_command(places.place, name, now)
            except Rejected:  # approved, but not in effect yet
                continue
            document = place.document
            found.append(
                FloorOf(
                    property=name,
                    title=document.title,
                    time_zone=document.time_zone,
                    gaming_day=place.gaming_day(now),
                    pits=list(document.pits),
                    shift=place.shift_at(now),
                )
            )
        return found

    @router.get("/{property}", summary="Read the current state of the tables", responses=problems(Reason.NOT_FOUND))
    async def read_floor(
        reader: Reader,
        property_name: PropertyPath,
        gaming_day: Annotated[Day | None, Query(description="the gaming day; by default, the current one")] = None,
    ) -> Floor:
        """Return each table's rounds, handle, win, drop, exceptions, last round and alarms on a gaming day."""
        del reader
        now = context.clock()
        async with snapshot(context.pools.readers) as connection:
            place = place_for_command((await known_places(connection, properties)).place, property_name, now)
            return await floor_of(connection, place, gaming_day or place.gaming_day(now), now)

    @router.get("/{property}/names", summary="Read the names of a property", responses=problems(Reason.NOT_FOUND))
    async def read_names(worker: Worker, property_name: PropertyPath) -> FloorNames:
        """Return the tables, pits, games, shifts and so on of the current gaming day, as choices for input fields."""
        del worker
        now = context.clock()
        async with snapshot(context.pools.readers) as connection:
            place = place_for_command((await known_places(connection, properties)).place, property_name, now)
        return names_of(place, place.gaming_day(now))

    return router
