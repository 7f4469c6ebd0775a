"""The HTTP interface of reporting: the daily win, the win to date and the exceptions."""

from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import AwareDatetime
from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting import queries
from services.reporting.answering import Definition, Explained, answer, explain
from services.reporting.books.stages import played_days, stage_of, through
from services.reporting.domain import daily_win, win_to_date
from services.reporting.domain.daily_win import DailyWin
from services.reporting.domain.exceptions import ExceptionKind, Exceptions, ExceptionStatus
from services.reporting.domain.win_to_date import Period as PeriodToDate
from services.reporting.domain.win_to_date import WinToDate, first_days
from services.reporting.kit.definition import Report
from services.reporting.kit.document import Period
from services.reporting.kit.question import Question, days_of
from services.reporting.queries import ExceptionKey, Wanted
from services.reporting.reports import REPORTS
from services.reporting.tables import journal
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.topics import SETTLEMENTS
from shared.journal.reading import reached
from shared.runtime.service.context import ServiceContext
from shared.runtime.web import (
    REPORT_OR_CSV,
    Asked,
    DayQuery,
    Headers,
    Listing,
    PropertyQuery,
    ReportReader,
    TableChoice,
    report_response,
    snapshot,
)
from shared.runtime.web.documents import JSON, entity_tag, respond
from shared.runtime.web.problems import problems
from shared.runtime.web.reports import REPORT


@dataclass(frozen=True, slots=True)
class WinRequest:
    """Which win is asked for: of a property, or of a table or game of it."""

    property: PropertyQuery
    gaming_day: DayQuery
    table: TableChoice = None
    game: Annotated[Name | None, Query(description="only of this game")] = None

    def since(self, first: date) -> Wanted:
        """Return the same from a gaming day on."""
        return Wanted(self.property, first, self.gaming_day, self.table, self.game)


AskedWin = Annotated[WinRequest, Depends()]

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

_UNTAGGED = {"through"}
"""What grows while the figures stay, and so does not enter the ETag."""


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes, reading the database of a running service."""
    router = APIRouter(prefix="/reports", tags=["reports"])

    headers = Headers(journal, context.clock)

    async def header(connection: AsyncConnection, reader: str, wanted: Wanted) -> dict[str, Any]:
        asked = Question(
            property=wanted.property,
            period="day",
            first=wanted.first,
            last=wanted.last,
            known_at=context.clock(),
            by=reader,
        )
        return await headers.header(
            connection,
            reader,
            wanted.property,
            gaming_day=wanted.last,
            table=wanted.table,
            game=wanted.game,
            status=(await stage_of(connection, asked, await played_days(connection, asked))).status,
            through=await through(connection, asked),
            exceptions_open=await queries.count_open(connection, wanted.property),
        )

    @router.get(
        "/daily-win", response_model=DailyWin, summary="Read the daily win of a property", responses=REPORT_OR_CSV
    )
    async def read_daily_win(request: Request, reader: ReportReader, asked: AskedWin) -> Response:
        """By table, game and wager; as JSON, or as CSV with `Accept: text/csv`."""
        wanted = asked.since(asked.gaming_day)
        async with snapshot(context.engine) as connection:
            report = daily_win.daily_win(
                await queries.wagers_of_day(connection, wanted),
                await queries.round_counts(connection, wanted),
                **await header(connection, reader, wanted),
            )
        name = f"daily-win-{asked.property}-{asked.gaming_day}"
        return report_response(request, report, as_csv=daily_win.as_csv, name=name, untagged=_UNTAGGED)

    @router.get(
        "/win-to-date",
        response_model=WinToDate,
        summary="Read the actual and theoretical win of a property to date",
        responses=REPORT_OR_CSV,
    )
    async def read_win_to_date(request: Request, reader: ReportReader, asked: AskedWin) -> Response:
        """By game and wager, of the day, and of its week, month and year so far; as JSON, or as CSV."""
        wanted = {name: asked.since(first) for name, first in first_days(asked.gaming_day).items()}
        longest = min(wanted.values(), key=lambda one: one.first)
        async with snapshot(context.engine) as connection:
            periods = {
                name: PeriodToDate(
                    one.first,
                    await queries.totals_to_date(connection, one),
                    await queries.wagered_to_date(connection, one),
                )
                for name, one in wanted.items()
            }
            report = win_to_date.win_to_date(periods, **await header(connection, reader, longest))
        name = f"win-to-date-{asked.property}-{asked.gaming_day}"
        return report_response(request, report, as_csv=win_to_date.as_csv, name=name, untagged=_UNTAGGED)

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
