"""The HTTP interface of the registry: submissions are filed, decided and read, and the catalogue too."""

from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import AwareDatetime, BaseModel

from services.paytable_registry import queries
from services.paytable_registry.commands import ApproveSubmission, FileSubmission, RejectSubmission
from services.paytable_registry.domain.versions import SubmissionVersion
from services.paytable_registry.queries import VersionKey
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.submissions import in_effect
from shared.contracts.versions import VersionNumber
from shared.rules.catalogue import Catalogue, catalogue, known_regulations
from shared.runtime.service.context import ServiceContext
from shared.runtime.web import (
    UNCHANGED,
    Cursor,
    Limit,
    Listing,
    Page,
    command_route,
    declare_role,
    document_response,
    person_with,
    problems,
    snapshot,
)
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


Reader = Annotated[str, person_with(READ_SUBMISSIONS, FILE_SUBMISSIONS, APPROVE_SUBMISSIONS, READ_REPORTS)]
PropertyName = Annotated[Name, Path(alias="property", description="the property")]
GameName = Annotated[Name, Path(description="the licensee's name for the game")]

VERSIONS: Listing[VersionKey] = Listing("submissions", VersionKey)


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes, reading the database of a running service."""
    router = APIRouter()
    router.include_router(_commands(context))
    router.include_router(_submissions(context))
    router.include_router(_catalogue())
    return router


def _commands(context: ServiceContext) -> APIRouter:
    router = APIRouter(prefix="/submissions", tags=["submissions"])
    command_route(
        router,
        context.commands,
        FileSubmission,
        "",
        role=FILE_SUBMISSIONS,
        answers=SubmissionVersion,
        status=201,
        rejects=(Reason.NOT_ALLOWED,),
    )
    command_route(
        router,
        context.commands,
        ApproveSubmission,
        "/{property}/{game}/{version}/approve",
        role=APPROVE_SUBMISSIONS,
        answers=SubmissionVersion,
        rejects=(Reason.NOT_FOUND, Reason.ALREADY_DECIDED, Reason.SAME_PERSON, Reason.TOO_LATE),
    )
    command_route(
        router,
        context.commands,
        RejectSubmission,
        "/{property}/{game}/{version}/reject",
        role=APPROVE_SUBMISSIONS,
        answers=SubmissionVersion,
        rejects=(Reason.NOT_FOUND, Reason.ALREADY_DECIDED),
    )
    return router


def _submissions(context: ServiceContext) -> APIRouter:
    router = APIRouter(prefix="/submissions", tags=["submissions"])

    async def page(
        property_name: str | None, game: str | None, limit: int, cursor: str | None
    ) -> Page[SubmissionVersion]:
        after = VERSIONS.after(cursor)
        async with snapshot(context.engine) as connection:
            found = await queries.versions(
                connection, property_name=property_name, game=game, after=after, limit=limit + 1
            )
        return VERSIONS.page(found, limit, lambda one: (one.property, one.game, one.version))

    @router.get(
        "",
        response_model_exclude_none=True,
        summary="List versions",
        responses=problems(Reason.CURSOR_UNKNOWN),
    )
    async def list_versions(
        reader: Reader,
        property_name: Annotated[Name | None, Query(alias="property")] = None,
        game: Annotated[Name | None, Query()] = None,
        limit: Limit = 50,
        cursor: Cursor = None,
    ) -> Page[SubmissionVersion]:
        """All versions, or those of a property or a game."""
        del reader
        return await page(property_name, game, limit, cursor)

    @router.get(
        "/{property}/{game}",
        response_model_exclude_none=True,
        summary="List the versions of one submission",
        responses=problems(Reason.CURSOR_UNKNOWN, Reason.NOT_FOUND),
    )
    async def list_versions_of_game(
        reader: Reader, property_name: PropertyName, game: GameName, limit: Limit = 50, cursor: Cursor = None
    ) -> Page[SubmissionVersion]:
        """Its whole history: filed, approved and rejected."""
        del reader
        found = await page(property_name, game, limit, cursor)
        if not found.items and cursor is None:
            raise Rejected(Reason.NOT_FOUND, f"nothing was ever filed for {game} at {property_name}")
        return found

    @router.get(
        "/{property}/{game}/in-effect",
        response_model=SubmissionVersion,
        summary="Read the version in effect",
        responses={**UNCHANGED, **problems(Reason.NOT_FOUND)},
    )
    async def read_in_effect(
        request: Request,
        reader: Reader,
        property_name: PropertyName,
        game: GameName,
        at: Annotated[AwareDatetime | None, Query(description="the moment, with its time zone; now without it")] = None,
    ) -> Response:
        """The version under which a round that is opened at that moment settles."""
        del reader
        moment = context.clock() if at is None else at
        async with snapshot(context.engine) as connection:
            found = await queries.versions(connection, property_name=property_name, game=game)
        version: SubmissionVersion | None = in_effect([one for one in found if one.status == "approved"], moment)
        if version is None:
            detail = f"no approved version of {game} at {property_name} is in effect at {moment.isoformat()}"
            raise Rejected(Reason.NOT_FOUND, detail)
        return document_response(request, version)

    @router.get(
        "/{property}/{game}/{version}",
        response_model=SubmissionVersion,
        summary="Read a version",
        responses={**UNCHANGED, **problems(Reason.NOT_FOUND)},
    )
    async def read_version(
        request: Request,
        reader: Reader,
        property_name: PropertyName,
        game: GameName,
        version: Annotated[VersionNumber, Path()],
    ) -> Response:
        """What was filed never changes; its status does, once."""
        del reader
        async with snapshot(context.engine) as connection:
            return document_response(request, await queries.find(connection, property_name, game, version))

    return router


def _catalogue() -> APIRouter:
    router = APIRouter(prefix="/catalogue", tags=["catalogue"])

    @router.get("", summary="List the regulations")
    def list_regulations(reader: Reader) -> list[Regulation]:
        """The regulations under which a submission may be filed."""
        del reader
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
    def read_catalogue(reader: Reader, regulation: Annotated[str, Path(max_length=100)]) -> Catalogue:
        """Every wager, paytable, option, limit and minimum that a submission may select, each with its paragraph."""
        del reader
        if regulation not in known_regulations():
            known = ", ".join(known_regulations())
            raise Rejected(Reason.NOT_FOUND, f"regulation {regulation!r} is not known; known are {known}")
        return catalogue(regulation)

    return router
