"""Routes of the cage: counter checks on hand, their redemption and replacement."""

from functools import partial
from typing import Final

from fastapi import APIRouter

from services.table_inventory.api.access import BY_OTHERS, TRANSACT, CageReader
from services.table_inventory.commands.checks import RedeemCheck, ReplaceChecks, ReturnCheck, VoidRedemption
from services.table_inventory.domain.checks import CounterCheck
from services.table_inventory.queries.checks import checks_on_hand
from shared.contracts.cage import CheckRedeemed, CheckReplaced, CheckReturned, RedemptionVoided
from shared.contracts.rejection import Reason
from shared.runtime.database import snapshot
from shared.runtime.service.context import ServiceContext
from shared.runtime.web import Asked, Listing, Page, PropertyPath, command_route, problems

ON_HAND: Final[Listing[tuple[str]]] = Listing("counter-checks", tuple[str])


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/counter-checks/{property}", tags=["counter checks"])
    command = partial(command_route, router, context.commands, role=TRANSACT)
    paid = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED, Reason.CONTRADICTS)
    command(RedeemCheck, "/{serial}/redeem", answers=CheckRedeemed, rejects=paid)
    command(VoidRedemption, "/redemptions/{step}/void", answers=RedemptionVoided, rejects=BY_OTHERS)
    returns = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED, Reason.NOT_ALLOWED)
    command(ReturnCheck, "/redemptions/{step}/return", answers=CheckReturned, rejects=returns)
    command(ReplaceChecks, "", answers=CheckReplaced, status=201, rejects=(*paid, Reason.NOT_ALLOWED))

    @router.get(
        "",
        response_model_exclude_none=True,
        summary="List counter checks on hand",
        responses=problems(Reason.CURSOR_UNKNOWN),
    )
    async def list_checks(reader: CageReader, property_name: PropertyPath, asked: Asked) -> Page[CounterCheck]:
        """Those on which anything is owed, in the order of their serial numbers."""
        del reader
        after = ON_HAND.after(asked.cursor)
        async with snapshot(context.pools.readers) as connection:
            found = await checks_on_hand(connection, property_name, after[0] if after else "", asked.limit + 1)
        return ON_HAND.page(found, asked.limit, lambda one: (one.serial,))

    return router
