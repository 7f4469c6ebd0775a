"""Routes of contests: results are entered by one person and approved by another."""

from functools import partial
from typing import Annotated, Final

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
from services.table_inventory.commands.contests import ApproveContest, EnterContest, RejectContest
from services.table_inventory.domain.contests import ContestDocument
from services.table_inventory.queries.contests import contests_of_day, find_contest
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason
from shared.runtime.database import snapshot
from shared.runtime.http import UNCHANGED, PropertyPath, command_route, document_response, problems
from shared.runtime.service.service_context import ServiceContext

_REVISION: Final = "/{contest}/{revision}"


class Contests(BaseModel):
    """The results of contests that ended on a gaming day, with the decision on each, by contest and revision."""

    items: list[ContestDocument]


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes of contests."""
    router = APIRouter(prefix="/contests/{property}/{gaming_day}", tags=["contests"])
    command = partial(command_route, router, context.commands, answers=ContestDocument)
    rejects = (Reason.NOT_FOUND, Reason.NOT_ALLOWED, Reason.TOO_EARLY, Reason.CONTRADICTS)
    command(EnterContest, "", role=AUDIT_DAYS, status=201, rejects=rejects)
    decide = partial(command, role=APPROVE_DAYS, subject=router.prefix + _REVISION)
    decide(ApproveContest, f"{_REVISION}/approve", rejects=BY_OTHERS)
    decide(RejectContest, f"{_REVISION}/reject", rejects=DECIDED)

    @router.get("", response_model_exclude_none=True, summary="List contests")
    async def list_contests(reader: DayReader, property_name: PropertyPath, gaming_day: DayPath) -> Contests:
        """List the contests that ended on a gaming day, with every revision of their results."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            return Contests(items=await contests_of_day(connection, property_name, gaming_day))

    @router.get(
        _REVISION,
        response_model=ContestDocument,
        summary="Read a revision of a contest",
        responses=UNCHANGED | problems(Reason.NOT_FOUND),
    )
    async def read_contest(
        request: Request,
        reader: DayReader,
        property_name: PropertyPath,
        gaming_day: DayPath,
        contest: Annotated[Name, Path(description="the contest")],
        revision: NumberPath,
    ) -> Response:
        """Return a contest's result as entered, with its current status."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            found = await find_contest(connection, property_name, gaming_day, contest, revision)
        return document_response(request, found)

    return router
