"""Routes of revenue audit and the controller: variances, the closing of gaming days, adjustments."""

from datetime import date
from functools import partial

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from services.table_inventory.api.access import (
    APPROVE_DAYS,
    AUDIT_DAYS,
    BY_OTHERS,
    DayPath,
    DayReader,
)
from services.table_inventory.commands import days as commands
from services.table_inventory.commands.variances import OwnVariance, ResolveVariance
from services.table_inventory.domain.days import Adjustment, Day, DayKey
from services.table_inventory.domain.follow_ups import FollowUp, follow_ups
from services.table_inventory.domain.variances import Variance
from services.table_inventory.domain.win import DayWin, TablesWin
from services.table_inventory.queries.days import (
    counted_at_once,
    read_adjustments,
    read_day,
    read_findings,
    read_stage,
    read_win,
    variances_of_day,
)
from services.table_inventory.tables import journal
from shared.contracts.rejection import Reason
from shared.contracts.reports import Reached, ReportStatus
from shared.contracts.topics import SETTLEMENTS
from shared.journal.reading import reached
from shared.runtime.database import snapshot
from shared.runtime.reader import read_at_once
from shared.runtime.service.context import ServiceContext
from shared.runtime.web import (
    UNCHANGED,
    DayQuery,
    PropertyPath,
    PropertyQuery,
    TableChoice,
    command_route,
    document_response,
    problems,
)


class Variances(BaseModel):
    """The variances of a gaming day, in the order of table and time."""

    items: list[Variance]


class WinOfDay(DayWin):
    """The win of a gaming day as it would be sealed now, beside what the settled rounds imply.

    The `status` is `restated` where what came after the seal, or an adjusting entry, makes another win than the sealed
    one (`hash`). `through` says how far the settlements have been read.
    """

    property: str
    gaming_day: date
    status: ReportStatus
    hash: str | None
    through: list[Reached]


class DayWhole(BaseModel):
    """A gaming day as it is known at one moment: how far it is closed (without the sealed report), its win,
    variances, adjustments, and what has to be looked after.
    """

    day: Day
    win: TablesWin
    variances: list[Variance]
    adjustments: list[Adjustment]
    follow_ups: list[FollowUp]


class FollowUps(BaseModel):
    """What has to be looked after of a gaming day, oldest first."""

    items: list[FollowUp]


class Adjustments(BaseModel):
    """The adjustments of a gaming day, in the order of their numbers."""

    items: list[Adjustment]


