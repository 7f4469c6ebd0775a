"""Reports: what is asked of them, the header that all have alike, how they are answered, reading in one snapshot."""

from collections.abc import AsyncIterator, Callable, Set
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Final, TypeVar

from fastapi import Depends, Path, Query, Request, Response
from sqlalchemy import Table
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.reports import ReportHeader
from shared.journal.reading import input_open
from shared.journal.tables import JournalTables
from shared.runtime.clock import Clock
from shared.runtime.consume.days import stage_of_day
from shared.runtime.web.access import person_with
from shared.runtime.web.documents import CSV, JSON, UNCHANGED, accepted, entity_tag, respond
from shared.runtime.web.pages import PageRequest
from shared.runtime.web.problems import Responses, problems
from shared.runtime.web.roles import READ_REPORTS

ReportReader = Annotated[str, person_with(READ_REPORTS)]

PropertyPath = Annotated[Name, Path(alias="property", description="the property")]
PropertyQuery = Annotated[Name, Query(alias="property", description="the property")]
PropertyChoice = Annotated[Name | None, Query(alias="property", description="only of this property")]
DayQuery = Annotated[date, Query(description="the gaming day")]
TableChoice = Annotated[Name | None, Query(description="only of this table")]


@dataclass(frozen=True, slots=True, kw_only=True)
class DayListRequest(PageRequest):
    """Which page of a list about a gaming day is asked for."""

    property: PropertyQuery
    gaming_day: DayQuery
    table: TableChoice = None


AskedOfDay = Annotated[DayListRequest, Depends()]
"""The page of a list about a gaming day that is asked for, as a parameter of a route."""

_GENERATED: Final = {"generated_at", "generated_by"}
"""What differs each time a report is read, and so does not enter its ETag."""


ReportT = TypeVar("ReportT", bound=ReportHeader)

REPORT: Final[Responses] = UNCHANGED
"""For the `responses` of a route that answers with a report as JSON."""

REPORT_OR_CSV: Final[Responses] = {
    200: {"content": {CSV: {"schema": {"type": "string"}}}},
    **UNCHANGED,
    **problems(Reason.NOT_ACCEPTABLE),
}
"""For the `responses` of a route that answers with a report as JSON or as CSV."""


def report_response(
    request: Request,
    report: ReportT,
    *,
    as_csv: Callable[[ReportT], str] | None = None,
    name: str = "report",
    untagged: Set[str] = frozenset(),
) -> Response:
    """Return a report with its ETag, or 304: as JSON, or as a CSV file of a name where the caller prefers that.

    The ETag does not depend on when and by whom the report was generated, nor on the fields that are `untagged`.
    Raises: Rejected where the caller accepts neither.
    """
    offered = (JSON,) if as_csv is None else (JSON, CSV)
    asked = request.headers.get("accept", "")
    media_type = accepted(asked, offered)
    if media_type is None:
        raise Rejected(Reason.NOT_ACCEPTABLE, f"'Accept: {asked}' does not allow {' or '.join(offered)}")
    tag = entity_tag(media_type + report.model_dump_json(exclude={*_GENERATED, *untagged}))
    if as_csv is None or media_type == JSON:
        return respond(request, report.model_dump_json(), JSON, tag)
    response = respond(request, as_csv(report), f"{CSV}; header=present", tag)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


@dataclass(frozen=True, slots=True)
class Headers:
    """Makes the headers of a service's reports; `days` is its copy of how far gaming days have come,

    and `changes` says when it last recorded money of them.
    """

    tables: JournalTables
    clock: Clock
    days: Table | None = None
    changes: Table | None = None

    async def header(
        self, connection: AsyncConnection, reader: str, property_name: str, /, **more: Any
    ) -> dict[str, Any]:
        """Return what every report says of itself but its status, and more."""
        return {
            "property": property_name,
            "generated_at": self.clock(),
            "generated_by": reader,
            "input_open": await input_open(connection, self.tables),
            **more,
        }

    async def of_day(
        self, connection: AsyncConnection, reader: str, property_name: str, gaming_day: date
    ) -> dict[str, Any]:
        """Return what a report about a gaming day says of itself."""
        assert self.days is not None, "the service keeps how far gaming days have come"
        assert self.changes is not None, "the service keeps when gaming days changed"
        status = await stage_of_day(connection, self.days, self.changes, property_name, gaming_day)
        return await self.header(connection, reader, property_name, gaming_day=gaming_day, status=status)


@asynccontextmanager
async def snapshot(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """Give a connection that reads one state of the database, whatever is recorded meanwhile, and writes nothing."""
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        yield connection
