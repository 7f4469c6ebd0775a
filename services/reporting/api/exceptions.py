"""Routes of the list of exceptions."""

from datetime import date
from importlib.metadata import version
from typing import Annotated

from fastapi import APIRouter, Query

from services.reporting import queries
from services.reporting.domain.exceptions import ExceptionKind, Exceptions, ExceptionStatus
from services.reporting.queries import ExceptionKey
from services.reporting.tables import journal
from shared.contracts.envelope import Name
from shared.contracts.topics import SETTLEMENTS
from shared.journal.reading import reached
from shared.runtime.service.context import ServiceContext
from shared.runtime.web import (
    Asked,
    Listing,
    ReportReader,
    snapshot,
)

EXCEPTIONS: Listing[ExceptionKey] = Listing("exceptions", ExceptionKey)


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes, reading the database of a running service."""
    router = APIRouter(prefix="/reports", tags=["reports"])

    @router.get("/exceptions", response_model_exclude_none=True, summary="List exceptions")
    async def list_exceptions(
        reader: ReportReader,
        asked: Asked,
        property_name: Annotated[
            Name | None, Query(alias="property", description="of this property, or of none that is known")
        ] = None,
        gaming_day: Annotated[
            date | None, Query(description="of this gaming day, or open and of none that is known")
        ] = None,
        table: Annotated[Name | None, Query(description="of this table, or of none that is known")] = None,
        kind: Annotated[ExceptionKind | None, Query(description="only of this kind")] = None,
        status: Annotated[ExceptionStatus | None, Query(description="only of this status")] = None,
    ) -> Exceptions:
        """Gaps in streams, refused records, rounds that were taken back, voided or superseded, and notices."""
        after = EXCEPTIONS.after(asked.cursor)
        async with snapshot(context.engine) as connection:
            found = await queries.exceptions_after(
                connection,
                property_name=property_name,
                gaming_day=gaming_day,
                table=table,
                kind=kind,
                status=status,
                after=after,
                limit=asked.limit + 1,
            )
            read_to = await reached(connection, journal, SETTLEMENTS)
        page = EXCEPTIONS.page(
            found, asked.limit, lambda one: (one.since, one.entry.service, one.entry.shard, one.entry.seq, one.number)
        )
        return Exceptions(
            system_version=version("pitledger"),
            generated_at=context.clock(),
            generated_by=reader,
            through=read_to,
            items=page.items,
            next=page.next,
        )

    return router
