"""Routes of general-ledger mappings: file, decide, read, compare."""

from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, Field

from services.paytable_registry import tables
from services.paytable_registry.api.access import APPROVE_LEDGER_MAPPINGS, FILE_LEDGER_MAPPINGS, LEDGER_MAPPINGS_READER
from services.paytable_registry.commands.ledger_mappings import (
    ApproveLedgerMapping,
    FileLedgerMapping,
    ReturnLedgerMapping,
)
from services.paytable_registry.domain.ledger_mappings import LedgerMappingVersion, changes
from services.paytable_registry.queries import ledger_mappings
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

VERSIONS: Final = TableListing(tables.ledger_mappings, "property", "version")


class LedgerMappingChanges(BaseModel):
    """The changes of a version of a ledger mapping from an earlier version, or from none."""

    property: str
    from_version: int | None = Field(description="the version that it is compared with; none: the first of all")
    to_version: int
    changes: list[str] = Field(description="one change a line, in words")


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes, reading the database of a running service."""
    return merge_routers(_commands(context), _mappings(context))


def _commands(context: ServiceContext) -> APIRouter:
    router = APIRouter(prefix="/ledger-mappings", tags=["ledger mappings"])
    add = partial(command_route, router, context.commands, answers=LedgerMappingVersion)
    decided = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED)
    approved = (*decided, Reason.SAME_PERSON, Reason.TOO_LATE)
    path = "/{property}/{version}"
    add(FileLedgerMapping, "", role=FILE_LEDGER_MAPPINGS, status=201, rejects=(Reason.NOT_ALLOWED,))
    decide = partial(add, role=APPROVE_LEDGER_MAPPINGS, subject=router.prefix + path)
    decide(ApproveLedgerMapping, path + "/approve", rejects=approved)
    decide(ReturnLedgerMapping, path + "/return", rejects=decided)
    return router


def _mappings(context: ServiceContext) -> APIRouter:
    router = APIRouter(prefix="/ledger-mappings", tags=["ledger mappings"], dependencies=[LEDGER_MAPPINGS_READER])
    one = partial(
        router.get, response_model=LedgerMappingVersion, responses={**UNCHANGED, **problems(Reason.NOT_FOUND)}
    )

    @router.get(
        "",
        response_model_exclude_none=True,
        summary="List versions of ledger mappings",
        responses=problems(Reason.CURSOR_UNKNOWN),
    )
    async def list_ledger_mappings(asked: Asked, property_name: PropertyChoice = None) -> Page[LedgerMappingVersion]:
        """List all versions of the mappings of all properties, or of one: filed, approved and returned."""
        async with snapshot(context.pools.readers) as connection:
            return await VERSIONS.read(connection, asked, ledger_mappings.version_of, property=property_name)

    @one("/{property}/in-effect", summary="Read the ledger mapping in effect")
    async def read_ledger_mapping_in_effect(
        request: Request,
        property_name: PropertyPath,
        at: Annotated[Moment | None, Query(description="the moment, with its time zone; now without it")] = None,
    ) -> Response:
        """Return the mapping as of that moment."""
        async with snapshot(context.pools.readers) as connection:
            found = await ledger_mappings.at(connection, property_name, context.clock() if at is None else at)
        return document_response(request, found)

    @one("/{property}/{version}", summary="Read a version of a ledger mapping")
    async def read_ledger_mapping(
        request: Request, property_name: PropertyPath, version: Annotated[VersionNumber, Path()]
    ) -> Response:
        """Return a version. Its filed content never changes; its status changes once."""
        async with snapshot(context.pools.readers) as connection:
            return document_response(request, await ledger_mappings.find(connection, property_name, version))

    @router.get(
        "/{property}/{version}/changes",
        summary="Compare a version of a ledger mapping with the one before",
        responses=problems(Reason.NOT_FOUND),
    )
    async def read_ledger_mapping_changes(
        property_name: PropertyPath,
        version: Annotated[VersionNumber, Path()],
        since: Annotated[
            VersionNumber | None, Query(description="the version to compare with; the last approved before, without it")
        ] = None,
    ) -> LedgerMappingChanges:
        """Return the differences as text, for the approver."""
        async with snapshot(context.pools.readers) as connection:
            wanted = await ledger_mappings.find(connection, property_name, version)
            before = (
                await ledger_mappings.before(connection, wanted)
                if since is None
                else await ledger_mappings.find(connection, property_name, since)
            )
        return LedgerMappingChanges(
            property=property_name,
            from_version=None if before is None else before.version,
            to_version=version,
            changes=[f"ledger mapping of {property_name}: filed for the first time"]
            if before is None
            else changes(before, wanted),
        )

    return router
