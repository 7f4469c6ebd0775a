"""Routes of contests: their results are entered by one person and approved by another."""

from functools import partial

from fastapi import APIRouter
from pydantic import BaseModel

from services.table_inventory.api.access import APPROVE_DAYS, AUDIT_DAYS, BY_OTHERS, DayPath, DayReader
from services.table_inventory.commands.contests import ApproveContest, EnterContest, RejectContest
from services.table_inventory.domain.contests import ContestDocument
from services.table_inventory.queries.contests import contests_of_day
from shared.contracts.rejection import Reason
from shared.runtime.database import snapshot
from shared.runtime.service.context import ServiceContext
from shared.runtime.web import PropertyPath, command_route


class Contests(BaseModel):
    """What was entered and decided about the contests that ended on a gaming day, by their names and revisions."""

    items: list[ContestDocument]


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/contests/{property}/{gaming_day}", tags=["contests"])
    command = partial(command_route, router, context.commands, answers=ContestDocument)
    rejects = (Reason.NOT_FOUND, Reason.NOT_ALLOWED, Reason.TOO_EARLY, Reason.CONTRADICTS)
    command(EnterContest, "", role=AUDIT_DAYS, status=201, rejects=rejects)
    for decision, path in ((ApproveContest, "approve"), (RejectContest, "reject")):
        command(decision, f"/{{contest}}/{{revision}}/{path}", role=APPROVE_DAYS, rejects=BY_OTHERS)

    @router.get("", response_model_exclude_none=True, summary="List contests")
    async def list_contests(reader: DayReader, property_name: PropertyPath, gaming_day: DayPath) -> Contests:
        """Those that ended on a gaming day, with every revision of their results."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            return Contests(items=await contests_of_day(connection, property_name, gaming_day))

    return router
