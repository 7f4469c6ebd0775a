"""The HTTP interface of the registry: submissions are filed, decided and read, and the catalogue too."""

from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import AwareDatetime, BaseModel

from services.paytable_registry import queries
from services.paytable_registry.commands import ApproveSubmission, FileSubmission, RejectSubmission
from services.paytable_registry.domain.versions import SubmissionVersion
from services.paytable_registry.tables import submissions
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.submissions import in_effect
from shared.contracts.versions import VersionNumber
from shared.rules.catalogue import Catalogue, catalogue, known_regulations
from shared.runtime.service.context import ServiceContext
from shared.runtime.web import (
    UNCHANGED,
    Asked,
    Page,
    PropertyChoice,
    PropertyPath,
    TableListing,
    command_route,
    declare_role,
    document_response,
    person_with,
    problems,
    snapshot,
)
from shared.runtime.web.pages import PageRequest
from shared.runtime.web.roles import READ_REPORTS

FILE_SUBMISSIONS: Final = declare_role("submissions.file", "File versions of rules submissions.")
APPROVE_SUBMISSIONS: Final = declare_role(
    "submissions.file.approve", "Approve or reject versions of rules submissions that somebody else filed."
)
READ_SUBMISSIONS: Final = declare_role("submissions.read", "Read rules submissions and what regulations allow.")


class Regulation(BaseModel):
    """A regulation under which a submission may be filed."""

    id: str
    title: str
    game: str
    source: str
    href: str


READER: Final = person_with(READ_SUBMISSIONS, FILE_SUBMISSIONS, APPROVE_SUBMISSIONS, READ_REPORTS)
GameName = Annotated[Name, Path(description="the licensee's name for the game")]

VERSIONS: Final = TableListing(submissions, "property", "game", "version")


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes, reading the database of a running service."""
    router = APIRouter()
    router.include_router(_commands(context))
    router.include_router(_submissions(context))
    router.include_router(_catalogue())
    return router


def _commands(context: ServiceContext) -> APIRouter:
    router = APIRouter(prefix="/submissions", tags=["submissions"])
    add = partial(command_route, router, context.commands, answers=SubmissionVersion)
    decided = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED)
    approved = (*decided, Reason.SAME_PERSON, Reason.TOO_LATE)
    path = "/{property}/{game}/{version}"
    add(FileSubmission, "", role=FILE_SUBMISSIONS, status=201, rejects=(Reason.NOT_ALLOWED,))
    add(ApproveSubmission, path + "/approve", role=APPROVE_SUBMISSIONS, rejects=approved)
    add(RejectSubmission, path + "/reject", role=APPROVE_SUBMISSIONS, rejects=decided)
    return router


def _submissions(context: ServiceContext) -> APIRouter:
    router = APIRouter(prefix="/submissions", tags=["submissions"], dependencies=[READER])
    one = partial(router.get, response_model=SubmissionVersion, responses={**UNCHANGED, **problems(Reason.NOT_FOUND)})

    async def page(asked: PageRequest, **values: str | None) -> Page[SubmissionVersion]:
        async with snapshot(context.engine) as connection:
            return await VERSIONS.read(connection, asked, queries.version_of, **values)

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
            version = in_effect(await queries.approved(connection, property_name, game), moment)
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
            return document_response(request, await queries.find(connection, property_name, game, version))

    return router


def _catalogue() -> APIRouter:
    router = APIRouter(prefix="/catalogue", tags=["catalogue"], dependencies=[READER])

    @router.get("", summary="List the regulations")
    def list_regulations() -> list[Regulation]:
        """The regulations under which a submission may be filed."""
        catalogues = map(catalogue, known_regulations())
        return [
            Regulation(id=it.id, title=it.title, game=it.game, source=it.source, href=f"/catalogue/{it.id}")
            for it in catalogues
        ]

    @router.get(
        "/{regulation}",
        response_model_exclude_none=True,
        summary="Read what a regulation allows",
        responses=problems(Reason.NOT_FOUND),
    )
    def read_catalogue(regulation: Annotated[str, Path(max_length=100)]) -> Catalogue:
        """Every wager, paytable, option, limit and minimum that a submission may select, each with its paragraph."""
        if regulation not in known_regulations():
            known = ", ".join(known_regulations())
            raise Rejected(Reason.NOT_FOUND, f"regulation {regulation!r} is not known; known are {known}")
        return catalogue(regulation)

    return router
