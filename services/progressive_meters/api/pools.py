"""Routes for reading pools: sign readings, status, terms, movements."""

from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response

from services.progressive_meters.api.parameters import POOL_READER, SIGN_READER, PoolName
from services.progressive_meters.domain.documents import (
    ChangeItem,
    MovementItem,
    PoolStatus,
    SignReading,
    SignReadings,
    Status,
)
from services.progressive_meters.domain.versions import PoolVersion
from services.progressive_meters.queries import lists
from services.progressive_meters.queries.pools import (
    ApprovedPools,
    Submissions,
    approved_at,
    find_version,
    submissions_of,
    version_of,
)
from services.progressive_meters.tables import changes, movements, pool_versions, pools
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.versions import VersionNumber
from shared.runtime.database import snapshot
from shared.runtime.http import (
    UNCHANGED,
    Asked,
    Day,
    FromEnd,
    Page,
    PropertyChoice,
    PropertyPath,
    PropertyQuery,
    TableListing,
    document_response,
    problems,
)
from shared.runtime.http.merged_routers import merge_routers
from shared.runtime.http.problems import Responses
from shared.runtime.rows import find_row, thing_of
from shared.runtime.service.service_context import ServiceContext

OfDay = Annotated[Day | None, Query(description="the gaming day; default: all days")]

POOLS: Final = TableListing(pools, "property", "pool")
VERSIONS: Final = TableListing(pool_versions, "version")
MOVEMENTS: Final = TableListing(movements, "number")
CHANGES: Final = TableListing(changes, "change")

_LISTED: Final[Responses] = problems(Reason.CURSOR_UNKNOWN)
_ONE: Final[Responses] = {**UNCHANGED, **problems(Reason.NOT_FOUND)}


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes."""
    return merge_routers(_signs(context), _pools(context), _histories(context))


def _signs(context: ServiceContext) -> APIRouter:
    router = APIRouter(prefix="/readings", tags=["signs"], responses=_ONE, dependencies=[SIGN_READER])

    @router.get("/{property}", response_model=SignReadings, summary="Read all signs of a property")
    async def read_signs(request: Request, property_name: PropertyPath) -> Response:
        """Return the displays of all signs of a property, in whole cents. Poll with `If-None-Match`."""
        async with snapshot(context.pools.readers) as connection:
            found = await lists.signs(connection, property_name)
        if not found:
            raise Rejected(Reason.NOT_FOUND, f"there is no pool at {property_name}")
        return document_response(request, SignReadings(property=property_name, readings=found))

    @router.get("/{property}/{pool}", response_model=SignReading, summary="Read the sign of a pool")
    async def read_sign(request: Request, property_name: PropertyPath, pool: PoolName) -> Response:
        """Return a sign's display in whole cents. Poll with `If-None-Match`: the ETag changes with each movement."""
        async with snapshot(context.pools.readers) as connection:
            found = await lists.signs(connection, property_name, pool)
        if not found:
            raise Rejected(Reason.NOT_FOUND, _no_pool(property_name, pool))
        return document_response(request, found[0], version=found[0].number)

    return router


def _pools(context: ServiceContext) -> APIRouter:
    router = APIRouter(prefix="/pools", tags=["pools"], dependencies=[POOL_READER])
    approved, submissions = ApprovedPools(), Submissions()

    @router.get("", response_model_exclude_none=True, summary="List progressive pools", responses=_LISTED)
    async def list_pools(asked: Asked, property_name: PropertyChoice = None) -> Page[PoolStatus]:
        """Return a page of pools with their terms in effect, exact meters and counters."""
        at = context.clock()
        async with snapshot(context.pools.readers) as connection:
            await submissions.refresh(connection)
            known = await approved.refresh(connection)
            return await POOLS.read(
                connection, asked, lambda row: lists.status_of(row, known, submissions, at), property=property_name
            )

    @router.get("/{property}/{pool}", response_model=PoolStatus, summary="Read a progressive pool", responses=_ONE)
    async def read_pool(request: Request, property_name: PropertyPath, pool: PoolName) -> Response:
        """Return a pool with its terms in effect, exact meters and counters."""
        async with snapshot(context.pools.readers) as connection:
            missing = _no_pool(property_name, pool)
            row = await find_row(connection, pools, missing, property=property_name, pool=pool)
            known, offers = (
                await approved_at(connection, property_name),
                await submissions_of(connection, property_name),
            )
        return document_response(request, lists.status_of(row, known, offers, context.clock()))

    return router


def _histories(context: ServiceContext) -> APIRouter:
    router = APIRouter(tags=["pools"], responses=_LISTED, dependencies=[POOL_READER])

    @router.get(
        "/pools/{property}/{pool}/versions",
        response_model_exclude_none=True,
        summary="List the versions of a pool's terms",
    )
    async def list_versions(property_name: PropertyPath, pool: PoolName, asked: Asked) -> Page[PoolVersion]:
        """List the versions of a pool's terms: filed, approved and returned ones."""
        async with snapshot(context.pools.readers) as connection:
            return await VERSIONS.read(connection, asked, version_of, property=property_name, pool=pool)

    @router.get(
        "/pools/{property}/{pool}/versions/{version}",
        response_model=PoolVersion,
        summary="Read a version of a pool's terms",
        responses=_ONE,
    )
    async def read_version(
        request: Request, property_name: PropertyPath, pool: PoolName, version: Annotated[VersionNumber, Path()]
    ) -> Response:
        """Return a version. Its filed content never changes; its status changes once."""
        async with snapshot(context.pools.readers) as connection:
            return document_response(request, await find_version(connection, property_name, pool, version))

    @router.get(
        "/pools/{property}/{pool}/movements", response_model_exclude_none=True, summary="List the movements of a pool"
    )
    async def list_movements(
        property_name: PropertyPath, pool: PoolName, asked: Asked, gaming_day: OfDay = None, from_end: FromEnd = False
    ) -> Page[MovementItem]:
        """List a pool's movements, each with its cause and journal entry."""
        of = {"property": property_name, "pool": pool, "gaming_day": gaming_day}
        async with snapshot(context.pools.readers) as connection:
            return await MOVEMENTS.read(connection, asked, lambda row: thing_of(MovementItem, row), from_end, **of)

    @router.get("/changes", response_model_exclude_none=True, summary="List changes")
    async def list_changes(
        property_name: PropertyQuery,
        asked: Asked,
        status: Annotated[Status | None, Query()] = None,
        from_end: FromEnd = False,
    ) -> Page[ChangeItem]:
        """List changes to a property's meters with their status, and for approved ones the display before and after."""
        async with snapshot(context.pools.readers) as connection:
            of = {"property": property_name, "status": status}
            return await CHANGES.read(connection, asked, lists.change_of, from_end, **of)

    @router.get("/changes/{property}/{change}", response_model=ChangeItem, summary="Read a change", responses=_ONE)
    async def read_change(
        request: Request, property_name: PropertyPath, change: Annotated[VersionNumber, Path()]
    ) -> Response:
        """Return a change with its status, and the display before and after it if it was made."""
        async with snapshot(context.pools.readers) as connection:
            return document_response(request, await lists.find_change(connection, property_name, change))

    return router


def _no_pool(property_name: str, pool: str) -> str:
    return f"there is no pool {pool} at {property_name}"
