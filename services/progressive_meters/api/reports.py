"""The reports of a gaming day: the reconciliation, what does not agree, and the awards."""

from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from sqlalchemy.ext.asyncio import AsyncConnection

from services.progressive_meters.api.parameters import PropertyQuery, ReportReader
from services.progressive_meters.domain.documents import HitItem
from services.progressive_meters.domain.reports import (
    ExceptionKind,
    ExceptionList,
    Reconciliation,
    exceptions_after,
    report,
)
from services.progressive_meters.queries.books import day_of, last_reconciled
from services.progressive_meters.tables import days, hits, journal
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason
from shared.journal.reading import input_open
from shared.runtime.consume.days import day_status
from shared.runtime.rows import thing_of
from shared.runtime.service.context import ServiceContext
from shared.runtime.web import (
    REPORT,
    Asked,
    Cursor,
    Limit,
    Listing,
    Page,
    TableListing,
    problems,
    report_response,
    snapshot,
)

ExceptionKey = tuple[str, str, str, str, str]

HITS = TableListing(hits, "pool", "number", "line")
EXCEPTIONS: Listing[ExceptionKey] = Listing("exceptions", ExceptionKey)


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes."""
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

    @router.get(
        "/reconciliation",
        response_model=Reconciliation,
        summary="Reconcile the pools of a property for a gaming day",
        responses=REPORT,
    )
    async def read_reconciliation(
        request: Request, reader: ReportReader, property_name: PropertyQuery, gaming_day: date
    ) -> Response:
        """opening + seed + contribution - award + reset + transfer + released = closing, of each pool, exactly."""
        async with snapshot(context.engine) as connection:
            day = await day_of(connection, property_name, gaming_day)
            recorded = await last_reconciled(connection, property_name, gaming_day)
            head = await header(connection, reader, property_name, gaming_day)
        return report_response(request, report(day, recorded, **head))

    @router.get(
        "/exceptions",
        response_model=ExceptionList,
        summary="List what does not agree",
        responses={**REPORT, **problems(Reason.CURSOR_UNKNOWN)},
    )
    async def list_exceptions(
        request: Request,
        reader: ReportReader,
        property_name: PropertyQuery,
        gaming_day: date,
        table: Annotated[Name | None, Query(description="only this table")] = None,
        kind: Annotated[ExceptionKind | None, Query(description="only of this kind")] = None,
        limit: Limit = 500,
        cursor: Cursor = None,
    ) -> Response:
        """Readings that are not the ledger's, contributions that are not rate times wagers, other reset amounts."""
        after = EXCEPTIONS.after(cursor)
        async with snapshot(context.engine) as connection:
            day = await day_of(connection, property_name, gaming_day)
            head = await header(connection, reader, property_name, gaming_day)
        found = exceptions_after(day.exceptions, table=table, kind=kind, after=after)
        page = EXCEPTIONS.page(found, limit, lambda item: item.key)
        return report_response(request, ExceptionList(**head, items=page.items, next=page.next))

    @router.get(
        "/hits",
        response_model_exclude_none=True,
        summary="List awards",
        responses=problems(Reason.CURSOR_UNKNOWN),
    )
    async def list_hits(
        reader: ReportReader,
        property_name: PropertyQuery,
        asked: Asked,
        pool: Annotated[Name | None, Query()] = None,
        gaming_day: Annotated[date | None, Query()] = None,
    ) -> Page[HitItem]:
        """What came off meters: table, round, seat, wager, category, amount."""
        del reader
        async with snapshot(context.engine) as connection:
            return await HITS.read(
                connection,
                asked,
                lambda row: thing_of(HitItem, row),
                property=property_name,
                pool=pool,
                gaming_day=gaming_day,
            )

    return router
