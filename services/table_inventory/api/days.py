"""Routes of revenue audit and the controller: variances, the closing of gaming days, adjustments."""

from collections.abc import Awaitable, Callable
from datetime import date
from functools import partial
from typing import Annotated, TypeVar

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel

from services.table_inventory.api.access import (
    APPROVE_DAYS,
    AUDIT_DAYS,
    BY_OTHERS,
    DECIDED,
    DayPath,
    DayReader,
    NumberPath,
)
from services.table_inventory.commands import days as commands
from services.table_inventory.commands.as_of import AsOf
from services.table_inventory.commands.variances import OwnVariance, ResolveVariance
from services.table_inventory.domain.days import Adjustment, Day, DayKey
from services.table_inventory.domain.follow_ups import FollowUp, follow_ups
from services.table_inventory.domain.reviews import DayReview
from services.table_inventory.domain.variances import Variance, VarianceKey
from services.table_inventory.domain.win import DayWin, TablesWin
from services.table_inventory.progress import unread
from services.table_inventory.queries.days import (
    counted_at_once,
    find_adjustment,
    find_counted,
    find_variance,
    read_adjustments,
    read_day,
    read_findings,
    read_review,
    read_stage,
    read_win,
    variances_of_day,
)
from services.table_inventory.stating import Stating
from services.table_inventory.tables import journal
from shared.contracts.envelope import Name
from shared.contracts.inventory import VarianceKind
from shared.contracts.rejection import Reason
from shared.contracts.reports import Reached, ReportStatus
from shared.contracts.topics import SETTLEMENTS
from shared.journal.reading import reached
from shared.runtime.database import snapshot
from shared.runtime.http import (
    UNCHANGED,
    DayQuery,
    PropertyPath,
    PropertyQuery,
    TableChoice,
    command_route,
    document_response,
    problems,
)
from shared.runtime.service.service_context import ServiceContext
from shared.runtime.snapshot_reader import read_at_once


class Variances(BaseModel):
    """The variances of a gaming day, by table and time."""

    items: list[Variance]


class WinOfDay(DayWin):
    """The win of a gaming day as it would be sealed now, compared with the settled win.

    `status` is `restated` if later entries or adjustments make the win differ from the sealed win; `hash` is the hash
    of the sealed win. `through` is the position up to which settlements have been read.
    """

    property: str
    gaming_day: date
    status: ReportStatus
    hash: str | None
    through: list[Reached]


class DayWhole(BaseModel):
    """A gaming day in full, read in one snapshot of the database.

    The document has the day's stage (without the sealed report), win, variances, adjustments and follow-ups.
    """

    day: Day
    win: TablesWin
    variances: list[Variance]
    adjustments: list[Adjustment]
    follow_ups: list[FollowUp]


class FollowUps(BaseModel):
    """The follow-ups of a gaming day, oldest first."""

    items: list[FollowUp]


class Adjustments(BaseModel):
    """The adjustments of a gaming day, by number."""

    items: list[Adjustment]


AskedT = TypeVar("AskedT", bound=AsOf)
StepT = TypeVar("StepT", bound=commands.DayStep)


def with_moment(context: ServiceContext) -> Callable[[AskedT, str, str], Awaitable[AskedT]]:
    """Return a function that sets a command's time of decision before the command is handled."""

    async def asked(command: AskedT, person: str, key: str) -> AskedT:
        del person, key
        command.ask(context.clock())
        return command

    return asked


def with_unread(context: ServiceContext) -> Callable[[StepT, str, str], Awaitable[StepT]]:
    """Return a function that sets the time and the unread settlements of a closing step before it is handled.

    Before a seal, the function also records a statement of each changed win.
    """

    async def told(step: StepT, person: str, key: str) -> StepT:
        del person, key
        if isinstance(step, commands.SealDay):
            await Stating(context).state_day(step.key())
        step.tell(await unread(context))
        step.ask(context.clock())
        return step

    return told


