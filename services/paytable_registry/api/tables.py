"""Routes of a property's tables and devices: the master list on a gaming day, and the tables of a month."""

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from services.paytable_registry.api.access import PROPERTIES_READER
from services.paytable_registry.domain.table_list import DeviceLine, MonthLine, TableLine, by_month, master_list
from services.paytable_registry.queries import properties
from shared.contracts.investigations import Month
from shared.contracts.rejection import Reason
from shared.runtime.database import snapshot
from shared.runtime.http import UNCHANGED, Day, PropertyPath, document_response, problems
from shared.runtime.service.service_context import ServiceContext


class MasterList(BaseModel):
    """The tables of a property and the devices at each, on a gaming day."""

    property: str
    version: int = Field(description="the version of the property in effect on the day")
    gaming_day: date
    tables: list[TableLine]
    devices: list[DeviceLine]


class TablesOfMonth(BaseModel):
    """The tables that were open in a month, with the number of gaming days on which each was open."""

    property: str
    month: str
    tables: list[MonthLine]


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes, which read the database of the running service."""
    router = APIRouter(prefix="/properties", tags=["tables"], dependencies=[PROPERTIES_READER])
    responses = {**UNCHANGED, **problems(Reason.NOT_FOUND)}

    @router.get(
        "/{property}/tables/list", response_model=MasterList, summary="Read the table master list", responses=responses
    )
    async def read_master_list(
        request: Request,
        property_name: PropertyPath,
        gaming_day: Annotated[Day | None, Query(description="the gaming day; default: today's")] = None,
    ) -> Response:
        """List every table in use on a gaming day, with its asset number, game, pit and devices."""
        async with snapshot(context.pools.readers) as connection:
            place = await properties.place(connection, property_name, context.clock(), gaming_day)
        day = place.gaming_day(context.clock()) if gaming_day is None else gaming_day
        tables, devices = master_list(place.document, day)
        found = MasterList(
            property=property_name,
            version=place.document.version,
            gaming_day=day,
            tables=tables,
            devices=devices,
        )
        return document_response(request, found)

    @router.get(
        "/{property}/tables/by-month",
        response_model=TablesOfMonth,
        summary="Read the tables of a month",
        responses=responses,
    )
    async def read_tables_of_month(
        request: Request,
        property_name: PropertyPath,
        month: Annotated[Month, Query(description="the month, YYYY-MM")],
    ) -> Response:
        """List the tables that were open in a month, with their games and the number of gaming days."""
        async with snapshot(context.pools.readers) as connection:
            places = await properties.places(connection, property_name)
        return document_response(
            request, TablesOfMonth(property=property_name, month=month, tables=by_month(places, month))
        )

    return router
