"""Routes of the pit and the cage (requests, slips, paper slips) and of the count team (drop counts)."""

from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel
from sqlalchemy import select, tuple_

from services.table_inventory.domain import SlipKey
from services.table_inventory.drop_counts import (
    BoxCounted,
    BoxProgress,
    CountCommands,
    CountDocument,
    CountKey,
    CountWanted,
    read_count,
)
from services.table_inventory.slips import (
    Received,
    SlipCommands,
    SlipDocument,
    SlipStatus,
    SlipToPrepare,
    SlipWanted,
    SpoiltForm,
    Void,
    find_row,
)
from services.table_inventory.slips import document as slip_document
from services.table_inventory.tables import slips
from services.table_inventory.web import (
    ACCESS,
    BEARER,
    COMMAND,
    FOUND,
    READS,
    Cage,
    CountTeam,
    Cursor,
    Limit,
    NumberPath,
    Pit,
    PropertyPath,
    PropertyQuery,
    after,
    cursor_of,
    document,
    snapshot,
)
from shared.contracts.inventory import (
    CountConcluded,
    ManualSlip,
    ManualSlipEntered,
    ManualSlipVoided,
    SlipKind,
    SlipRequested,
)
from shared.runtime.command.answers import IdempotencyKey, response
from shared.runtime.service.run import Parts
from shared.runtime.web.unported import problems

SlipPath = Annotated[SlipKind, Path(description="the kind of slip")]


class SlipPage(BaseModel):
    """Some slips, in the order of kind and number; `next` is the cursor of those that follow."""

    items: list[SlipDocument]
    next: str | None = None


