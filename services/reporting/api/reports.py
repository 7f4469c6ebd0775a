"""Routes of all reports: the list, each report in any format, and the entries behind a cell."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from tempfile import SpooledTemporaryFile
from typing import IO, Annotated, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import TypeAdapter

from services.reporting.framework.definition import Report
from services.reporting.framework.document import Document, Period
from services.reporting.framework.question import ReportQuery
from services.reporting.rendering import FORMATS, FormatName, require_room, write
from services.reporting.report_service import Definition, Provenance, answer, ask, explain
from services.reporting.reports import REPORTS
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.cancellation import GoOn, in_thread
from shared.runtime.http import Day, Moment, PropertyQuery, TableChoice, require_role
from shared.runtime.http.access import caller_with
from shared.runtime.http.admission import FULL, AdmissionQueue
from shared.runtime.http.conditional_requests import JSON, UNCHANGED, accepted, entity_tag, is_current, respond
from shared.runtime.http.problems import problems
from shared.runtime.http.roles import READ_PATRON_REPORTS, READ_REPORTS
from shared.runtime.service.service_context import ServiceContext
from shared.runtime.snapshot_reader import SnapshotReader, read_at_once

AnyReader = Annotated[str, require_role(READ_REPORTS, READ_PATRON_REPORTS)]
ReaderOfDefinitions = Annotated[str, require_role(READ_REPORTS, READ_PATRON_REPORTS, whose="none")]
"""A caller who may read reports of any kind; each report defines the role that it requires."""

ReportName = Annotated[str, Path(description="the name of the report, as in the list of reports")]


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """The query parameters of a report: the period that contains `gaming_day`, and the as-of time (default: now)."""

    property: PropertyQuery
    gaming_day: Annotated[Day, Query(description="the gaming day, or any gaming day in the period")]
    period: Annotated[Period, Query(description="the length of the reported period")] = "day"
    known_at: Annotated[Moment | None, Query(description="the as-of time, with its time zone; by default, now")] = None
    table: TableChoice = None
    game: Annotated[Name | None, Query(description="only this game")] = None


AskedReport = Annotated[ReportRequest, Depends()]


async def question_asked(read: SnapshotReader, person: str, asked: ReportRequest, now: datetime) -> ReportQuery:
    """Return the query for all gaming days of the requested period. Raises: Rejected if the property is unknown."""
    question = ReportQuery(
        property=asked.property,
        period=asked.period,
        first=asked.gaming_day,
        last=asked.gaming_day,
        known_at=asked.known_at or now,
        by=person,
        table=asked.table,
        game=asked.game,
    )
    return await ask(read, asked.gaming_day, question)


_FILES_AT_ONCE: Final = 1
"""Maximum number of reports rendered to files at the same time: typesetting takes up to a gigabyte of memory."""

_IN_MEMORY_BYTES: Final = 1 << 20
"""The size from which a file is kept on disk until it is sent."""

_SENT_BYTES: Final = 1 << 16


_NOT_OF_CELLS: Final = ("as", "section", "rows", "whole", "known_at")
"""Query parameters left out of the entries' URI template, because they do not affect entries or are set separately."""
_READ: Final = {
    200: {"content": {one.media_type: {"schema": {"type": "string", "format": "binary"}} for one in FORMATS.values()}},
    **UNCHANGED,
    **problems(
        Reason.NOT_FOUND, Reason.NOTHING_RECORDED, Reason.NOT_ACCEPTABLE, Reason.DOCUMENT_TOO_LARGE, Reason.MALFORMED
    ),
    **FULL,
}


def _preferred(request: Request) -> FormatName:
    """Return the report format to use for the `Accept` header. Raises: Rejected if it allows no available format."""
    asked = request.headers.get("accept", "")
    by_type: dict[str, FormatName] = {one.media_type.partition(";")[0]: name for name, one in FORMATS.items()}
    found = accepted(asked, tuple(by_type))
    if found is None:
        raise Rejected(Reason.NOT_ACCEPTABLE, f"'Accept: {asked}' does not allow {' or '.join(by_type)}")
    return by_type[found]


def _entries_of(request: Request, document: Document) -> str:
    """Return the URI template for querying the entries behind a cell, as of the document's own as-of time."""
    kept = {name: value for name, value in request.query_params.items() if name not in _NOT_OF_CELLS}
    asked = urlencode({**kept, "known_at": document.header.known_at.isoformat()})
    return f"{request.url.path}/entries?{asked}&cell={{section}}/{{row}}/{{column}}"