def variance_routes(context: ServiceContext) -> APIRouter:
    """Return the routes of variances and who explains them."""
    router = APIRouter(prefix="/variances", tags=["variances"])
    of_variance = "/{property}/{gaming_day}/{variance}/{table}/{number}"

    @router.get("", response_model_exclude_none=True, summary="List variances", responses=problems(Reason.NOT_FOUND))
    async def list_variances(
        reader: DayReader, property_name: PropertyQuery, gaming_day: DayQuery, table: TableChoice = None
    ) -> Variances:
        """Everything that was counted otherwise than expected, with owner and resolution."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            return Variances(items=await variances_of_day(connection, DayKey(property_name, gaming_day), table))

    command = partial(command_route, router, context.commands, role=AUDIT_DAYS, answers=Variance)
    command(OwnVariance, f"{of_variance}/own", rejects=(Reason.NOT_FOUND,))
    rejects = (Reason.NOT_FOUND, Reason.NOT_ALLOWED, Reason.ALREADY_DECIDED, Reason.TOO_EARLY)
    command(ResolveVariance, f"{of_variance}/resolve", rejects=rejects)
    return router


def day_routes(context: ServiceContext) -> APIRouter:
    """Return the routes of gaming days and their adjustments."""
    router = APIRouter(prefix="/gaming-days/{property}/{gaming_day}", tags=["gaming days"])

    @router.get("", response_model=Day, summary="Read how far a gaming day is closed", responses=UNCHANGED)
    async def read(request: Request, reader: DayReader, property_name: PropertyPath, gaming_day: DayPath) -> Response:
        """With the sealed report and its hash once it is final."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            found = await read_stage(connection, DayKey(property_name, gaming_day))
        return document_response(request, found)

    @router.get(
        "/win",
        response_model=WinOfDay,
        summary="Read the win as it would be sealed now",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_win_of_day(
        request: Request, reader: DayReader, property_name: PropertyPath, gaming_day: DayPath
    ) -> Response:
        """By table and by shift, by the formula of the law, beside the win that the settled rounds imply."""
        del reader
        key = DayKey(property_name, gaming_day)
        async with snapshot(context.pools.readers) as connection:
            win, day = await read_win(connection, key), await read_day(connection, key)
            through = await reached(connection, journal, SETTLEMENTS)
        values = win.model_dump(mode="json")
        said = {**key._asdict(), "status": day.status_of(values), "hash": day.hash, "through": through}
        return document_response(request, WinOfDay(**values, **said))

    @router.get(
        "/follow-ups",
        response_model_exclude_none=True,
        summary="List what has to be looked after",
        responses=problems(Reason.NOT_FOUND),
    )
    async def list_follow_ups(reader: DayReader, property_name: PropertyPath, gaming_day: DayPath) -> FollowUps:
        """Variances, slips, boxes, checks, equipment, adjustments; after the seal, what makes another win."""
        del reader
        key = DayKey(property_name, gaming_day)
        async with read_at_once(context.pools.readers) as read:
            found = await read_findings(read.connection, key, await counted_at_once(read, key))
        return FollowUps(items=follow_ups(found, context.clock()))

    @router.get(
        "/whole",
        response_model=DayWhole,
        summary="Read a gaming day whole",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_whole(
        request: Request, reader: DayReader, property_name: PropertyPath, gaming_day: DayPath
    ) -> Response:
        """How far it is closed, win, variances, adjustments and what has to be looked after, of one moment."""
        del reader
        key = DayKey(property_name, gaming_day)
        async with read_at_once(context.pools.readers) as read:
            counted = await counted_at_once(read, key)
            win = await read_win(read.connection, key, counted)
            found = await read_findings(read.connection, key, counted, win)
        status = found.day.status_of(win.model_dump(mode="json"))
        whole = DayWhole(
            day=found.day.model_copy(update={"status": status, "report": None}),
            win=win,
            variances=[*found.variances],
            adjustments=[*found.adjustments],
            follow_ups=follow_ups(found, context.clock()),
        )
        return document_response(request, whole)

    @router.get("/adjustments", response_model_exclude_none=True, summary="List adjustments")
    async def list_adjustments(reader: DayReader, property_name: PropertyPath, gaming_day: DayPath) -> Adjustments:
        """Entered, approved and rejected."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            return Adjustments(items=await read_adjustments(connection, DayKey(property_name, gaming_day)))

    command = partial(command_route, router, context.commands)
    command(commands.CloseDay, "/preliminary", role=AUDIT_DAYS, answers=Day, rejects=BY_OTHERS)
    command(commands.AuditDay, "/audited", role=AUDIT_DAYS, answers=Day, rejects=BY_OTHERS)
    command(commands.SealDay, "/final", role=APPROVE_DAYS, answers=Day, rejects=BY_OTHERS)
    rejects = (Reason.NOT_FOUND, Reason.NOT_ALLOWED, Reason.TOO_EARLY)
    enter, one = commands.EnterAdjustment, "/adjustments/{adjustment}"
    command(enter, "/adjustments", role=AUDIT_DAYS, answers=Adjustment, status=201, rejects=rejects)
    for decision, path in ((commands.ApproveAdjustment, "approve"), (commands.RejectAdjustment, "reject")):
        command(decision, f"{one}/{path}", role=APPROVE_DAYS, answers=Adjustment, rejects=BY_OTHERS)
    return router
