"""The reports of a gaming day: the reconciliation, what does not agree, and the awards."""

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from services.progressive_meters.api.parameters import DayReader
from services.progressive_meters.domain.documents import HitItem
from services.progressive_meters.domain.reports import (
    ExceptionKind,
    ExceptionList,
    Reconciliation,
    report,
)
from services.progressive_meters.queries.books import day_of, last_reconciled
from services.progressive_meters.tables import day_changes, days, hits, journal
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason
from shared.runtime.rows import thing_of
from shared.runtime.service.context import ServiceContext
from shared.runtime.web import (
    REPORT,
    Asked,
    AskedOfDay,
    DayQuery,
    Headers,
    Listing,
    Page,
    PropertyQuery,
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
    headers = Headers(journal, context.clock, days, day_changes)

    @router.get(
        "/reconciliation",
        response_model=Reconciliation,
        summary="Reconcile the pools of a property for a gaming day",
        responses=REPORT,
    )
    async def read_reconciliation(
        request: Request, reader: DayReader, property_name: PropertyQuery, gaming_day: DayQuery
    ) -> Response:
        """opening + seed + contribution - award + reset + transfer + released = closing, of each pool, exactly."""
        async with snapshot(context.engine) as connection:
            day = await day_of(connection, property_name, gaming_day)
            recorded = await last_reconciled(connection, property_name, gaming_day)
            head = await headers.of_day(connection, reader, property_name, gaming_day)
        return report_response(request, report(day, recorded, **head))

    @router.get(
        "/exceptions",
        response_model=ExceptionList,
        summary="List what does not agree",
        responses={**REPORT, **problems(Reason.CURSOR_UNKNOWN)},
    )
    async def list_exceptions(
        request: Request,
        reader: DayReader,
        asked: AskedOfDay,
        kind: Annotated[ExceptionKind | None, Query(description="only of this kind")] = None,
    ) -> Response:
        """Readings that are not the ledger's, contributions that are not rate times wagers, other reset amounts."""
        async with snapshot(context.engine) as connection:
            day = await day_of(connection, asked.property, asked.gaming_day)
            head = await headers.of_day(connection, reader, asked.property, asked.gaming_day)
        found = [one for one in day.exceptions if asked.table in (None, one.table) and kind in (None, one.kind)]
        page = EXCEPTIONS.page_of(found, asked, lambda item: item.key)
        return report_response(request, ExceptionList(**head, items=page.items, next=page.next))

    @router.get(
        "/hits",
        response_model_exclude_none=True,
        summary="List awards",
        responses=problems(Reason.CURSOR_UNKNOWN),
    )
    async def list_hits(
        reader: DayReader,
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