def variance_routes(context: ServiceContext) -> APIRouter:
    """Return the routes for variances and their owners."""
    router = APIRouter(prefix="/variances", tags=["variances"])
    of_variance = "/{property}/{gaming_day}/{variance}/{table}/{number}"

    @router.get("", response_model_exclude_none=True, summary="List variances", responses=problems(Reason.NOT_FOUND))
    async def list_variances(
        reader: DayReader, property_name: PropertyQuery, gaming_day: DayQuery, table: TableChoice = None
    ) -> Variances:
        """List inventory variances, the differences between counted and expected amounts, with owner and resolution."""
        del reader
        now = context.clock()
        async with snapshot(context.pools.readers) as connection:
            return Variances(
                items=await variances_of_day(connection, DayKey(property_name, gaming_day), table, now=now)
            )

    @router.get(
        of_variance,
        response_model=Variance,
        summary="Read a variance",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_variance(
        request: Request,
        reader: DayReader,
        property_name: PropertyPath,
        gaming_day: DayPath,
        variance: Annotated[
            VarianceKind, Path(description="the kind of variance: of an inventory at a count, of a box, or of a slip")
        ],
        table: Annotated[Name, Path(description="the table")],
        number: NumberPath,
    ) -> Response:
        """Return a variance between counted and expected amounts, with its owner and resolution."""
        del reader
        key = VarianceKey(property_name, gaming_day, variance, table, number)
        async with snapshot(context.pools.readers) as connection:
            return document_response(request, await find_variance(connection, key, now=context.clock()))

    command = partial(command_route, router, context.commands, role=AUDIT_DAYS, answers=Variance)
    command = partial(command, prepare=with_moment(context), subject=router.prefix + of_variance)
    command(OwnVariance, f"{of_variance}/own", rejects=(Reason.NOT_FOUND,))
    rejects = (Reason.NOT_FOUND, Reason.NOT_ALLOWED, Reason.ALREADY_DECIDED, Reason.TOO_EARLY)
    command(ResolveVariance, f"{of_variance}/resolve", rejects=rejects)
    return router


def day_routes(context: ServiceContext) -> APIRouter:
    """Return the routes of gaming days and their adjustments."""
    router = APIRouter(prefix="/gaming-days/{property}/{gaming_day}", tags=["gaming days"])

    @router.get("", response_model=Day, summary="Read the closing stage of a gaming day", responses=UNCHANGED)
    async def read(request: Request, reader: DayReader, property_name: PropertyPath, gaming_day: DayPath) -> Response:
        """Return a gaming day. A final day includes the sealed report and its hash."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            found = await read_stage(connection, DayKey(property_name, gaming_day), now=context.clock())
        return document_response(request, found)

    @router.get(
        "/win",
        response_model=WinOfDay,
        summary="Preview the win of a gaming day",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_win_of_day(
        request: Request, reader: DayReader, property_name: PropertyPath, gaming_day: DayPath
    ) -> Response:
        """Return the counted win by table and shift, computed by the formula of the law, and the settled win."""
        del reader
        key = DayKey(property_name, gaming_day)
        async with snapshot(context.pools.readers) as connection:
            counted = await find_counted(connection, key, now=context.clock())
            win, day = await read_win(connection, counted), await read_day(connection, key)
            through = await reached(connection, journal, SETTLEMENTS)
        values = win.model_dump(mode="json")
        said = {**key._asdict(), "status": day.status_of(values), "hash": day.hash, "through": through}
        return document_response(request, WinOfDay(**values, **said))

    @router.get(
        "/follow-ups",
        response_model_exclude_none=True,
        summary="List follow-ups",
        responses=problems(Reason.NOT_FOUND),
    )
    async def list_follow_ups(reader: DayReader, property_name: PropertyPath, gaming_day: DayPath) -> FollowUps:
        """List the day's follow-ups, such as variances, open slips, uncounted boxes, and changes since the seal."""
        del reader
        key = DayKey(property_name, gaming_day)
        async with read_at_once(context.pools.readers) as read:
            counted = await counted_at_once(read, key, now=context.clock())
            found = await read_findings(read.connection, counted)
        return FollowUps(items=follow_ups(found, context.clock()))

    @router.get(
        "/whole",
        response_model=DayWhole,
        summary="Read a gaming day in full",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_whole(
        request: Request, reader: DayReader, property_name: PropertyPath, gaming_day: DayPath
    ) -> Response:
        """Return the stage, win, variances, adjustments and follow-ups of a gaming day, in one snapshot."""
        del reader
        key = DayKey(property_name, gaming_day)
        async with read_at_once(context.pools.readers) as read:
            counted = await counted_at_once(read, key, now=context.clock())
            win = await read_win(read.connection, counted)
            found = await read_findings(read.connection, counted, win)
        status = found.day.status_of(win.model_dump(mode="json"))
        whole = DayWhole(
            day=found.day.model_copy(update={"status": status, "report": None}),
            win=win,
            variances=[*found.variances],
            adjustments=[*found.adjustments],
            follow_ups=follow_ups(found, context.clock()),
        )
        return document_response(request, whole)

    @router.get(
        "/review",
        response_model=DayReview,
        summary="Read the document to be audited or sealed",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_review_of_day(
        request: Request, reader: DayReader, property_name: PropertyPath, gaming_day: DayPath
    ) -> Response:
        """Return stage, win, variances, adjustments and contests. An audit or seal must name this document's hash."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            found = await read_review(connection, DayKey(property_name, gaming_day), now=context.clock())
        return document_response(request, found)

    @router.get("/adjustments", response_model_exclude_none=True, summary="List adjustments")
    async def list_adjustments(reader: DayReader, property_name: PropertyPath, gaming_day: DayPath) -> Adjustments:
        """List entered, approved and rejected adjustments."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            return Adjustments(items=await read_adjustments(connection, DayKey(property_name, gaming_day)))

    @router.get(
        "/adjustments/{adjustment}",
        response_model=Adjustment,
        summary="Read an adjustment",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_adjustment(
        request: Request, reader: DayReader, property_name: PropertyPath, gaming_day: DayPath, adjustment: NumberPath
    ) -> Response:
        """Return an adjustment as entered, with its current status."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            found = await find_adjustment(connection, DayKey(property_name, gaming_day), adjustment)
        return document_response(request, found)

    command = partial(command_route, router, context.commands)
    close = partial(command, answers=Day, prepare=with_unread(context), subject=router.prefix + "/review")
    closes = (*DECIDED, Reason.TOO_EARLY, Reason.NOT_ALLOWED)
    close(commands.CloseDay, "/preliminary", role=AUDIT_DAYS, rejects=closes)
    close(commands.AuditDay, "/audited", role=AUDIT_DAYS, rejects=BY_OTHERS)
    close(commands.SealDay, "/final", role=APPROVE_DAYS, rejects=BY_OTHERS)
    rejects = (Reason.NOT_FOUND, Reason.NOT_ALLOWED, Reason.TOO_EARLY)
    enter, one = commands.EnterAdjustment, "/adjustments/{adjustment}"
    command(enter, "/adjustments", role=AUDIT_DAYS, answers=Adjustment, status=201, rejects=rejects)
    decide = partial(command, role=APPROVE_DAYS, answers=Adjustment, subject=router.prefix + one)
    decide(commands.ApproveAdjustment, f"{one}/approve", rejects=BY_OTHERS)
    decide(commands.RejectAdjustment, f"{one}/reject", rejects=DECIDED)
    return router
