"""The HTTP interface of vigorish: the report, the exceptions, and the lines behind them."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

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
from services.vigorish.tables import day_changes, days, journal, lines
from shared.runtime.service.context import ServiceContext
from shared.runtime.web import (
    REPORT,
    AskedOfDay,
    DayQuery,
    Headers,
    Listing,
    Page,
    PropertyQuery,
    ReportReader,
    TableChoice,
    TableListing,
    report_response,
    snapshot,
)

EXCEPTIONS: Listing[ExceptionKey] = Listing("exceptions", ExceptionKey)
ASSESSMENTS = TableListing(lines, "table_name", "round_id", "revision", "line")


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes, reading the database of a running service."""
    router = APIRouter(prefix="/reports", tags=["reports"])
    headers = Headers(journal, context.clock, days, day_changes)

    @router.get("/vigorish", response_model=VigorishReport, summary="Read the vigorish of a property", responses=REPORT)
    async def read_vigorish(
        request: Request,
        reader: ReportReader,
        property_name: PropertyQuery,
        gaming_day: DayQuery,
        table: TableChoice = None,
    ) -> Response:
        """Assessed, collected, waived, returned and outstanding; by table, seat, dealer, shift, and who owes it."""
        async with snapshot(context.engine) as connection:
            rows = await queries.owed_on(connection, property_name, gaming_day, table)
            found = report(rows, **await headers.of_day(connection, reader, property_name, gaming_day))
        return report_response(request, found)

    @router.get(
        "/exceptions", response_model=ExceptionList, summary="List vigorish that is not as it must be", responses=REPORT
    )
    async def list_exceptions(
        request: Request,
        reader: ReportReader,
        asked: AskedOfDay,
        kind: Annotated[ExceptionKind | None, Query(description="only of this kind")] = None,
    ) -> Response:
        """Outstanding at the end of a round, too much or late, and what rate and rounding do not explain."""
        async with snapshot(context.engine) as connection:
            rows = await queries.owed_on(connection, asked.property, asked.gaming_day, asked.table)
            head = await headers.of_day(connection, reader, asked.property, asked.gaming_day)
        found = [item for item in exceptions(rows) if kind is None or item.kind == kind]
        page = EXCEPTIONS.page_of(found, asked, lambda item: item.key)
        return report_response(request, ExceptionList(**head, items=page.items, next=page.next))

    @router.get("/assessments", response_model_exclude_none=True, summary="List what was assessed, line by line")
    async def list_assessments(reader: ReportReader, asked: AskedOfDay) -> Page[LineItem]:
        """Base, rate, rounding rule and result of each line, with the entry of the journal that says so."""
        del reader
        wanted = {"property": asked.property, "gaming_day": asked.gaming_day, "table_name": asked.table}
        async with snapshot(context.engine) as connection:
            return await ASSESSMENTS.read(connection, asked, queries.line_of, **wanted)

    return router
