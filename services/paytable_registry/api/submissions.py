"""Routes of rules submissions: draft, file, decide, withdraw and read; read the version in effect at each table."""

import asyncio
from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import AwareDatetime, BaseModel, Field

from services.paytable_registry import tables
from services.paytable_registry.api.access import APPROVE_SUBMISSIONS, FILE_SUBMISSIONS, SUBMISSIONS_READER
from services.paytable_registry.commands.submissions import (
    ApproveSubmission,
    ApproveWithdrawal,
    DraftSubmission,
    FileDraft,
    FileSubmission,
    ReplaceDraft,
    ReturnSubmission,
    ReturnWithdrawal,
    WithdrawSubmission,
)
from services.paytable_registry.domain.effect import TableInEffect, in_effect_at
from services.paytable_registry.domain.exports import SubmissionsExport
from services.paytable_registry.domain.submission_changes import changes
from services.paytable_registry.domain.submissions import SubmissionShown
from services.paytable_registry.queries import properties, submissions
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.submissions import ByTable
from shared.contracts.versions import VersionNumber
from shared.runtime.database import snapshot
from shared.runtime.http import (
    UNCHANGED,
    Asked,
    Moment,
    Page,
    PropertyChoice,
    PropertyPath,
    PropertyQuery,
    TableListing,
    command_route,
    document_response,
    problems,
)
from shared.runtime.http.merged_routers import merge_routers
from shared.runtime.http.pagination import PageRequest
from shared.runtime.service.service_context import ServiceContext

GameName = Annotated[Name, Path(description="the licensee's name for the game")]

VERSIONS: Final = TableListing(tables.submissions, "property", "game", "version")


class InEffect(BaseModel):
    """The version in effect at each table of a property at a moment."""

    property: str
    at: AwareDatetime
    tables: list[TableInEffect]


