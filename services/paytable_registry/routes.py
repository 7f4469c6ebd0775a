"""The HTTP interface of the registry: submissions are filed, decided and read, and the catalogue too."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Path, Query, Response, Security
from fastapi.security import HTTPBearer
from pydantic import AwareDatetime, BaseModel, Field, TypeAdapter

from services.paytable_registry import store
from services.paytable_registry.commands import Commands, find
from services.paytable_registry.domain import SubmissionVersion
from services.paytable_registry.store import Key
from shared.contracts import rejection
from shared.contracts.envelope import Contract, Name, Reason
from shared.contracts.submissions import RulesSubmission, in_effect
from shared.rules.catalogue import Catalogue, catalogue, known_regulations
from shared.runtime.command.answers import IdempotencyKey, response
from shared.runtime.service.run import Parts
from shared.runtime.web.access import caller_with
from shared.runtime.web.unported import NotFound, problems


class Rejection(Contract):
    """Why a version is rejected."""

    reason: Reason


class SubmissionPage(BaseModel):
    """Some versions, in the order of property, game and version; `next` is the cursor of those that follow."""

    items: list[SubmissionVersion]
    next: str | None = None


class Regulation(BaseModel):
    """A regulation under which a submission may be filed."""

    id: str
    title: str
    game: str
    source: str
    href: str


PropertyName = Annotated[Name, Path(alias="property", description="the property")]
GameName = Annotated[Name, Path(description="the licensee's name for the game")]
Number = Annotated[int, Field(ge=1, le=2**31 - 1)]
VersionNumber = Annotated[Number, Path()]
Limit = Annotated[int, Query(ge=1, le=500, description="most versions on a page")]
Cursor = Annotated[str | None, Query(max_length=400, description="`next` of the page before")]
Filer = Annotated[str, Depends(caller_with("submit"))]
Approver = Annotated[str, Depends(caller_with("approve"))]


_key: TypeAdapter[tuple[Name, Name, int]] = TypeAdapter(tuple[Name, Name, Number])

_UNKNOWN_CALLER = "the bearer token is missing or not known"
_MALFORMED = "the request is malformed"
_KEY_USED = "the Idempotency-Key was used for another command"


def routes(parts: Parts) -> APIRouter:
    """The routes, working on the parts of a running service."""
    router = APIRouter()
    router.include_router(_submissions(parts))
    router.include_router(_commands(Commands(parts)))
    router.include_router(_catalogue())
    return router


def _commands(commands: Commands) -> APIRouter:
    bearer = Security(HTTPBearer(auto_error=False, scheme_name="bearer"))
    router = APIRouter(
        prefix="/submissions", tags=["submissions"], dependencies=[bearer], responses=problems(_422=_MALFORMED)
    )

    @router.post(
        "",
        status_code=201,
        response_model=SubmissionVersion,
        response_model_exclude_none=True,
        summary="File the next version of a rules submission",
        responses=problems(
            _401=_UNKNOWN_CALLER,
            _403="the caller may not file",
            _409=_KEY_USED,
            _422="the catalogue does not allow what is selected, or the version could never be approved",
        ),
    )
    async def file(wanted: RulesSubmission, filer: Filer, idempotency_key: IdempotencyKey) -> Response:
        """Somebody else approves it before it takes effect."""
        return response(await commands.file(wanted, person=filer, key=idempotency_key))

    @router.post(
        "/{property}/{game}/{version}/approve",
        response_model=SubmissionVersion,
        response_model_exclude_none=True,
        summary="Approve a version",
        responses=problems(
            _401=_UNKNOWN_CALLER,
            _403="the caller may not approve, or filed the version",
            _404="there is no such version",
            _409=f"the version was decided before, it is too late for it, or {_KEY_USED}",
        ),
    )
    async def approve(
        property_name: PropertyName,
        game: GameName,
        version: VersionNumber,
        approver: Approver,
        idempotency_key: IdempotencyKey,
    ) -> Response:
        """From `effective_from` on, rounds opened at its tables settle under it."""
        key = Key(property_name, game, version)
        return response(await commands.approve(key, person=approver, key=idempotency_key))

    @router.post(
        "/{property}/{game}/{version}/reject",
        response_model=SubmissionVersion,
        response_model_exclude_none=True,
        summary="Reject a version",
        responses=problems(
            _401=_UNKNOWN_CALLER,
            _403="the caller may not decide",
            _404="there is no such version",
            _409=f"the version was decided before, or {_KEY_USED}",
        ),
    )
    async def reject(
        property_name: PropertyName,
        game: GameName,
        version: VersionNumber,
        rejection: Rejection,
        approver: Approver,
        idempotency_key: IdempotencyKey,
    ) -> Response:
        """It never takes effect."""
        key = Key(property_name, game, version)
        return response(await commands.reject(key, rejection.reason, person=approver, key=idempotency_key))

    return router


def _submissions(parts: Parts) -> APIRouter:
    router = APIRouter(prefix="/submissions", tags=["submissions"], responses=problems(_422=_MALFORMED))

    async def page(property_name: str | None, game: str | None, limit: int, cursor: str | None) -> SubmissionPage:
        after = None if cursor is None else _after(cursor)
        async with parts.engine.connect() as connection:
            found = await store.page(connection, property_name=property_name, game=game, after=after, limit=limit + 1)
        return SubmissionPage(items=found[:limit], next=_cursor(found[limit - 1]) if len(found) > limit else None)

    @router.get(
        "",
        response_model_exclude_none=True,
        summary="List versions",
        responses=problems(_400="the cursor is not one of this service"),
    )
    async def list_versions(
        property_name: Annotated[Name | None, Query(alias="property")] = None,
        game: Annotated[Name | None, Query()] = None,
        limit: Limit = 50,
        cursor: Cursor = None,
    ) -> SubmissionPage:
        """All versions, or those of a property or a game."""
        return await page(property_name, game, limit, cursor)

    @router.get(
        "/{property}/{game}",
        response_model_exclude_none=True,
        summary="List the versions of one submission",
        responses=problems(_400="the cursor is not one of this service", _404="nothing was ever filed"),
    )
    async def list_versions_of_game(
        property_name: PropertyName, game: GameName, limit: Limit = 50, cursor: Cursor = None
    ) -> SubmissionPage:
        """Its whole history: filed, approved and rejected."""
        found = await page(property_name, game, limit, cursor)
        if not found.items and cursor is None:
            raise NotFound(f"nothing was ever filed for {game} at {property_name}")
        return found

    @router.get(
        "/{property}/{game}/in-effect",
        response_model_exclude_none=True,
        summary="Read the version in effect",
        responses=problems(_404="no version was in effect"),
    )
    async def read_in_effect(
        property_name: PropertyName,
        game: GameName,
        response: Response,
        at: Annotated[AwareDatetime | None, Query(description="the moment, with its time zone; now without it")] = None,
    ) -> SubmissionVersion:
        """The version under which a round that is opened at that moment settles."""
        moment = parts.clock() if at is None else at
        async with parts.engine.connect() as connection:
            versions = await store.approved(connection, property_name, game)
        version: SubmissionVersion | None = in_effect(versions, moment)
        if version is None:
            raise NotFound(f"no approved version of {game} at {property_name} is in effect at {moment.isoformat()}")
        response.headers["ETag"] = _etag(version)
        return version

    @router.get(
        "/{property}/{game}/{version}",
        response_model=SubmissionVersion,
        response_model_exclude_none=True,
        summary="Read a version",
        responses={304: {"description": "unchanged"}, **problems(_404="there is no such version")},
    )
    async def read_version(
        property_name: PropertyName,
        game: GameName,
        version: VersionNumber,
        response: Response,
        if_none_match: Annotated[str, Header(alias="If-None-Match", description="ETags that are known already")] = "",
    ) -> SubmissionVersion | Response:
        """What was filed never changes; its status does, once."""
        async with parts.engine.connect() as connection:
            found = await find(connection, Key(property_name, game, version))
        etag = _etag(found)
        if etag in (tag.strip().removeprefix("W/") for tag in if_none_match.split(",")):
            return Response(status_code=304, headers={"ETag": etag})
        response.headers["ETag"] = etag
        return found

    return router


def _catalogue() -> APIRouter:
    router = APIRouter(prefix="/catalogue", tags=["catalogue"])

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
        responses=problems(_404="the regulation is not known", _422=_MALFORMED),
    )
    def read_catalogue(regulation: Annotated[str, Path(max_length=100)]) -> Catalogue:
        """Every wager, paytable, option, limit and minimum that a submission may select, each with its paragraph."""
        if regulation not in known_regulations():
            raise NotFound(f"regulation {regulation!r} is not known; known are {', '.join(known_regulations())}")
        return catalogue(regulation)

    return router


def _etag(version: SubmissionVersion) -> str:
    return f'"{version.hash}-{version.status}"'


def _cursor(last: SubmissionVersion) -> str:
    return urlsafe_b64encode(f"{last.property}/{last.game}/{last.version}".encode()).decode()


def _after(cursor: str) -> Key:
    try:
        return Key(*_key.validate_python(urlsafe_b64decode(cursor).decode().split("/")))
    except ValueError as error:
        raise rejection.Rejected(
            rejection.Reason.CURSOR_UNKNOWN, f"cursor {cursor!r} is not one of this service; begin without one"
        ) from error
