"""Reading pools: what signs show, pools as they stand, their terms, what moved them."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from services.progressive_meters.api.parameters import PoolName, PoolReader, PropertyName, PropertyQuery, SignReader
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
from services.progressive_meters.queries.lists import NumberKey, PoolListKey
from services.progressive_meters.queries.pools import ApprovedPools, Submissions, approved_at, submissions_of
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.service.context import ServiceContext
from shared.runtime.web import UNCHANGED, Cursor, Limit, Listing, Page, document_response, problems, snapshot

POOLS: Listing[PoolListKey] = Listing("pools", PoolListKey)
VERSIONS: Listing[NumberKey] = Listing("versions", NumberKey)
MOVEMENTS: Listing[NumberKey] = Listing("movements", NumberKey)
CHANGES: Listing[NumberKey] = Listing("changes", NumberKey)

_LISTED = problems(Reason.CURSOR_UNKNOWN)
_ONE = {**UNCHANGED, **problems(Reason.NOT_FOUND)}


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes."""
    router = APIRouter()
    router.include_router(_signs(context))
    router.include_router(_pools(context))
    router.include_router(_histories(context))
    return router


def _signs(context: ServiceContext) -> APIRouter:
    router = APIRouter(prefix="/readings", tags=["signs"])

    @router.get(
        "/{property}",
        response_model=SignReadings,
        summary="Read what all signs of a property show",
        responses=_ONE,
    )
    async def read_signs(request: Request, reader: SignReader, property_name: PropertyName) -> Response:
        """Whole cents; poll it with `If-None-Match`."""
        del reader
        async with snapshot(context.engine) as connection:
            found = await lists.signs(connection, property_name)
        if not found:
            raise Rejected(Reason.NOT_FOUND, f"there is no pool at {property_name}")
        return document_response(request, SignReadings(property=property_name, readings=found))

    @router.get(
        "/{property}/{pool}",
        response_model=SignReading,
        summary="Read what the sign of a pool shows",
        responses=_ONE,
    )
    async def read_sign(request: Request, reader: SignReader, property_name: PropertyName, pool: PoolName) -> Response:
        """Whole cents; poll it with `If-None-Match`: it is another document when the pool has moved."""
        del reader
        async with snapshot(context.engine) as connection:
            found = await lists.signs(connection, property_name, pool)
        if not found:
            raise _no_pool(property_name, pool)
        return document_response(request, found[0], version=found[0].number)

    return router


def _pools(context: ServiceContext) -> APIRouter:
    router = APIRouter(prefix="/pools", tags=["pools"])
    approved, submissions = ApprovedPools(), Submissions()

    @router.get("", response_model_exclude_none=True, summary="List pools as they stand", responses=_LISTED)
    async def list_pools(
        reader: PoolReader,
        property_name: Annotated[Name | None, Query(alias="property")] = None,
        limit: Limit = 50,
        cursor: Cursor = None,
    ) -> Page[PoolStatus]:
        """Terms in effect, exact meters, counters."""
        del reader
        after = POOLS.after(cursor)
        async with snapshot(context.engine) as connection:
            await submissions.refresh(connection)
            known = await approved.refresh(connection)
            found = await lists.pools_after(
                connection,
                known,
                submissions,
                context.clock(),
                property_name=property_name,
                after=after,
                limit=limit + 1,
            )
        return POOLS.page(found, limit, lambda one: (one.property, one.pool))

    @router.get("/{property}/{pool}", response_model=PoolStatus, summary="Read a pool as it stands", responses=_ONE)
    async def read_pool(request: Request, reader: PoolReader, property_name: PropertyName, pool: PoolName) -> Response:
        """Terms in effect, exact meters, counters."""
        del reader
        async with snapshot(context.engine) as connection:
            known, offers = (
                await approved_at(connection, property_name),
                await submissions_of(connection, property_name),
            )
            found = await lists.pools_after(
                connection, known, offers, context.clock(), property_name=property_name, pool=pool
            )
        if not found:
            raise _no_pool(property_name, pool)
        return document_response(request, found[0])

    return router


def _histories(context: ServiceContext) -> APIRouter:
    router = APIRouter(tags=["pools"])

    @router.get(
        "/pools/{property}/{pool}/versions",
        response_model_exclude_none=True,
        summary="List the versions of a pool's terms",
        responses=_LISTED,
    )
    async def list_versions(
        reader: PoolReader, property_name: PropertyName, pool: PoolName, limit: Limit = 50, cursor: Cursor = None
    ) -> Page[PoolVersion]:
        """Filed, approved and rejected ones."""
        del reader
        after = VERSIONS.after(cursor)
        async with snapshot(context.engine) as connection:
            found = await lists.versions_after(connection, property_name, pool, after, limit + 1)
        return VERSIONS.page(found, limit, lambda one: (one.version,))

    @router.get(
        "/pools/{property}/{pool}/movements",
        response_model_exclude_none=True,
        summary="List what moved a pool",
        responses=_LISTED,
    )
    async def list_movements(
        reader: PoolReader, property_name: PropertyName, pool: PoolName, limit: Limit = 50, cursor: Cursor = None
    ) -> Page[MovementItem]:
        """Each with its cause, and the entry of the journal that says so."""
        del reader
        after = MOVEMENTS.after(cursor)
        async with snapshot(context.engine) as connection:
            found = await lists.movements_after(connection, property_name, pool, after, limit + 1)
        return MOVEMENTS.page(found, limit, lambda one: (one.movement.number,))

    @router.get("/changes", response_model_exclude_none=True, summary="List changes", responses=_LISTED)
    async def list_changes(
        reader: PoolReader,
        property_name: PropertyQuery,
        status: Annotated[Status | None, Query()] = None,
        limit: Limit = 50,
        cursor: Cursor = None,
    ) -> Page[ChangeItem]:
        """What people changed, or wanted to, with the display before and after."""
        del reader
        after = CHANGES.after(cursor)
        async with snapshot(context.engine) as connection:
            found = await lists.changes_after(connection, property_name, status, after, limit + 1)
        return CHANGES.page(found, limit, lambda one: (one.change,))

    return router


def _no_pool(property_name: str, pool: str) -> Rejected:
    return Rejected(Reason.NOT_FOUND, f"there is no pool {pool} at {property_name}")