def _made(request: Request, document: Document, form: FormatName, section: str | None, go_on: GoOn) -> Response:
    """Return the response with a document in a format, or 304 without a body if the caller's entity tag is current."""
    kind = FORMATS[form].media_type
    tag = entity_tag(f"{form}{section}{document.digest}{document.header.stage}{document.header.version}")
    if is_current(request.headers.get("if-none-match", ""), tag):
        return respond(request, b"", kind, tag)
    file: IO[bytes] = SpooledTemporaryFile(_IN_MEMORY_BYTES)  # noqa: SIM115 - closed when it is sent
    try:
        write(document, form, file, section=section, explain=_entries_of(request, document), go_on=go_on)  # type: ignore[arg-type]
        size = file.tell()
        file.seek(0)
        if size > _IN_MEMORY_BYTES:
            whole = respond(request, b"", kind, tag).headers | {"Content-Length": str(size)}
            return StreamingResponse(_sent(file), headers=whole, media_type=kind)
        with file:
            return respond(request, file.read(), kind, tag)
    except BaseException:
        file.close()
        raise


async def _sent(file: IO[bytes]) -> AsyncIterator[bytes]:
    with file:
        while part := await asyncio.to_thread(file.read, _SENT_BYTES):
            yield part


def routes(context: ServiceContext) -> APIRouter:
    """Return the router, whose routes read from the database of a running service."""
    router = APIRouter(prefix="/reports", tags=["reports"])
    settings = context.settings
    answers = AdmissionQueue("reports", at_once=settings.reports_at_once, waiting_max=settings.reports_waiting_max)
    files = AdmissionQueue("reports as files", at_once=_FILES_AT_ONCE, waiting_max=settings.reports_waiting_max)

    listing, every = TypeAdapter(list[Definition]), [Definition.of(report) for report in REPORTS.values()]
    definitions = {None: listing.dump_json(every)} | {one.name: listing.dump_json([one]) for one in every}
    versions = {name: entity_tag(listed.decode()) for name, listed in definitions.items()}

    @router.get("", response_model=list[Definition], summary="List the reports", responses=UNCHANGED)
    async def list_reports(
        request: Request,
        person: ReaderOfDefinitions,
        name: Annotated[Name | None, Query(description="only the report with this name")] = None,
    ) -> Response:
        """List the available reports, with their columns, formulas and sources."""
        del person
        return respond(request, definitions.get(name, b"[]"), JSON, versions.get(name, entity_tag("[]")))

    async def report_of(request: Request, name: str) -> Report:
        if name not in REPORTS:
            raise Rejected(Reason.NOT_FOUND, f"there is no report {name!r}; there are {', '.join(REPORTS)}")
        await caller_with(request, frozenset({REPORTS[name].role.name}))
        return REPORTS[name]

    @router.get("/{report}", summary="Read a report", responses=_READ)
    async def read_report(
        request: Request,
        person: AnyReader,
        report: ReportName,
        asked: AskedReport,
        form: Annotated[
            FormatName | None, Query(alias="as", description="the format; by default, as `Accept` prefers")
        ] = None,
        section: Annotated[str | None, Query(description="for CSV and Parquet: only this section")] = None,
        rows: Annotated[
            int | None,
            Query(ge=1, le=10_000, description="for JSON: at most this many rows of each section"),
        ] = None,
        whole: Annotated[
            list[Name] | None, Query(max_length=100, description="for JSON: sections that have all rows despite `rows`")
        ] = None,
    ) -> Response:
        """Return a report as of a time: the same query and as-of time give the same bytes in each format.

        With `rows`, a longer section is cut to that many rows, and its `cut_from` gives the full number. Totals include
        all rows. A cut document has no `sha256`.

        The numbers of concurrent and of waiting requests are limited; further requests are answered 503.
        """
        definition, form = await report_of(request, report), form or _preferred(request)
        async with (answers if form == "json" else files).taken(request):
            async with read_at_once(context.pools.readers) as read:
                question = await question_asked(read, person, asked, context.clock())
                document = await answer(read, definition, question)
            try:
                if form == "json" and rows is not None:
                    document = document.cut(rows, whole or ())
                require_room(document, form)
                response = await in_thread(lambda go_on: _made(request, document, form, section, go_on))
            except LookupError as missing:
                raise Rejected(Reason.NOT_FOUND, str(missing.args[0])) from None
        if form != "json":
            name = f"{report}-{question.property}-{question.first}"
            response.headers["Content-Disposition"] = f'attachment; filename="{name}.{form}"'
        return response

    @router.get(
        "/{report}/entries",
        summary="Explain a cell of a report",
        responses={**problems(Reason.NOT_FOUND, Reason.NOTHING_RECORDED), **FULL},
    )
    async def read_entries(
        request: Request,
        person: AnyReader,
        report: ReportName,
        asked: AskedReport,
        cell: Annotated[str, Query(description="`section/row/column`; the total row is `total`")],
    ) -> Provenance:
        """Return the entries behind a cell of a report, each with its contribution to the value."""
        definition = await report_of(request, report)
        async with answers.taken(request), read_at_once(context.pools.readers) as read:
            return await explain(read, definition, await question_asked(read, person, asked, context.clock()), cell)

    return router
