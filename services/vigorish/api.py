"""The HTTP interface of vigorish: the report, the exceptions, and the lines behind them."""

from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from sqlalchemy.ext.asyncio import AsyncConnection

from services.vigorish import queries
from services.vigorish.domain.reports import (
    ExceptionKey,
    ExceptionKind,
    ExceptionList,
    LineItem,
    VigorishReport,
    exceptions,
    report,
)
from services.vigorish.queries import LineKey
from services.vigorish.tables import days, journal
from shared.contracts.envelope import Name
from shared.journal.reading import input_open
from shared.runtime.consume.days import day_status
from shared.runtime.service.context import ServiceContext
from shared.runtime.web import REPORT, Cursor, Limit, Listing, Page, person_with, report_response, snapshot
from shared.runtime.web.roles import READ_REPORTS

Reader = Annotated[str, person_with(READ_REPORTS)]
PropertyName = Annotated[Name, Query(alias="property", description="the property")]
TableName = Annotated[Name | None, Query(description="only this table")]

EXCEPTIONS: Listing[ExceptionKey] = Listing("exceptions", ExceptionKey)
ASSESSMENTS: Listing[LineKey] = Listing("assessments", LineKey)


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes, reading the database of a running service."""
    router = APIRouter(prefix="/reports", tags=["reports"])

    async def header(connection: AsyncConnection, reader: str, property_name: str, gaming_day: date) -> dict[str, Any]:
        return {
            "property": property_name,
            "gaming_day": gaming_day,
            "status": await day_status(connection, days, property_name, gaming_day),
            "generated_at": context.clock(),
            "generated_by": reader,
            "input_open": await input_open(connection, journal),
        }

    @router.get("/vigorish", response_model=VigorishReport, summary="Read the vigorish of a property", responses=REPORT)
    async def read_vigorish(
        request: Request, reader: Reader, property_name: PropertyName, gaming_day: date, table: TableName = None
    ) -> Response:
        """Assessed, collected, waived, returned and outstanding; by table, seat, dealer, shift, and who owes it."""
        async with snapshot(context.engine) as connection:
            rows = await queries.owed_on(connection, property_name, gaming_day, table)
            found = report(rows, **await header(connection, reader, property_name, gaming_day))
        return report_response(request, found)

    @router.get(
        "/exceptions", response_model=ExceptionList, summary="List vigorish that is not as it must be", responses=REPORT
    )
    async def list_exceptions(
        request: Request,
        reader: Reader,
        property_name: PropertyName,
        gaming_day: date,
        table: TableName = None,
        kind: Annotated[ExceptionKind | None, Query(description="only of this kind")] = None,
        limit: Limit = 500,
        cursor: Cursor = None,
    ) -> Response:
        """Outstanding at the end of a round, too much or late, and what rate and rounding do not explain."""
        async with snapshot(context.engine) as connection:
            rows = await queries.owed_on(connection, property_name, gaming_day, table)
            head = await header(connection, reader, property_name, gaming_day)
        found = [item for item in exceptions(rows) if kind is None or item.kind == kind]
        page = EXCEPTIONS.page_of(found, limit, cursor, lambda item: item.key)
        return report_response(request, ExceptionList(**head, items=page.items, next=page.next))

    @router.get("/assessments", response_model_exclude_none=True, summary="List what was assessed, line by line")
    async def list_assessments(
        reader: Reader,
        property_name: PropertyName,
        gaming_day: date,
        table: TableName = None,
        limit: Limit = 50,
        cursor: Cursor = None,
    ) -> Page[LineItem]:
        """Base, rate, rounding rule and result of each line, with the entry of the journal that says so."""
        del reader
        after = ASSESSMENTS.after(cursor)
        async with snapshot(context.engine) as connection:
            found = await queries.lines_after(
                connection, property_name, gaming_day, table=table, after=after, limit=limit + 1
            )
        page = ASSESSMENTS.page(found, limit, lambda keyed: keyed[0])
        return Page(items=[item for _, item in page.items], next=page.next)

    return router
