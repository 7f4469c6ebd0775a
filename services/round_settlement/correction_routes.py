"""Routes for corrections of rounds: proposed by one person, shown with their effects, decided by another."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Query

from services.round_settlement.commands import ApproveCorrection, ProposeCorrection, RejectCorrection, correction_shown
from services.round_settlement.domain.corrections import (
    CorrectionDocument,
    CorrectionItem,
    CorrectionStatus,
)
from services.round_settlement.queries.corrections import items_of
from services.round_settlement.tables import corrections
from shared.contracts.corrections import CorrectionNumber
from shared.contracts.rejection import Reason
from shared.runtime.database import snapshot
from shared.runtime.http import (
    Asked,
    FromEnd,
    Page,
    PropertyPath,
    PropertyQuery,
    TableListing,
    command_route,
    declare_role,
    problems,
    require_role,
)
from shared.runtime.http.merged_routers import merge_routers
from shared.runtime.http.roles import Role
from shared.runtime.service.service_context import ServiceContext

CORRECT_ROUNDS = declare_role("rounds.correct", "Propose corrections of rounds.")
APPROVE_CORRECTIONS = declare_role(
    "rounds.correct.approve", "Approve or reject corrections of rounds that somebody else proposed."
)

CORRECTIONS = TableListing(corrections, "correction")

_WRONG = (Reason.NOT_FOUND, Reason.CONTRADICTS, Reason.NOT_ALLOWED)
_DECIDED = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED)


def correction_routes(context: ServiceContext, reader: Role) -> APIRouter:
    """Return the routes, for readers of rounds and for those who correct them."""
    router = APIRouter(tags=["corrections"])
    person = Annotated[str, require_role(reader, CORRECT_ROUNDS, APPROVE_CORRECTIONS)]
    add = partial(command_route, router, context.commands, answers=CorrectionItem)
    of_round, one = "/rounds/{property}/{table}/{round_id}/corrections", "/corrections/{property}/{correction}"
    add(ProposeCorrection, of_round, role=CORRECT_ROUNDS, status=201, rejects=_WRONG)
    approvable = (*_WRONG, Reason.ALREADY_DECIDED, Reason.SAME_PERSON)
    decide = partial(add, role=APPROVE_CORRECTIONS, subject=one)
    decide(ApproveCorrection, f"{one}/approve", rejects=approvable)
    decide(RejectCorrection, f"{one}/reject", rejects=_DECIDED)

    @router.get("/corrections", response_model_exclude_none=True, summary="List corrections of rounds")
    async def list_corrections(
        by: person,
        property_name: PropertyQuery,
        asked: Asked,
        status: Annotated[
            CorrectionStatus | None, Query(description="only with this status; `asked`: awaiting a decision")
        ] = None,
        from_end: FromEnd = False,
    ) -> Page[CorrectionItem]:
        """List corrections by number, each with its proposer, reason, decision and outcome."""
        del by
        async with snapshot(context.pools.readers) as connection:
            of = {"property": property_name, "status": status}
            found = await CORRECTIONS.read(connection, asked, lambda row: row, from_end, **of)
            return Page(items=await items_of(connection, found.items), next=found.next)

    @router.get(
        one, response_model_exclude_none=True, summary="Read a correction", responses=problems(Reason.NOT_FOUND)
    )
    async def show_correction(
        by: person, property_name: PropertyPath, correction: Annotated[CorrectionNumber, Path()]
    ) -> CorrectionDocument:
        """Return a correction and its effects: lines, postings and gaming days, computed by the posting code."""
        del by
        async with snapshot(context.pools.readers) as connection:
            return await correction_shown(connection, property_name, correction)

    return merge_routers(router)
