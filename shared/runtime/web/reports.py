"""Reports: the header that all have alike, how they are answered, and reading them in one snapshot."""

from collections.abc import AsyncIterator, Callable, Set
from contextlib import asynccontextmanager
from typing import Final, TypeVar

from fastapi import Request, Response
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from shared.contracts.rejection import Reason, Rejected
from shared.contracts.reports import ReportHeader
from shared.runtime.web.documents import CSV, JSON, UNCHANGED, accepted, entity_tag, respond
from shared.runtime.web.problems import Responses, problems

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


@asynccontextmanager
async def snapshot(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """Give a connection that reads one state of the database, whatever is recorded meanwhile, and writes nothing."""
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        yield connection
