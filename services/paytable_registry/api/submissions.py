"""Rules submissions: filed, decided, read."""

from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import AwareDatetime

from services.paytable_registry import tables
from services.paytable_registry.api.access import APPROVE_SUBMISSIONS, FILE_SUBMISSIONS, SUBMISSIONS_READER
from services.paytable_registry.commands.submissions import ApproveSubmission, FileSubmission, RejectSubmission
from services.paytable_registry.domain.submissions import SubmissionVersion
from services.paytable_registry.queries import submissions
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.versions import VersionNumber, in_effect
from shared.runtime.service.context import ServiceContext
from shared.runtime.web import (
    UNCHANGED,
    Asked,
    Page,
    PropertyChoice,
    PropertyPath,
    TableListing,
    command_route,
    document_response,
    problems,
    snapshot,
)
from shared.runtime.web.pages import PageRequest
from shared.runtime.web.routing import joined

GameName = Annotated[Name, Path(description="the licensee's name for the game")]

VERSIONS: Final = TableListing(tables.submissions, "property", "game", "version")


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes, reading the database of a running service."""
    return joined(_commands(context), _submissions(context))


def _commands(context: ServiceContext) -> APIRouter:
    router = APIRouter(prefix="/submissions", tags=["submissions"])
    add = partial(command_route, router, context.commands, answers=SubmissionVersion)
    decided = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED)
    approved = (*decided, Reason.SAME_PERSON, Reason.TOO_LATE, Reason.NOT_ALLOWED)
    path = "/{property}/{game}/{version}"
    add(FileSubmission, "", role=FILE_SUBMISSIONS, status=201, rejects=(Reason.NOT_FOUND, Reason.NOT_ALLOWED))
    add(ApproveSubmission, path + "/approve", role=APPROVE_SUBMISSIONS, rejects=approved)
    add(RejectSubmission, path + "/reject", role=APPROVE_SUBMISSIONS, rejects=decided)
    return router


def _submissions(context: ServiceContext) -> APIRouter:
    router = APIRouter(prefix="/submissions", tags=["submissions"], dependencies=[SUBMISSIONS_READER])
    one = partial(router.get, response_model=SubmissionVersion, responses={**UNCHANGED, **problems(Reason.NOT_FOUND)})

    async def page(asked: PageRequest, **values: str | None) -> Page[SubmissionVersion]:
        async with snapshot(context.engine) as connection:
            return await VERSIONS.read(connection, asked, submissions.version_of, **values)

    @router.get(
        "", response_model_exclude_none=True, summary="List versions", responses=problems(Reason.CURSOR_UNKNOWN)
    )
    async def list_versions(
        asked: Asked,
        property_name: PropertyChoice = None,
        game: Annotated[Name | None, Query()] = None,
    ) -> Page[SubmissionVersion]:
        """All versions, or those of a property or a game."""
        return await page(asked, property=property_name, game=game)

    @router.get(
        "/{property}/{game}",
        response_model_exclude_none=True,
        summary="List the versions of one submission",
        responses=problems(Reason.CURSOR_UNKNOWN, Reason.NOT_FOUND),
    )
    async def list_versions_of_game(
        property_name: PropertyPath, game: GameName, asked: Asked
    ) -> Page[SubmissionVersion]:
        """Its whole history: filed, approved and rejected."""
        found = await page(asked, property=property_name, game=game)
        if not found.items and asked.cursor is None:
            raise Rejected(Reason.NOT_FOUND, f"nothing was ever filed for {game} at {property_name}")
        return found

    @one("/{property}/{game}/in-effect", summary="Read the version in effect")
    async def read_in_effect(
        request: Request,
        property_name: PropertyPath,
        game: GameName,
        at: Annotated[AwareDatetime | None, Query(description="the moment, with its time zone; now without it")] = None,
    ) -> Response:
        """The version under which a round that is opened at that moment settles."""
        moment = context.clock() if at is None else at
        async with snapshot(context.engine) as connection:
            version = in_effect(await submissions.approved(connection, property_name, game), moment)
        if version is None:
            detail = f"no approved version of {game} at {property_name} is in effect at {moment.isoformat()}"
            raise Rejected(Reason.NOT_FOUND, detail)
        return document_response(request, version)

    @one("/{property}/{game}/{version}", summary="Read a version")
    async def read_version(
        request: Request, property_name: PropertyPath, game: GameName, version: Annotated[VersionNumber, Path()]
    ) -> Response:
        """What was filed never changes; its status does, once."""
        async with snapshot(context.engine) as connection:
            return document_response(request, await submissions.find(connection, property_name, game, version))

    return router
