"""Routes of those who read: win, inventories, counts, slip series, equipment and exceptions."""

from datetime import datetime
from functools import partial
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response
from pydantic import AwareDatetime
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.days import Day, DayKey
from services.table_inventory.domain.equipment import Clock
from services.table_inventory.domain.exceptions import (
    ExceptionKind,
    ExceptionStatus,
    InventoryException,
    Series,
    exceptions,
)
from services.table_inventory.domain.win import DayWin
from services.table_inventory.domain.windows import CountRow, InventoryRow
from services.table_inventory.queries.days import read_day, read_findings, read_stage, read_win
from services.table_inventory.queries.equipment import clocks_of
from services.table_inventory.queries.slips import read_series
from services.table_inventory.queries.windows import ended_windows, running_windows
from services.table_inventory.tables import journal
from shared.contracts.rejection import Reason
from shared.contracts.reports import DayReportHeader, Reached, ReportHeader, ReportStatus
from shared.contracts.topics import SETTLEMENTS
from shared.journal.reading import reached
from shared.runtime.service.context import ServiceContext
from shared.runtime.web import (
    REPORT,
    AskedOfDay,
    DayQuery,
    Headers,
    Listing,
    PropertyQuery,
    ReportReader,
    problems,
    report_response,
    snapshot,
)

EXCEPTIONS: Final[Listing[tuple[datetime, str, str]]] = Listing("exceptions", tuple[AwareDatetime, str, str])


class WinReport(DayReportHeader, DayWin):
    """The master game report of a gaming day. `through` says how far the settlements have been read.

    The `status` is `restated` where what came after the seal, or an adjusting entry, makes another report than the
    sealed one (`hash`).
    """

    title: str = "Master game report"
    hash: str | None = None
    through: list[Reached]


class Inventories(ReportHeader):
    """What every table should hold at a moment."""

    title: str = "Table inventories"
    at: AwareDatetime
    through: list[Reached]
    tables: list[InventoryRow]


class Counts(DayReportHeader):
    """The counts of a gaming day, each beside what was expected."""

    title: str = "Expected against counted"
    through: list[Reached]
    items: list[CountRow]


class SlipSeries(ReportHeader):
    """The series of slip numbers of a property."""

    title: str = "Unused and missing slips"
    items: list[Series]


class Clocks(ReportHeader):
    """The equipment clocks of the tables that are open."""

    title: str = "Equipment clocks"
    at: AwareDatetime
    items: list[Clock]


class Exceptions(DayReportHeader):
    """Some exceptions of a gaming day, oldest first; `next` is the cursor of those that follow."""

    title: str = "Table inventory: exceptions"
    items: list[InventoryException]
    next: str | None = None


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/reports", tags=["reports"], responses=REPORT)
    header = Headers(journal, context.clock).header
    now = partial(header, status=ReportStatus.OPEN)

    async def day_header(connection: AsyncConnection, reader: str, day: Day) -> dict[str, Any]:
        return await header(connection, reader, day.property, gaming_day=day.gaming_day, status=day.status)

    @router.get(
        "/win",
        response_model=WinReport,
        summary="Read the win of a gaming day",
        responses=problems(Reason.NOT_FOUND),
    )
    async def read_win_report(
        request: Request, reader: ReportReader, property_name: PropertyQuery, gaming_day: DayQuery
    ) -> Response:
        """By table and by shift, by the formula of the law, beside the win that the settled rounds imply."""
        key = DayKey(property_name, gaming_day)
        async with snapshot(context.engine) as connection:
            win, day = await read_win(connection, key), await read_day(connection, key)
            head = await day_header(connection, reader, day)
            through = await reached(connection, journal, SETTLEMENTS)
        values = win.model_dump(mode="json")
        head["status"] = day.status_of(values)
        return report_response(request, WinReport(**head, **values, hash=day.hash, through=through))

    @router.get("/inventories", response_model=Inventories, summary="Read the expected inventories")
    async def read_inventories(
        request: Request,
        reader: ReportReader,
        property_name: PropertyQuery,
        at: Annotated[AwareDatetime | None, Query(description="the moment, with its time zone; now without it")] = None,
    ) -> Response:
        """What was counted last at each table, what moved since, and so what it should hold."""
        moment = at or context.clock()
        async with snapshot(context.engine) as connection:
            windows = await running_windows(connection, property_name, moment)
            head = await now(connection, reader, property_name)
            through = await reached(connection, journal, SETTLEMENTS)
        rows = [InventoryRow.of(window) for window in windows if window.start is not None]
        return report_response(request, Inventories(**head, at=moment, through=through, tables=rows))

    @router.get("/counts", response_model=Counts, summary="Read expected against counted")
    async def read_counts(
        request: Request, reader: ReportReader, property_name: PropertyQuery, gaming_day: DayQuery
    ) -> Response:
        """Every count of a gaming day."""
        async with snapshot(context.engine) as connection:
            windows = await ended_windows(connection, property_name, gaming_day)
            head = await day_header(connection, reader, await read_stage(connection, DayKey(property_name, gaming_day)))
            through = await reached(connection, journal, SETTLEMENTS)
        items = [CountRow.of(window) for window in windows]
        return report_response(request, Counts(**head, through=through, items=items))

    @router.get("/slip-series", response_model=SlipSeries, summary="Read the series of slips")
    async def read_slip_series(request: Request, reader: ReportReader, property_name: PropertyQuery) -> Response:
        """How far each has come, its voids, and the numbers that are not accounted for."""
        async with snapshot(context.engine) as connection:
            head = await now(connection, reader, property_name)
            found = SlipSeries(**head, items=await read_series(connection, property_name))
        return report_response(request, found)

    @router.get("/equipment", response_model=Clocks, summary="Read the equipment clocks")
    async def read_equipment(request: Request, reader: ReportReader, property_name: PropertyQuery) -> Response:
        """Cards, dice, card readers and stubs of the tables that are open."""
        at = context.clock()
        async with snapshot(context.engine) as connection:
            head = await now(connection, reader, property_name)
            found = Clocks(**head, at=at, items=await clocks_of(connection, property_name, at))
        return report_response(request, found)

    @router.get(
        "/exceptions",
        response_model=Exceptions,
        summary="List exceptions",
        responses=problems(Reason.CURSOR_UNKNOWN, Reason.NOT_FOUND),
    )
    async def list_exceptions(
        request: Request,
        reader: ReportReader,
        asked: AskedOfDay,
        kind: Annotated[ExceptionKind | None, Query(description="only of this kind")] = None,
        status: Annotated[ExceptionStatus | None, Query(description="only with this status")] = None,
    ) -> Response:
        """Of a gaming day, oldest first."""
        after = EXCEPTIONS.after(asked.cursor)
        async with snapshot(context.engine) as connection:
            found = await read_findings(connection, DayKey(asked.property, asked.gaming_day))
            head = await day_header(connection, reader, await read_stage(connection, found.key))
        left = [
            one
            for one in exceptions(found, context.clock())
            if asked.table in (None, one.table)
            and kind in (None, one.kind)
            and status in (None, one.status)
            and (after is None or _place(one) > after)
        ]
        page = EXCEPTIONS.page(left, asked.limit, _place)
        return report_response(request, Exceptions(**head, items=page.items, next=page.next))

    return router


def _place(one: InventoryException) -> tuple[datetime, str, str]:
    return (one.since, one.kind, one.subject)
