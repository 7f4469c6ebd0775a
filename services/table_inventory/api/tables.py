"""Routes of the pit: expected table inventories, and equipment that is due."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import AwareDatetime, BaseModel

from services.table_inventory.api.access import SlipReader
from services.table_inventory.domain.equipment import Clock
from services.table_inventory.domain.windows import InventoryRow
from services.table_inventory.queries.equipment import clocks_of
from services.table_inventory.queries.windows import running_windows
from services.table_inventory.tables import journal, properties
from shared.contracts.property_snapshot import place_for_command
from shared.contracts.rejection import Reason
from shared.contracts.reports import Reached
from shared.contracts.topics import SETTLEMENTS
from shared.journal.reading import reached
from shared.runtime.database import snapshot
from shared.runtime.http import UNCHANGED, Moment, PropertyQuery, document_response, problems
from shared.runtime.ingest.property_copies import known_places
from shared.runtime.service.service_context import ServiceContext


class Inventories(BaseModel):
    """The expected inventory of every table at a moment; `through` is the position up to which settlements are read."""

    property: str
    at: AwareDatetime
    through: list[Reached]
    tables: list[InventoryRow]


class Clocks(BaseModel):
    """The due times of equipment checks at open tables."""

    items: list[Clock]


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes of inventories and equipment."""
    router = APIRouter(tags=["tables"], responses=UNCHANGED)

    @router.get(
        "/inventories",
        response_model=Inventories,
        summary="Read the expected inventories",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_inventories(
        request: Request,
        reader: SlipReader,
        property_name: PropertyQuery,
        at: Annotated[Moment | None, Query(description="the moment, with its time zone; by default now")] = None,
    ) -> Response:
        """Return the last count of each table, the movements since, and the expected inventory."""
        del reader
        moment = at or context.clock()
        async with snapshot(context.pools.readers) as connection:
            place = place_for_command((await known_places(connection, properties)).place, property_name, moment)
            windows = await running_windows(connection, place, property_name, moment)
            through = await reached(connection, journal, SETTLEMENTS)
        rows = [InventoryRow.of(window) for window in windows]
        return document_response(request, Inventories(property=property_name, at=moment, through=through, tables=rows))

    @router.get("/equipment", response_model=Clocks, summary="Read the equipment clocks")
    async def read_equipment(request: Request, reader: SlipReader, property_name: PropertyQuery) -> Response:
        """Return the due times for changing or checking the cards, dice, card readers and stubs of open tables."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            found = Clocks(items=await clocks_of(connection, property_name, context.clock()))
        return document_response(request, found)

    return router
