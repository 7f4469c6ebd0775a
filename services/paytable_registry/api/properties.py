"""Routes of properties: file, decide, read, compare."""

from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, Field

from services.paytable_registry import tables
from services.paytable_registry.api.access import APPROVE_PROPERTIES, FILE_PROPERTIES, PROPERTIES_READER
from services.paytable_registry.commands.properties import ApproveProperty, FileProperty, ReturnProperty
from services.paytable_registry.domain.properties import PropertyVersion
from services.paytable_registry.domain.property_changes import changes
from services.paytable_registry.queries import properties
from shared.contracts.rejection import Reason
from shared.contracts.versions import VersionNumber
from shared.runtime.database import snapshot
from shared.runtime.http import (
    UNCHANGED,
    Asked,
    Moment,
    Page,
    PropertyChoice,
    PropertyPath,
    TableListing,
    command_route,
    document_response,
    problems,
)
from shared.runtime.http.merged_routers import merge_routers
from shared.runtime.service.service_context import ServiceContext

VERSIONS: Final = TableListing(tables.properties, "property", "version")


class PropertyChanges(BaseModel):
    """The changes of a version of a property from an earlier version, or from none."""

    property: str
    from_version: int | None = Field(description="the version that it is compared with; none: the first of all")
    to_version: int
    changes: list[str] = Field(description="one change a line, in words")


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes, reading the database of a running service."""
    return merge_routers(_commands(context), _properties(context))


def _commands(context: ServiceContext) -> APIRouter:
    router = APIRouter(prefix="/properties", tags=["properties"])
    add = partial(command_route, router, context.commands, answers=PropertyVersion)
    decided = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED)
    approved = (*decided, Reason.SAME_PERSON, Reason.TOO_LATE)
    path = "/{property}/{version}"
    add(FileProperty, "", role=FILE_PROPERTIES, status=201, rejects=(Reason.NOT_ALLOWED,))
    decide = partial(add, role=APPROVE_PROPERTIES, subject=router.prefix + path)
    decide(ApproveProperty, path + "/approve", rejects=approved)
    decide(ReturnProperty, path + "/return", rejects=decided)
    return router


def _properties(context: ServiceContext) -> APIRouter:
    router = APIRouter(prefix="/properties", tags=["properties"], dependencies=[PROPERTIES_READER])
    one = partial(router.get, response_model=PropertyVersion, responses={**UNCHANGED, **problems(Reason.NOT_FOUND)})

    @router.get(
        "", response_model_exclude_none=True, summary="List versions", responses=problems(Reason.CURSOR_UNKNOWN)
    )
    async def list_versions(asked: Asked, property_name: PropertyChoice = None) -> Page[PropertyVersion]:
        """List all versions of all properties, or of one: filed, approved and returned."""
        async with snapshot(context.pools.readers) as connection:
            return await VERSIONS.read(connection, asked, properties.version_of, property=property_name)

    @one("/{property}/in-effect", summary="Read the version in effect")
    async def read_in_effect(
        request: Request,
        property_name: PropertyPath,
        at: Annotated[Moment | None, Query(description="the moment, with its time zone; now without it")] = None,
    ) -> Response:
        """Return the property as of that moment."""
        async with snapshot(context.pools.readers) as connection:
            found = await properties.at(connection, property_name, context.clock() if at is None else at)
        return document_response(request, found)

    @one("/{property}/{version}", summary="Read a version")
    async def read_version(
        request: Request, property_name: PropertyPath, version: Annotated[VersionNumber, Path()]
    ) -> Response:
        """Return a version. Its filed content never changes; its status changes once."""
        async with snapshot(context.pools.readers) as connection:
            return document_response(request, await properties.find(connection, property_name, version))

    @router.get(
        "/{property}/{version}/changes",
        summary="Compare a version with the one before",
        responses=problems(Reason.NOT_FOUND),
    )
    async def read_changes(
        property_name: PropertyPath,
        version: Annotated[VersionNumber, Path()],
        since: Annotated[
            VersionNumber | None, Query(description="the version to compare with; the last approved before, without it")
        ] = None,
    ) -> PropertyChanges:
        """Return the differences as text, for the approver."""
        async with snapshot(context.pools.readers) as connection:
            wanted = await properties.find(connection, property_name, version)
            before = (
                await properties.before(connection, wanted)
                if since is None
                else await properties.find(connection, property_name, since)
            )
        return PropertyChanges(
            property=property_name,
            from_version=None if before is None else before.version,
            to_version=version,
            changes=[f"property {property_name}: filed for the first time"]
            if before is None
            else changes(before, wanted),
        )

    return router
