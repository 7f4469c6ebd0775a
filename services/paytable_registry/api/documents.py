"""Routes common to all kinds of property documents: file, decide, read, compare versions."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Generic

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.params import Depends
from pydantic import BaseModel, Field

from services.paytable_registry.commands.documents import ApproveVersion, ReturnVersion
from services.paytable_registry.domain.documents import DocumentKind, DocumentT, VersionT
from services.paytable_registry.queries.documents import Versions
from shared.contracts.rejection import Reason
from shared.contracts.versions import VersionNumber
from shared.runtime.commands.command import Command
from shared.runtime.database import snapshot
from shared.runtime.http import (
    UNCHANGED,
    Asked,
    Moment,
    Page,
    PropertyChoice,
    PropertyPath,
    Role,
    TableListing,
    command_route,
    document_response,
    problems,
)
from shared.runtime.http.merged_routers import merge_routers
from shared.runtime.service.service_context import ServiceContext


class DocumentChanges(BaseModel):
    """The differences between a version of a document and an earlier version, if there is one."""

    property: str
    from_version: int | None = Field(description="the version of comparison; null for the first version")
    to_version: int
    changes: list[str] = Field(description="the changes as text, one per line")


@dataclass(frozen=True, slots=True)
class Described:
    """The name, summary and optional description of a route, for the API description."""

    name: str
    summary: str
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRoutes(Generic[DocumentT, VersionT]):
    """A builder of the routes of one kind of document, from its path, commands, roles, models and descriptions."""

    kind: DocumentKind[DocumentT, VersionT]
    versions: Versions[VersionT]
    path: str
    tag: str
    file: type[Command]
    approve: type[ApproveVersion]
    give_back: type[ReturnVersion]
    filer: Role
    approver: Role
    reader: Depends
    page: type[Page[VersionT]]
    changes: type[DocumentChanges]
    listed: Described
    in_effect: Described
    one: Described
    compared: Described

    def routes(self, context: ServiceContext) -> APIRouter:
        """Return the routes, which read the database of the running service."""
        return merge_routers(self._commands(context), self._documents(context))

    def _commands(self, context: ServiceContext) -> APIRouter:
        router = APIRouter(prefix=self.path, tags=[self.tag])
        add = partial(command_route, router, context.commands, answers=self.kind.version)
        decided = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED)
        approved = (*decided, Reason.SAME_PERSON, Reason.TOO_LATE)
        one = "/{property}/{version}"
        add(self.file, "", role=self.filer, status=201, rejects=(Reason.NOT_ALLOWED,))
        decide = partial(add, role=self.approver, subject=router.prefix + one)
        decide(self.approve, one + "/approve", rejects=approved)
        decide(self.give_back, one + "/return", rejects=decided)
        return router

    def _documents(self, context: ServiceContext) -> APIRouter:
        router = APIRouter(prefix=self.path, tags=[self.tag], dependencies=[self.reader])
        kind, versions = self.kind, self.versions
        listing = TableListing(versions.table, "property", "version")

        def get(path: str, described: Described, model: type[BaseModel], **more: Any) -> Callable[..., Any]:
            return router.get(
                path,
                name=described.name,
                summary=described.summary,
                description=described.description,
                response_model=model,
                **more,
            )

        read = {**UNCHANGED, **problems(Reason.NOT_FOUND)}

        @get("", self.listed, self.page, response_model_exclude_none=True, responses=problems(Reason.CURSOR_UNKNOWN))
        async def list_versions(asked: Asked, property_name: PropertyChoice = None) -> Page[VersionT]:
            async with snapshot(context.pools.readers) as connection:
                return await listing.read(connection, asked, versions.of, property=property_name)

        @get("/{property}/in-effect", self.in_effect, kind.version, responses=read)
        async def read_in_effect(
            request: Request,
            property_name: PropertyPath,
            at: Annotated[Moment | None, Query(description="the moment, with its UTC offset; default: now")] = None,
        ) -> Response:
            async with snapshot(context.pools.readers) as connection:
                found = await versions.at(connection, property_name, context.clock() if at is None else at)
            return document_response(request, found)

        @get("/{property}/{version}", self.one, kind.version, responses=read)
        async def read_version(
            request: Request, property_name: PropertyPath, version: Annotated[VersionNumber, Path()]
        ) -> Response:
            """Return a version. Its filed content never changes; its status changes once."""
            async with snapshot(context.pools.readers) as connection:
                return document_response(request, await versions.find(connection, property_name, version))

        @get("/{property}/{version}/changes", self.compared, self.changes, responses=problems(Reason.NOT_FOUND))
        async def read_changes(
            property_name: PropertyPath,
            version: Annotated[VersionNumber, Path()],
            since: Annotated[
                VersionNumber | None,
                Query(description="the version to compare with; default: the previous approved version"),
            ] = None,
        ) -> DocumentChanges:
            """Return the differences from an earlier version as text, for the approver."""
            async with snapshot(context.pools.readers) as connection:
                wanted = await versions.find(connection, property_name, version)
                before = (
                    await versions.before(connection, wanted)
                    if since is None
                    else await versions.find(connection, property_name, since)
                )
            return self.changes(
                property=property_name,
                from_version=None if before is None else before.version,
                to_version=version,
                changes=[f"{kind.version.document_of(property_name)}: filed for the first time"]
                if before is None
                else kind.changes(before, wanted),
            )

        return router
