"""Routes of patrons' credit lines: requested changes, limits, available credit, and prepared counter checks."""

from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response

from services.table_inventory.api.access import (
    APPROVE_CREDIT_LINES,
    BY_OTHERS,
    DECIDED,
    PREPARE_CHECKS,
    REQUEST_CREDIT_LINES,
    CreditLineReader,
    NumberPath,
)
from services.table_inventory.commands.credit_lines import (
    ApproveCreditLine,
    DeclineCreditLine,
    ReduceCreditLine,
    RequestCreditLine,
    SuspendCreditLine,
    VerifyCreditLine,
)
from services.table_inventory.commands.prepared_checks import PrepareCheck, VoidPreparation
from services.table_inventory.domain.credit_lines import CreditLineRequest, CreditLineStanding, PatronCheck
from services.table_inventory.queries.credit_lines import (
    find_credit_line,
    find_credit_line_request,
    find_patron_check,
    is_undecided,
    read_credit_lines,
    request_of_row,
)
from services.table_inventory.tables import credit_line_requests, properties
from shared.contracts.credit_lines import CheckPrepared, CreditLineReduced, CreditLineSuspended, PreparationVoided
from shared.contracts.envelope import DocumentNumber, Patron
from shared.contracts.property_snapshot import place_for_command
from shared.contracts.rejection import Reason
from shared.runtime.database import snapshot
from shared.runtime.http import (
    UNCHANGED,
    Asked,
    Listing,
    Page,
    PropertyPath,
    TableListing,
    command_route,
    document_response,
    problems,
)
from shared.runtime.ingest.property_copies import known_places
from shared.runtime.service.service_context import ServiceContext

REQUESTS: Final = TableListing(credit_line_requests, "request")
PATRONS: Final[Listing[tuple[str]]] = Listing("credit-lines", tuple[str])

PatronPath = Annotated[Patron, Path(description="the patron, by reference")]
SerialPath = Annotated[DocumentNumber, Path(description="the number printed on the check")]


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes of credit lines."""
    router = APIRouter(prefix="/credit-lines/{property}", tags=["credit lines"])
    _commands(router, context)
    _requests(router, context)
    _standings(router, context)
    return router


def _commands(router: APIRouter, context: ServiceContext) -> None:
    command = partial(command_route, router, context.commands)
    one = "/requests/{request}"
    step = partial(command, subject=router.prefix + one, answers=CreditLineRequest)
    early = (Reason.NOT_FOUND, Reason.NOT_ALLOWED, Reason.TOO_EARLY, Reason.TOO_LATE)
    asks = partial(command, role=REQUEST_CREDIT_LINES)
    asks(RequestCreditLine, "/requests", answers=CreditLineRequest, status=201, rejects=early)
    step(VerifyCreditLine, f"{one}/verify", role=REQUEST_CREDIT_LINES, rejects=(*DECIDED, Reason.CONTRADICTS))
    approved = (*BY_OTHERS, Reason.NOT_ALLOWED, Reason.TOO_LATE, Reason.CONTRADICTS)
    step(ApproveCreditLine, f"{one}/approve", role=APPROVE_CREDIT_LINES, rejects=approved)
    step(DeclineCreditLine, f"{one}/decline", role=APPROVE_CREDIT_LINES, rejects=DECIDED)
    cut = (Reason.NOT_FOUND, Reason.NOT_ALLOWED)
    patron = "/patrons/{patron}"
    asks(ReduceCreditLine, f"{patron}/reduce", answers=CreditLineReduced, rejects=cut)
    asks(SuspendCreditLine, f"{patron}/suspend", answers=CreditLineSuspended, rejects=(*cut, Reason.ALREADY_DECIDED))
    prepared = (*DECIDED, Reason.NOT_ALLOWED, Reason.SAME_PERSON, Reason.LIMIT_EXCEEDED)
    command(PrepareCheck, "/checks", role=PREPARE_CHECKS, answers=CheckPrepared, status=201, rejects=prepared)
    check = "/checks/{serial}"
    void = partial(command, subject=router.prefix + check, answers=PreparationVoided, role=PREPARE_CHECKS)
    void(VoidPreparation, f"{check}/void", rejects=(*DECIDED, Reason.SAME_PERSON))


def _requests(router: APIRouter, context: ServiceContext) -> None:
    @router.get(
        "/requests",
        response_model_exclude_none=True,
        summary="List requested changes of a credit line",
        responses=problems(Reason.CURSOR_UNKNOWN),
    )
    async def list_credit_line_requests(
        reader: CreditLineReader,
        property_name: PropertyPath,
        asked: Asked,
        only_open: Annotated[bool, Query(description="only undecided requests")] = False,
        patron: Annotated[Patron | None, Query(description="only requests of this patron")] = None,
    ) -> Page[CreditLineRequest]:
        """List requested changes to credit lines by number, with their verification and decision."""
        del reader
        wanted = {"property": property_name, "patron": patron}
        undecided = [is_undecided] if only_open else []
        async with snapshot(context.pools.readers) as connection:
            return await REQUESTS.read(connection, asked, request_of_row, False, undecided, **wanted)

    @router.get(
        "/requests/{request}",
        response_model=CreditLineRequest,
        summary="Read a requested change of a credit line",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_credit_line_request(
        http: Request, reader: CreditLineReader, property_name: PropertyPath, request: NumberPath
    ) -> Response:
        """Return a requested change to a credit line, with its verification, approvals and decision."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            return document_response(http, await find_credit_line_request(connection, property_name, request))

    @router.get(
        "/checks/{serial}",
        response_model=PatronCheck,
        summary="Read a prepared Counter Check",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_prepared_check(
        http: Request, reader: CreditLineReader, property_name: PropertyPath, serial: SerialPath
    ) -> Response:
        """Return a counter check that was prepared against a patron's credit line, with the amount owed on it."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            return document_response(http, await find_patron_check(connection, property_name, serial))


def _standings(router: APIRouter, context: ServiceContext) -> None:
    @router.get(
        "/patrons",
        response_model_exclude_none=True,
        summary="List patrons with a credit line",
        responses=problems(Reason.NOT_FOUND, Reason.CURSOR_UNKNOWN),
    )
    async def list_credit_lines(
        reader: CreditLineReader, property_name: PropertyPath, asked: Asked
    ) -> Page[CreditLineStanding]:
        """List credit lines by patron, with limit, outstanding and available credit on the current gaming day."""
        del reader
        after = PATRONS.after(asked.cursor)
        async with snapshot(context.pools.readers) as connection:
            places, now = await known_places(connection, properties), context.clock()
            day = place_for_command(places.place, property_name, now).gaming_day(now)
            found = await read_credit_lines(connection, property_name, after[0] if after else "", asked.limit + 1)
        standings = [CreditLineStanding.of(one, day) for one in found]
        return PATRONS.page(standings, asked.limit, lambda one: (one.patron,))

    @router.get(
        "/patrons/{patron}",
        response_model=CreditLineStanding,
        summary="Read a patron's credit line",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_credit_line(
        http: Request, reader: CreditLineReader, property_name: PropertyPath, patron: PatronPath
    ) -> Response:
        """Return a patron's limit, outstanding and available credit on the current gaming day, and unpaid checks."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            places, now = await known_places(connection, properties), context.clock()
            day = place_for_command(places.place, property_name, now).gaming_day(now)
            line = await find_credit_line(connection, property_name, patron)
        line.require_terms()
        return document_response(http, CreditLineStanding.of(line, day))