class SubmissionChanges(BaseModel):
    """The differences between two versions of a submission."""

    property: str
    game: str
    from_version: int
    to_version: int
    changes: list[str] = Field(description="the changes as text, one per line")


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes, which read the database of the running service."""
    return merge_routers(_commands(context), _submissions(context))


def _commands(context: ServiceContext) -> APIRouter:
    router = APIRouter(prefix="/submissions", tags=["submissions"])
    add = partial(command_route, router, context.commands, answers=SubmissionShown)
    decided = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED, Reason.TOO_EARLY)
    approved = (*decided, Reason.SAME_PERSON, Reason.TOO_LATE, Reason.NOT_ALLOWED, Reason.OVERRIDE_NEEDED)
    refused = (Reason.NOT_FOUND, Reason.NOT_ALLOWED)
    path = "/{property}/{game}/{version}"
    add(FileSubmission, "", role=FILE_SUBMISSIONS, status=201, rejects=refused)
    add(DraftSubmission, "/drafts", role=FILE_SUBMISSIONS, status=201, rejects=(Reason.NOT_ALLOWED,))
    add = partial(add, subject=router.prefix + path)
    add(ReplaceDraft, path + "/draft", role=FILE_SUBMISSIONS, rejects=(*refused, Reason.ALREADY_DECIDED))
    add(FileDraft, path + "/file", role=FILE_SUBMISSIONS, rejects=(*refused, Reason.ALREADY_DECIDED))
    add(ApproveSubmission, path + "/approve", role=APPROVE_SUBMISSIONS, rejects=approved)
    add(ReturnSubmission, path + "/return", role=APPROVE_SUBMISSIONS, rejects=decided)
    withdrawn = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED, Reason.TOO_LATE)
    add(WithdrawSubmission, path + "/withdraw", role=FILE_SUBMISSIONS, rejects=withdrawn)
    both = (*decided, Reason.SAME_PERSON, Reason.TOO_LATE)
    add(ApproveWithdrawal, path + "/withdrawal/approve", role=APPROVE_SUBMISSIONS, rejects=both)
    add(ReturnWithdrawal, path + "/withdrawal/return", role=APPROVE_SUBMISSIONS, rejects=decided)
    return router


def _submissions(context: ServiceContext) -> APIRouter:
    router = APIRouter(prefix="/submissions", tags=["submissions"], dependencies=[SUBMISSIONS_READER])

    async def page(asked: PageRequest, **values: str | None) -> Page[SubmissionShown]:
        async with snapshot(context.pools.readers) as connection:
            found = await VERSIONS.read(connection, asked, submissions.version_of, **values)
            items = await submissions.seen(connection, found.items, context.clock())
        return Page(items=items, next=found.next)

    @router.get(
        "", response_model_exclude_none=True, summary="List versions", responses=problems(Reason.CURSOR_UNKNOWN)
    )
    async def list_versions(
        asked: Asked,
        property_name: PropertyChoice = None,
        game: Annotated[Name | None, Query()] = None,
    ) -> Page[SubmissionShown]:
        """List versions of submissions, optionally only those of a property or a game."""
        return await page(asked, property=property_name, game=game)

    @router.get(
        "/in-effect",
        response_model=InEffect,
        summary="Read the submissions in effect at the tables",
        responses={**UNCHANGED, **problems(Reason.NOT_FOUND)},
    )
    async def read_in_effect(
        request: Request,
        property_name: PropertyQuery,
        table: Annotated[Name | None, Query(description="the table; default: all tables at that moment")] = None,
        at: Annotated[Moment | None, Query(description="the moment, with its UTC offset; default: now")] = None,
    ) -> Response:
        """Return each table's game, and the version in effect there at the moment, under which its rounds settle."""
        now = context.clock()
        moment = now if at is None else at
        async with snapshot(context.pools.readers) as connection:
            place = await properties.place_at(connection, property_name, moment)
            found = await submissions.approved(connection, property=property_name)
        tables = in_effect_at(place, ByTable(found), moment, now=now, only=table)
        return document_response(request, InEffect(property=property_name, at=moment, tables=tables))

    @router.get(
        "/{property}/{game}",
        response_model_exclude_none=True,
        summary="List the versions of one submission",
        responses=problems(Reason.CURSOR_UNKNOWN, Reason.NOT_FOUND),
    )
    async def list_versions_of_game(property_name: PropertyPath, game: GameName, asked: Asked) -> Page[SubmissionShown]:
        """List all versions of a submission, regardless of their status."""
        found = await page(asked, property=property_name, game=game)
        if not found.items and asked.cursor is None:
            raise Rejected(Reason.NOT_FOUND, f"nothing was ever filed for {game} at {property_name}")
        return found

    @router.get(
        "/{property}/{game}/export",
        response_model=SubmissionsExport,
        summary="Export a submission with its proofs",
        responses={**UNCHANGED, **problems(Reason.NOT_FOUND, Reason.TOO_EARLY, Reason.CONTRADICTS)},
    )
    async def export(request: Request, property_name: PropertyPath, game: GameName) -> Response:
        """Export all facts about the submission's versions under a signed checkpoint, verifiable by outsiders."""
        async with snapshot(context.pools.readers) as connection:
            return document_response(request, await submissions.export(connection, property_name, game))

    @router.get(
        "/{property}/{game}/{version}",
        response_model=SubmissionShown,
        summary="Read a version",
        responses={**UNCHANGED, **problems(Reason.NOT_FOUND)},
    )
    async def read_version(
        request: Request, property_name: PropertyPath, game: GameName, version: Annotated[VersionNumber, Path()]
    ) -> Response:
        """Return a version. Its filed content never changes; its status does, and its phase changes with time."""
        async with snapshot(context.pools.readers) as connection:
            found = await submissions.find(connection, property_name, game, version)
            [item] = await submissions.seen(connection, [found], context.clock())
        return document_response(request, item)

    @router.get(
        "/{property}/{game}/{version}/diff/{other}",
        summary="Compare a version with another",
        responses=problems(Reason.NOT_FOUND),
    )
    async def read_diff(
        property_name: PropertyPath,
        game: GameName,
        version: Annotated[VersionNumber, Path(description="the version to compare with")],
        other: Annotated[VersionNumber, Path(description="the later version, whose changes are returned")],
    ) -> SubmissionChanges:
        """Return the changes between two versions as text: tables, `effective_from`, decks, options, wagers, limits."""
        async with snapshot(context.pools.readers) as connection:
            before, after = [
                await submissions.find(connection, property_name, game, number) for number in (version, other)
            ]
        found = await asyncio.to_thread(changes, before, after)  # computing paybacks takes up to some seconds
        return SubmissionChanges(
            property=property_name, game=game, from_version=version, to_version=other, changes=found
        )

    return router
