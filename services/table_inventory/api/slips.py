"""Routes of the pit and the cage: requests, slips and paper slips."""

from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response

from services.table_inventory.api.access import (
    BY_OTHERS,
    DECIDED,
    PREPARE_SLIPS,
    REQUEST_SLIPS,
    NumberPath,
    SlipReader,
)
from services.table_inventory.commands import slips as commands
from services.table_inventory.domain.slips import Slip, SlipKey, SlipRequest, SlipStatus
from services.table_inventory.queries.slips import (
    find_request,
    find_slip,
    is_open_request,
    request_of_row,
    slip_of_row,
    slip_status,
)
from services.table_inventory.tables import requests, slips
from shared.contracts.inventory import ManualSlipEntered, ManualSlipVoided, RequestWithdrawn, SlipKind
from shared.contracts.rejection import Reason
from shared.runtime.database import snapshot
from shared.runtime.http import (
    UNCHANGED,
    Asked,
    Day,
    Page,
    PropertyPath,
    PropertyQuery,
    TableChoice,
    TableListing,
    command_route,
    document_response,
    problems,
)
from shared.runtime.service.service_context import ServiceContext

SLIPS: Final = TableListing(slips, "slip", "number")
REQUESTS: Final = TableListing(requests, "request")


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes of requests, slips and paper slips."""
    router = APIRouter(tags=["slips"])
    command = partial(command_route, router, context.commands)
    command(
        commands.RequestSlip,
        "/requests",
        role=REQUEST_SLIPS,
        answers=SlipRequest,
        status=201,
        rejects=(Reason.NOT_FOUND, Reason.NOT_ALLOWED, Reason.TOO_EARLY, Reason.TOO_LATE),
    )
    known = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED)
    withdraw = "/requests/{property}/{request}/withdraw"
    command(commands.WithdrawRequest, withdraw, role=REQUEST_SLIPS, answers=RequestWithdrawn, rejects=known)
    step = partial(command, role=PREPARE_SLIPS, answers=Slip)
    late, subject = (*BY_OTHERS, Reason.TOO_LATE), "/requests/{property}/{request}"
    step(commands.PrepareSlip, "/slips", status=201, rejects=late, subject=subject)
    credit, slip_path = "/slips/{property}/credit/{number}", "/slips/{property}/{slip}/{number}"
    step(commands.ReceiveCredit, credit + "/receive", rejects=BY_OTHERS, subject=credit)
    rejects = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED, Reason.TOO_LATE)
    step(commands.VoidSlip, slip_path + "/void", rejects=rejects, subject=slip_path)
    paper = partial(command, role=PREPARE_SLIPS, status=201)
    signed = (*BY_OTHERS, Reason.NOT_ALLOWED)
    paper(commands.EnterManualSlip, "/manual-slips", answers=ManualSlipEntered, rejects=signed)
    paper(commands.VoidManualSlip, "/manual-slips/void", answers=ManualSlipVoided, rejects=DECIDED)

    @router.get(
        "/requests/{property}/{request}",
        response_model=SlipRequest,
        summary="Read a request",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_request(
        http: Request, reader: SlipReader, property_name: PropertyPath, request: NumberPath
    ) -> Response:
        """Return the pit's request to the cage, with the number of the slip once it is prepared."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            return document_response(http, await find_request(connection, property_name, request))

    @router.get(
        "/requests",
        response_model_exclude_none=True,
        summary="List open requests",
        responses=problems(Reason.CURSOR_UNKNOWN),
    )
    async def list_requests(reader: SlipReader, property_name: PropertyQuery, asked: Asked) -> Page[SlipRequest]:
        """List the pit's requests for which no slip has been prepared yet."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            return await REQUESTS.read(
                connection, asked, request_of_row, False, [is_open_request], property=property_name
            )

    @router.get(
        "/slips",
        response_model_exclude_none=True,
        summary="List slips",
        responses=problems(Reason.CURSOR_UNKNOWN),
    )
    async def list_slips(
        reader: SlipReader,
        property_name: PropertyQuery,
        asked: Asked,
        gaming_day: Annotated[Day | None, Query(description="only of this gaming day")] = None,
        table: TableChoice = None,
        slip: Annotated[SlipKind | None, Query(description="only of this kind")] = None,
        status: Annotated[SlipStatus | None, Query(description="only with this status")] = None,
    ) -> Page[Slip]:
        """List slips by kind and number."""
        del reader
        wanted = {"property": property_name, "gaming_day": gaming_day, "table": table, "slip": slip}
        of_status = [] if status is None else [slip_status == status]
        async with snapshot(context.pools.readers) as connection:
            return await SLIPS.read(connection, asked, slip_of_row, False, of_status, **wanted)

    @router.get(
        slip_path,
        response_model=Slip,
        summary="Read a slip",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_slip(
        request: Request,
        reader: SlipReader,
        property_name: PropertyPath,
        slip: Annotated[SlipKind, Path(description="the kind of slip")],
        number: NumberPath,
    ) -> Response:
        """Return a slip, with the person who took each step."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            found = await find_slip(connection, SlipKey(property_name, slip, number))
        return document_response(request, found)

    return router
