"""Routes of the daily win and the win to date."""

from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting import queries
from services.reporting.books.stages import open_exceptions, played_days, stage_of, through
from services.reporting.domain import daily_win, win_to_date
from services.reporting.domain.daily_win import DailyWin
from services.reporting.domain.win_to_date import Period as PeriodToDate
from services.reporting.domain.win_to_date import WinToDate, first_days
from services.reporting.kit.question import Question
from services.reporting.queries import Wanted
from services.reporting.tables import journal
from shared.contracts.envelope import Name
from shared.runtime.service.context import ServiceContext
from shared.runtime.web import (
    REPORT_OR_CSV,
    DayQuery,
    Headers,
    PropertyQuery,
    ReportReader,
    TableChoice,
    report_response,
    snapshot,
)


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
            exceptions_open=(await open_exceptions(connection, asked))[0],
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

    return router
