"""Routes for reading the reconciliation of a gaming day: its current figures, meter readings, and exceptions."""

from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response

from services.progressive_meters.api.parameters import DAY_READER, PoolName
from services.progressive_meters.domain.reconciling import (
    ExceptionItem,
    ExceptionKind,
    ReadingItem,
    Reconciliation,
    reconciliation,
)
from services.progressive_meters.queries.books import day_of, exceptions_of, last_reconciled, readings_beside_ledger
from services.progressive_meters.tables import journal, readings
from shared.contracts.rejection import Reason
from shared.journal.reading import input_open
from shared.runtime.database import snapshot
from shared.runtime.http import (
    UNCHANGED,
    Asked,
    Day,
    FromEnd,
    Listing,
    Page,
    PropertyPath,
    TableChoice,
    TableListing,
    document_response,
    problems,
)
from shared.runtime.service.service_context import ServiceContext

READINGS: Final = TableListing(readings, "number")
EXCEPTIONS: Final[Listing[tuple[str, str, str, str, str]]] = Listing("exceptions", tuple[str, str, str, str, str])

DayPath = Annotated[Day, Path(description="the gaming day")]
Again = Annotated[
    bool,
    Query(
        description="whether to compare every movement and reading of the day again; by default, stored results are "
        "reused for the hours that have not changed since they were compared"
    ),
]


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes for reading reconciliations."""
    path = "/reconciliations/{property}/{gaming_day}"
    router = APIRouter(prefix=path, tags=["reconciliations"], dependencies=[DAY_READER])

    @router.get("", response_model=Reconciliation, summary="Preview the record of a gaming day", responses=UNCHANGED)
    async def read_reconciliation(
        request: Request, property_name: PropertyPath, gaming_day: DayPath, again: Again = True
    ) -> Response:
        """Return a gaming day's reconciliation, with one row for each pool.

        In each row, opening + seed + contribution - award + reset + transfer + released = closing.
        """
        async with snapshot(context.pools.readers) as connection:
            day = await day_of(connection, property_name, gaming_day, again=again)
            recorded = await last_reconciled(connection, property_name, gaming_day)
            open_ = await input_open(connection, journal)
        about = {"property": property_name, "gaming_day": gaming_day, "input_open": open_}
        return document_response(request, reconciliation(day, recorded, **about))

    @router.get(
        "/exceptions",
        response_model_exclude_none=True,
        summary="List meter exceptions",
        responses=problems(Reason.CURSOR_UNKNOWN),
    )
    async def list_exceptions(
        property_name: PropertyPath,
        gaming_day: DayPath,
        asked: Asked,
        table: TableChoice = None,
        kind: Annotated[ExceptionKind | None, Query(description="only of this kind")] = None,
        again: Again = True,
    ) -> Page[ExceptionItem]:
        """List a gaming day's exceptions: wrong readings, contributions or reset amounts; awards above a meter."""
        after = EXCEPTIONS.after(asked.cursor)
        async with snapshot(context.pools.readers) as connection:
            found = await exceptions_of(connection, property_name, gaming_day, again=again)
        left = [
            one
            for one in found
            if table in (None, one.table) and kind in (None, one.kind) and (after is None or one.key > after)
        ]
        return EXCEPTIONS.page(left, asked.limit, lambda item: item.key)

    @router.get(
        "/pools/{pool}/readings",
        response_model_exclude_none=True,
        summary="List table readings of a pool beside the ledger",
        responses=problems(Reason.CURSOR_UNKNOWN),
    )
    async def list_readings(
        property_name: PropertyPath, gaming_day: DayPath, pool: PoolName, asked: Asked, from_end: FromEnd = False
    ) -> Page[ReadingItem]:
        """List a pool's meter readings in rounds in force, beside the ledger's readings, by movement number."""
        of = {"property": property_name, "gaming_day": gaming_day, "pool": pool, "standing": True}
        async with snapshot(context.pools.readers) as connection:
            page = await READINGS.read(connection, asked, lambda row: row, from_end, **of)
            return Page(items=await readings_beside_ledger(connection, property_name, page.items), next=page.next)

    return router
