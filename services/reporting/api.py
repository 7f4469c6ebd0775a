"""The HTTP interface of reporting: its reports, the entries behind their figures, and the exceptions."""

from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import AwareDatetime

from services.reporting import queries
from services.reporting.answering import Definition, Explained, answer, explain
from services.reporting.domain.exceptions import ExceptionKind, Exceptions, ExceptionStatus
from services.reporting.kit.definition import Report
from services.reporting.kit.document import Period
from services.reporting.kit.question import Question, days_of
from services.reporting.queries import ExceptionKey
from services.reporting.reports import REPORTS
from services.reporting.tables import journal
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.topics import SETTLEMENTS
from shared.journal.reading import reached
from shared.runtime.service.context import ServiceContext
from shared.runtime.web import (
    Asked,
    Listing,
    PropertyQuery,
    ReportReader,
    TableChoice,
    snapshot,
)
from shared.runtime.web.documents import JSON, entity_tag, respond
from shared.runtime.web.problems import problems
from shared.runtime.web.reports import REPORT

ReportName = Annotated[str, Path(description="its name, as the list of reports has it")]


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """Which report is asked for: of the period that a gaming day is in, as known at a moment (without it: now)."""

    property: PropertyQuery
    gaming_day: Annotated[date, Query(description="the gaming day, or any day of the period")]
    period: Annotated[Period, Query(description="what the report is about")] = "day"
    known_at: Annotated[AwareDatetime | None, Query(description="as of this moment, with its time zone")] = None
    table: TableChoice = None
    game: Annotated[Name | None, Query(description="only of this game")] = None


AskedReport = Annotated[ReportRequest, Depends()]

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

    @router.get("", summary="List the reports")
    async def list_reports(reader: ReportReader) -> list[Definition]:
        """What there is to ask for, with the columns, formulas and sources of each."""
        del reader
        return [Definition.of(report) for report in REPORTS.values()]

    async def question_of(name: str, reader: str, asked: ReportRequest) -> tuple[Report, Question]:
        if name not in REPORTS:
            raise Rejected(Reason.NOT_FOUND, f"there is no report {name!r}; there are {', '.join(REPORTS)}")
        first, last = days_of(asked.period, asked.gaming_day)
        question = Question(
            property=asked.property,
            period=asked.period,
            first=first,
            last=last,
            known_at=asked.known_at or context.clock(),
            by=reader,
            table=asked.table,
            game=asked.game,
        )
        return REPORTS[name], question

    @router.get("/{report}", summary="Read a report", responses=REPORT | problems(Reason.NOT_FOUND))
    async def read_report(request: Request, reader: ReportReader, report: ReportName, asked: AskedReport) -> Response:
        """As it was known at a moment: the same question as of the same moment has the same bytes."""
        definition, question = await question_of(report, reader, asked)
        async with snapshot(context.engine) as connection:
            document = await answer(connection, definition, question)
        text = document.as_json(link=f"{request.url.path}/entries?{request.url.query}&cell=")
        return respond(request, text, JSON, entity_tag(document.sha256))

    @router.get("/{report}/entries", summary="Explain a cell of a report", responses=problems(Reason.NOT_FOUND))
    async def read_entries(
        reader: ReportReader,
        report: ReportName,
        asked: AskedReport,
        cell: Annotated[str, Query(description="`section/row/column`; the total row is `total`")],
    ) -> Explained:
        """The entries that add up to it, each with what it adds."""
        definition, question = await question_of(report, reader, asked)
        async with snapshot(context.engine) as connection:
            return await explain(connection, definition, question, cell)

    return router
