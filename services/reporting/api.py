"""The HTTP interface of reporting: the daily win, the win to date and the exceptions."""

from datetime import date
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting import queries
from services.reporting.domain import daily_win, win_to_date
from services.reporting.domain.daily_win import DailyWin
from services.reporting.domain.exceptions import ExceptionKind, Exceptions, ExceptionStatus
from services.reporting.domain.win_to_date import Period, WinToDate, first_days
from services.reporting.queries import ExceptionKey, Wanted
from services.reporting.tables import journal
from shared.contracts.envelope import Name
from shared.journal.reading import input_open
from shared.runtime.service.context import ServiceContext
from shared.runtime.web import REPORT_OR_CSV, Cursor, Limit, Listing, person_with, report_response, snapshot
from shared.runtime.web.roles import READ_REPORTS

Reader = Annotated[str, person_with(READ_REPORTS)]
PropertyName = Annotated[Name, Query(alias="property", description="the property")]
GamingDay = Annotated[date, Query(description="the gaming day")]
OnlyTable = Annotated[Name | None, Query(description="only this table")]
OnlyGame = Annotated[Name | None, Query(description="only this game")]

EXCEPTIONS: Listing[ExceptionKey] = Listing("exceptions", ExceptionKey)

_UNTAGGED = {"through"}
"""What grows while the figures stay, and so does not enter the ETag."""


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes, reading the database of a running service."""
    router = APIRouter(prefix="/reports", tags=["reports"])

    async def header(connection: AsyncConnection, reader: str, wanted: Wanted) -> dict[str, Any]:
        return {
            "property": wanted.property,
            "gaming_day": wanted.last,
            "table": wanted.table,
            "game": wanted.game,
            "status": await queries.status(connection, wanted),
            "through": await queries.reached(connection),
            "exceptions_open": await queries.count_open(connection, wanted.property),
            "input_open": await input_open(connection, journal),
            "generated_at": context.clock(),
            "generated_by": reader,
        }

    @router.get(
        "/daily-win", response_model=DailyWin, summary="Read the daily win of a property", responses=REPORT_OR_CSV
    )
    async def read_daily_win(
        request: Request,
        reader: Reader,
        property_name: PropertyName,
        gaming_day: GamingDay,
        table: OnlyTable = None,
        game: OnlyGame = None,
    ) -> Response:
        """By table, game and wager; as JSON, or as CSV with `Accept: text/csv`."""
        wanted = Wanted(property_name, gaming_day, gaming_day, table, game)
        async with snapshot(context.engine) as connection:
            report = daily_win.daily_win(
                await queries.wagers_of_day(connection, wanted),
                await queries.round_counts(connection, wanted),
                **await header(connection, reader, wanted),
            )
        name = f"daily-win-{property_name}-{gaming_day.isoformat()}"
        return report_response(request, report, as_csv=daily_win.as_csv, name=name, untagged=_UNTAGGED)

    @router.get(
        "/win-to-date",
        response_model=WinToDate,
        summary="Read the actual and theoretical win of a property to date",
        responses=REPORT_OR_CSV,
    )
    async def read_win_to_date(
        request: Request,
        reader: Reader,
        property_name: PropertyName,
        gaming_day: GamingDay,
        table: OnlyTable = None,
        game: OnlyGame = None,
    ) -> Response:
        """By game and wager, of the day, and of its week, month and year so far; as JSON, or as CSV."""
        wanted = {
            name: Wanted(property_name, first, gaming_day, table, game)
            for name, first in first_days(gaming_day).items()
        }
        longest = min(wanted.values(), key=lambda one: one.first)
        async with snapshot(context.engine) as connection:
            periods = {
                name: Period(
                    one.first,
                    await queries.totals_to_date(connection, one),
                    await queries.wagered_to_date(connection, one),
                )
                for name, one in wanted.items()
            }
            report = win_to_date.win_to_date(periods, **await header(connection, reader, longest))
        name = f"win-to-date-{property_name}-{gaming_day.isoformat()}"
        return report_response(request, report, as_csv=win_to_date.as_csv, name=name, untagged=_UNTAGGED)

    @router.get("/exceptions", response_model_exclude_none=True, summary="List exceptions")
    async def list_exceptions(
        reader: Reader,
        property_name: Annotated[
            Name | None, Query(alias="property", description="of this property, or of none that is known")
        ] = None,
        gaming_day: Annotated[
            date | None, Query(description="of this gaming day, or open and of none that is known")
        ] = None,
        table: Annotated[Name | None, Query(description="of this table, or of none that is known")] = None,
        kind: Annotated[ExceptionKind | None, Query(description="only of this kind")] = None,
        status: Annotated[ExceptionStatus | None, Query(description="only of this status")] = None,
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> Exceptions:
        """Gaps in streams, refused records, rounds that were taken back, voided or superseded, and notices."""
        after = EXCEPTIONS.after(cursor)
        async with snapshot(context.engine) as connection:
            found = await queries.exceptions_after(
                connection,
                property_name=property_name,
                gaming_day=gaming_day,
                table=table,
                kind=kind,
                status=status,
                after=after,
                limit=limit + 1,
            )
            through = await queries.reached(connection)
        page = EXCEPTIONS.page(
            found, limit, lambda one: (one.since, one.entry.service, one.entry.shard, one.entry.seq, one.number)
        )
        return Exceptions(
            system_version=version("pitledger"),
            generated_at=context.clock(),
            generated_by=reader,
            through=list(through),
            items=page.items,
            next=page.next,
        )

    return router
