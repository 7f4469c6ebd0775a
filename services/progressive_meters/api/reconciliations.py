"""Reading what is about to be reconciled: a gaming day as it stands, and what does not agree on it."""

from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response

from services.progressive_meters.api.parameters import DAY_READER
from services.progressive_meters.domain.reconciling import ExceptionItem, ExceptionKind, Reconciliation, reconciliation
from services.progressive_meters.queries.books import day_of, last_reconciled
from services.progressive_meters.tables import journal
from shared.contracts.rejection import Reason
from shared.journal.reading import input_open
from shared.runtime.service.context import ServiceContext
from shared.runtime.web import (
    UNCHANGED,
    Asked,
    Day,
    Listing,
    Page,
    PropertyPath,
    TableChoice,
    document_response,
    problems,
    snapshot,
)

EXCEPTIONS: Final[Listing[tuple[str, str, str, str, str]]] = Listing("exceptions", tuple[str, str, str, str, str])

DayPath = Annotated[Day, Path(description="the gaming day")]


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes."""
    path = "/reconciliations/{property}/{gaming_day}"
    router = APIRouter(prefix=path, tags=["reconciliations"], dependencies=[DAY_READER])

    @router.get(
        "", response_model=Reconciliation, summary="Read a gaming day as it would be recorded now", responses=UNCHANGED
    )
    async def read_reconciliation(request: Request, property_name: PropertyPath, gaming_day: DayPath) -> Response:
        """opening + seed + contribution - award + reset + transfer + released = closing, of each pool, exactly."""
        async with snapshot(context.engine) as connection:
            day = await day_of(connection, property_name, gaming_day)
            recorded = await last_reconciled(connection, property_name, gaming_day)
            open_ = await input_open(connection, journal)
        about = {"property": property_name, "gaming_day": gaming_day, "input_open": open_}
        return document_response(request, reconciliation(day, recorded, **about))

    @router.get(
        "/exceptions",
        response_model_exclude_none=True,
        summary="List what does not agree",
        responses=problems(Reason.CURSOR_UNKNOWN),
    )
    async def list_exceptions(
        property_name: PropertyPath,
        gaming_day: DayPath,
        asked: Asked,
        table: TableChoice = None,
        kind: Annotated[ExceptionKind | None, Query(description="only of this kind")] = None,
    ) -> Page[ExceptionItem]:
        """Readings that are not the ledger's, contributions that are not rate times wagers, other reset amounts."""
        after = EXCEPTIONS.after(asked.cursor)
        async with snapshot(context.engine) as connection:
            day = await day_of(connection, property_name, gaming_day)
        left = [
            one
            for one in day.exceptions
            if table in (None, one.table) and kind in (None, one.kind) and (after is None or one.key > after)
        ]
        return EXCEPTIONS.page(left, asked.limit, lambda item: item.key)

    return router