def slip_routes(parts: Parts) -> APIRouter:
    """Requests, slips and paper slips."""
    commands = SlipCommands(parts)
    router = APIRouter(tags=["slips"], dependencies=[BEARER])

    @router.post(
        "/requests",
        status_code=201,
        response_model=SlipRequested,
        summary="Request a fill or a credit",
        responses=COMMAND,
    )
    async def request(wanted: SlipWanted, person: Pit, key: IdempotencyKey) -> Response:
        """The pit asks the cage."""
        return response(await commands.request(wanted, person=person, key=key))

    @router.post(
        "/slips", status_code=201, response_model=SlipDocument, summary="Prepare the slip of a request", responses=FOUND
    )
    async def prepare(wanted: SlipToPrepare, person: Cage, key: IdempotencyKey) -> Response:
        """The cage prepares it under the next number of its series; not the person who requested it."""
        return response(await commands.prepare(wanted, person=person, key=key))

    @router.post(
        "/slips/{property}/credit/{number}/receive",
        response_model=SlipDocument,
        summary="Receive a credit at the cage",
        responses=FOUND,
    )
    async def receive(
        property_name: PropertyPath, number: NumberPath, received: Received, person: Cage, key: IdempotencyKey
    ) -> Response:
        """By somebody who did no other step of the slip."""
        which = SlipKey(property_name, "credit", number)
        return response(await commands.receive(which, received, person=person, key=key))

    @router.post(
        "/slips/{property}/{slip}/{number}/void",
        response_model=SlipDocument,
        summary="Void a slip",
        responses=FOUND,
    )
    async def void(
        property_name: PropertyPath,
        slip: SlipPath,
        number: NumberPath,
        reason: Void,
        person: Cage,
        key: IdempotencyKey,
    ) -> Response:
        """Its number stays used; what is on its way goes back."""
        which = SlipKey(property_name, slip, number)
        return response(await commands.void(which, reason.reason, person=person, key=key))

    @router.post(
        "/manual-slips",
        status_code=201,
        response_model=ManualSlipEntered,
        summary="Enter a paper slip after an outage",
        responses=COMMAND,
    )
    async def enter_manual(paper: ManualSlip, person: Cage, key: IdempotencyKey) -> Response:
        """Under the number that is printed on it, with the five people who signed; it is flagged as late."""
        return response(await commands.enter_manual(paper, person=person, key=key))

    @router.post(
        "/manual-slips/void",
        status_code=201,
        response_model=ManualSlipVoided,
        summary="Account for a spoilt paper form",
        responses=COMMAND,
    )
    async def spoil(form: SpoiltForm, person: Cage, key: IdempotencyKey) -> Response:
        """Its number is accounted for."""
        return response(await commands.spoil(form, person=person, key=key))

    @router.get(
        "/slips",
        response_model_exclude_none=True,
        summary="List slips",
        dependencies=[READS],
        responses=ACCESS | problems(_400="the cursor is not one of this service"),
    )
    async def list_slips(
        property_name: PropertyQuery,
        gaming_day: Annotated[date | None, Query(description="only of this gaming day")] = None,
        slip: Annotated[SlipKind | None, Query(description="only of this kind")] = None,
        status: Annotated[SlipStatus | None, Query(description="only with this status")] = None,
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> SlipPage:
        """In the order of kind and number."""
        c = slips.c
        query = select(slips).where(c.property == property_name).order_by(c.slip, c.number).limit(limit + 1)
        if gaming_day is not None:
            query = query.where(c.gaming_day == gaming_day)
        if slip is not None:
            query = query.where(c.slip == slip)
        if status is not None:
            query = query.where(_with_status(status))
        place = after(cursor, str, int)
        if place is not None:
            query = query.where(tuple_(c.slip, c.number) > place)
        async with parts.engine.connect() as connection:
            found = [slip_document(row) for row in await connection.execute(query)]
        follows = cursor_of([found[limit - 1].slip, found[limit - 1].number]) if len(found) > limit else None
        return SlipPage(items=found[:limit], next=follows)

    @router.get(
        "/slips/{property}/{slip}/{number}",
        response_model=SlipDocument,
        summary="Read a slip",
        dependencies=[READS],
        responses={304: {"description": "unchanged"}, **FOUND},
    )
    async def read_slip(request: Request, property_name: PropertyPath, slip: SlipPath, number: NumberPath) -> Response:
        """With everybody who did a step."""
        async with parts.engine.connect() as connection:
            row = await find_row(connection, SlipKey(property_name, slip, number))
        return document(request, slip_document(row))

    return router


def _with_status(status: SlipStatus) -> Any:
    c = slips.c
    void, received, carried = c.voided_at.is_not(None), c.received_at.is_not(None), c.carried_at.is_not(None)
    match status:
        case "void":
            return void
        case "received":
            return received
        case "carried":
            return carried & ~received & ~void
        case "prepared":
            return ~carried & ~received & ~void


def count_routes(parts: Parts) -> APIRouter:
    """Counts of drop boxes."""
    commands = CountCommands(parts)
    router = APIRouter(prefix="/drop-counts", tags=["drop counts"], dependencies=[BEARER])

    @router.post(
        "", status_code=201, response_model=CountDocument, summary="Begin the count of a gaming day", responses=COMMAND
    )
    async def open_count(wanted: CountWanted, person: CountTeam, key: IdempotencyKey) -> Response:
        """Of all its boxes that were not counted yet."""
        return response(await commands.open(wanted, person=person, key=key))

    @router.post(
        "/{property}/{number}/boxes",
        status_code=201,
        response_model=BoxProgress,
        summary="Enter what was found in a box",
        responses=FOUND,
    )
    async def enter(
        property_name: PropertyPath, number: NumberPath, counted: BoxCounted, person: CountTeam, key: IdempotencyKey
    ) -> Response:
        """Sealed until the count is concluded. Two people must find the same, and nobody counts twice."""
        return response(await commands.enter(CountKey(property_name, number), counted, person=person, key=key))

    @router.post(
        "/{property}/{number}/conclude",
        response_model=CountConcluded,
        summary="Conclude a count",
        responses=FOUND,
    )
    async def conclude(
        property_name: PropertyPath, number: NumberPath, person: CountTeam, key: IdempotencyKey
    ) -> Response:
        """Once two people found the same in every box: the figures are opened and posted."""
        return response(await commands.conclude(CountKey(property_name, number), person=person, key=key))

    @router.get(
        "/{property}/{number}",
        response_model=CountDocument,
        summary="Read a count",
        dependencies=[READS],
        responses={304: {"description": "unchanged"}, **FOUND},
    )
    async def read(request: Request, property_name: PropertyPath, number: NumberPath) -> Response:
        """Progress while it is open; figures, salts and commitments' openings once it is concluded."""
        async with snapshot(parts.engine) as connection:
            found = await read_count(connection, CountKey(property_name, number))
        return document(request, found)

    return router
