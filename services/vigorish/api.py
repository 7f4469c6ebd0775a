"""The HTTP API of vigorish: the seats whose vigorish the pit must collect, return or check."""

from typing import Annotated

from fastapi import APIRouter, Query

from services.vigorish.domain.seats import FollowUp, FollowUpKey, FollowUpKind, follow_ups
from services.vigorish.queries import seats_of
from shared.contracts.rejection import Reason
from shared.runtime.database import snapshot
from shared.runtime.http import AskedOfDay, Listing, Page, problems, require_role
from shared.runtime.http.roles import READ_REPORTS
from shared.runtime.service.service_context import ServiceContext

FOLLOW_UPS: Listing[FollowUpKey] = Listing("follow-ups", FollowUpKey)

Reader = Annotated[str, require_role(READ_REPORTS)]


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes, which read the database of the running service."""
    router = APIRouter(tags=["vigorish"])

    @router.get(
        "/follow-ups",
        response_model_exclude_none=True,
        summary="List seats with outstanding vigorish",
        responses=problems(Reason.CURSOR_UNKNOWN),
    )
    async def list_follow_ups(
        reader: Reader,
        asked: AskedOfDay,
        kind: Annotated[FollowUpKind | None, Query(description="only of this kind")] = None,
    ) -> Page[FollowUp]:
        """List a gaming day's seats whose vigorish is outstanding, late or paid in excess, by table and round."""
        del reader
        after = FOLLOW_UPS.after(asked.cursor)
        async with snapshot(context.pools.readers) as connection:
            seats = await seats_of(connection, asked.property, asked.gaming_day, asked.table)
        left = [one for one in follow_ups(seats) if kind in (None, one.kind) and (after is None or one.key > after)]
        return FOLLOW_UPS.page(left, asked.limit, lambda one: one.key)

    return router
