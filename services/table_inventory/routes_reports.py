"""Routes of those who read: win, inventories, counts, slip series, equipment and exceptions."""

from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import AwareDatetime, BaseModel

from services.table_inventory import reading
from services.table_inventory.days import DayKey, read_day
from services.table_inventory.equipment import Clock, clocks_of
from services.table_inventory.exceptions import (
    ExceptionKind,
    ExceptionState,
    InventoryException,
    Series,
    exceptions_of_day,
    series_of,
)
from services.table_inventory.reading import Reached
from services.table_inventory.reports import CountRow, DayReport, InventoryRow, count_row, day_report, inventory_row
from services.table_inventory.web import (
    ACCESS,
    BEARER,
    READS,
    Cursor,
    DayQuery,
    Limit,
    PropertyQuery,
    Reader,
    after,
    cursor_of,
    document,
    snapshot,
)
from shared.contracts.inventory import Stage
from shared.runtime.service.run import Parts
from shared.runtime.web.unported import problems

_UNCHANGED: dict[int | str, dict[str, Any]] = {304: {"description": "unchanged"}}


class WinReport(DayReport):
    """The master game report of a gaming day. `through` says how far the settlements have been read.

    `status` is the stage of the day, or `restated` where what came after the seal, or an adjusting entry, makes
    another report than the sealed one (`hash`).
    """

    status: Stage | str
    hash: str | None = None
    through: list[Reached]
    system_version: str
    generated_at: AwareDatetime
    generated_by: str


class Inventories(BaseModel):
    """What every table should hold at a moment."""

    title: str = "Table inventories"
    property: str
    at: AwareDatetime
    through: list[Reached]
    system_version: str
    generated_by: str
    tables: list[InventoryRow]


class Counts(BaseModel):
    """The counts of a gaming day, each beside what was expected."""

    title: str = "Expected against counted"
    property: str
    through: list[Reached]
    items: list[CountRow]


class SlipSeries(BaseModel):
    """The series of slip numbers of a property."""

    title: str = "Unused and missing slips"
    property: str
    items: list[Series]


class Clocks(BaseModel):
    """The equipment clocks of the tables that are open."""

    title: str = "Equipment clocks"
    property: str
    at: AwareDatetime
    items: list[Clock]


class Exceptions(BaseModel):
    """Some exceptions of a gaming day, oldest first; `next` is the cursor of those that follow."""

    title: str = "Exceptions"
    items: list[InventoryException]
    next: str | None = None


def report_routes(parts: Parts) -> APIRouter:
    """The reports."""
    router = APIRouter(prefix="/reports", tags=["reports"], dependencies=[BEARER, READS], responses=ACCESS)

    @router.get("/win", response_model=WinReport, summary="Read the win of a gaming day", responses=_UNCHANGED)
    async def read_win(
        request: Request, reader: Reader, property_name: PropertyQuery, gaming_day: DayQuery
    ) -> Response:
        """By table and by shift, by § 601a.9, beside the win that the settled rounds imply."""
        now = parts.clock()
        async with snapshot(parts.engine) as connection:
            report = await day_report(connection, property_name, gaming_day, at=now)
            day = await read_day(connection, DayKey(property_name, gaming_day))
            through = await reading.reached(connection)
        status: str = day.stage
        if day.report is not None:
            sealed = DayReport.model_validate({name: day.report[name] for name in DayReport.model_fields})
            status = day.stage if sealed == report else "restated"
        found = WinReport(
            **report.model_dump(),
            status=status,
            hash=day.hash,
            through=through,
            system_version=version("pitledger"),
            generated_at=now,
            generated_by=reader,
        )
        return document(request, found, generated_at=..., generated_by=...)

    @router.get("/inventories", response_model_exclude_none=True, summary="Read the expected inventories")
    async def read_inventories(
        reader: Reader,
        property_name: PropertyQuery,
        at: Annotated[AwareDatetime | None, Query(description="the moment, with its time zone; now without it")] = None,
    ) -> Inventories:
        """What was counted last at each table, what moved since, and so what it should hold."""
        moment = parts.clock() if at is None else at
        async with snapshot(parts.engine) as connection:
            windows = await reading.running_windows(connection, property_name, moment)
            through = await reading.reached(connection)
        return Inventories(
            property=property_name,
            at=moment,
            through=through,
            system_version=version("pitledger"),
            generated_by=reader,
            tables=[inventory_row(window) for window in windows if window.start is not None],
        )

    @router.get("/counts", response_model_exclude_none=True, summary="Read expected against counted")
    async def read_counts(property_name: PropertyQuery, gaming_day: DayQuery) -> Counts:
        """Every count of a gaming day."""
        async with snapshot(parts.engine) as connection:
            windows = await reading.windows_of_day(connection, property_name, gaming_day)
            through = await reading.reached(connection)
        return Counts(property=property_name, through=through, items=[count_row(window) for window in windows])

    @router.get("/slip-series", summary="Read the series of slips")
    async def read_series(property_name: PropertyQuery) -> SlipSeries:
        """How far each has come, its voids, and the numbers that are not accounted for."""
        async with snapshot(parts.engine) as connection:
            return SlipSeries(property=property_name, items=await series_of(connection, property_name))

    @router.get("/equipment", response_model_exclude_none=True, summary="Read the equipment clocks")
    async def read_equipment(property_name: PropertyQuery) -> Clocks:
        """Cards, dice, card readers and stubs of the tables that are open."""
        now = parts.clock()
        async with snapshot(parts.engine) as connection:
            return Clocks(property=property_name, at=now, items=await clocks_of(connection, property_name, now))

    @router.get(
        "/inventory-exceptions",
        response_model_exclude_none=True,
        summary="List exceptions",
        responses=problems(_400="the cursor is not one of this service"),
    )
    async def list_exceptions(
        property_name: PropertyQuery,
        gaming_day: DayQuery,
        kind: Annotated[ExceptionKind | None, Query(description="only of this kind")] = None,
        state: Annotated[ExceptionState | None, Query(description="only in this state")] = None,
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> Exceptions:
        """Of a gaming day, oldest first."""
        place = after(cursor, str, str, str)
        async with snapshot(parts.engine) as connection:
            found = await exceptions_of_day(connection, property_name, gaming_day, now=parts.clock())
        left = [
            one
            for one in found
            if kind in (None, one.kind) and state in (None, one.state) and (place is None or _place(one) > place)
        ]
        follows = cursor_of(list(_place(left[limit - 1]))) if len(left) > limit else None
        return Exceptions(items=left[:limit], next=follows)

    return router


def _place(one: InventoryException) -> tuple[str, str, str]:
    return (one.since.astimezone().isoformat(), one.kind, one.subject)
