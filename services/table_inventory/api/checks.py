"""Routes of counter checks at the cage: checks on hand, payments on them, and replacements."""

from functools import partial
from typing import Final

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from services.table_inventory.api.access import BY_OTHERS, TRANSACT, CageReader, CheckReader, NumberPath
from services.table_inventory.commands.checks import ClearCheck, RedeemCheck, ReplaceChecks, ReturnCheck, VoidRedemption
from services.table_inventory.domain.checks import CounterCheck, Redemption
from services.table_inventory.queries.checks import checks_like, checks_on_hand, find_redemption
from shared.contracts.cage import CheckRedeemed, CheckReplaced, CheckReturned, RedemptionVoided
from shared.contracts.check_collection import CheckCleared, RecoveryReturned, RecoveryVoided
from shared.contracts.rejection import Reason
from shared.runtime.database import snapshot
from shared.runtime.http import (
    UNCHANGED,
    Asked,
    Listing,
    Page,
    PropertyPath,
    TypedReference,
    command_route,
    document_response,
    problems,
)
from shared.runtime.service.service_context import ServiceContext

_REDEMPTION: Final = "/redemptions/{step}"


class ChecksFound(BaseModel):
    """The counter checks that match a search, at most 20."""

    items: list[CounterCheck]


ON_HAND: Final[Listing[tuple[str]]] = Listing("counter-checks", tuple[str])


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes of counter checks."""
    router = APIRouter(prefix="/counter-checks/{property}", tags=["counter checks"])
    command = partial(command_route, router, context.commands, role=TRANSACT)
    late = (Reason.CONTRADICTS, Reason.TOO_EARLY, Reason.TOO_LATE)
    paid = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED, *late)
    command(RedeemCheck, "/{serial}/redeem", answers=CheckRedeemed, rejects=(*paid, Reason.NOT_ALLOWED))
    undo = partial(command, subject=router.prefix + _REDEMPTION)
    undo(VoidRedemption, _REDEMPTION + "/void", answers=RedemptionVoided | RecoveryVoided, rejects=BY_OTHERS)
    returns = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED, Reason.NOT_ALLOWED, *late)
    undo(ReturnCheck, _REDEMPTION + "/return", answers=CheckReturned | RecoveryReturned, rejects=returns)
    undo(ClearCheck, _REDEMPTION + "/clear", answers=CheckCleared, rejects=returns)
    command(ReplaceChecks, "", answers=CheckReplaced, status=201, rejects=(*paid, Reason.NOT_ALLOWED))

    @router.get(
        "",
        response_model_exclude_none=True,
        summary="List Counter Checks on hand",
        responses=problems(Reason.CURSOR_UNKNOWN),
    )
    async def list_checks(reader: CheckReader, property_name: PropertyPath, asked: Asked) -> Page[CounterCheck]:
        """List the counter checks with an outstanding amount, by serial number."""
        del reader
        after = ON_HAND.after(asked.cursor)
        async with snapshot(context.pools.readers) as connection:
            found = await checks_on_hand(connection, property_name, after[0] if after else "", asked.limit + 1)
        return ON_HAND.page(found, asked.limit, lambda one: (one.serial,))

    @router.get("/find", response_model_exclude_none=True, summary="Search Counter Checks")
    async def find_by_serial(reader: CheckReader, property_name: PropertyPath, typed: TypedReference) -> ChecksFound:
        """Find counter checks by serial number, including paid checks, each with the outstanding amount."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            return ChecksFound(items=await checks_like(connection, property_name, typed))

    @router.get(
        _REDEMPTION,
        response_model=Redemption,
        summary="Read a redemption",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_redemption(
        request: Request, reader: CageReader, property_name: PropertyPath, step: NumberPath
    ) -> Response:
        """Return a payment on counter checks as entered, and whether it was voided, returned unpaid or cleared."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            return document_response(request, await find_redemption(connection, property_name, step))

    return router
