"""The HTTP interface of the meters: signs read them, people file, approve, change and reconcile them."""

from collections.abc import Mapping
from datetime import date
from hashlib import sha256
from importlib.metadata import version
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends, Header, Path, Query, Response, Security
from fastapi.security import HTTPBearer
from pydantic import Field, TypeAdapter

from services.progressive_meters import books, pages
from services.progressive_meters.commands import Commands
from services.progressive_meters.configuration import PoolVersion
from services.progressive_meters.pages import key_of, page
from services.progressive_meters.reading import ApprovedPools, pool_rows
from services.progressive_meters.reports import (
    ChangeItem,
    ChangePage,
    ExceptionList,
    HitPage,
    MovementPage,
    PoolPage,
    PoolStatus,
    Reconciliation,
    SignReading,
    SignReadings,
    VersionPage,
    rows_sha256,
)
from services.progressive_meters.submissions import Submissions
from shared.contracts.envelope import Contract, Name, Reason, canonical
from shared.contracts.meters import ChangeRejected, DayReconciled, PoolTerms, WantedChange
from shared.runtime.command.answers import IdempotencyKey, response
from shared.runtime.service.run import Parts
from shared.runtime.web.access import caller_with
from shared.runtime.web.unported import NotFound, problems

ROLES: Final = ("meter_request", "meter_approve", "meter_reconcile", "report")
"""Who may file terms and request changes, decide on them, reconcile a day, and read the reports."""


class Rejection(Contract):
    """Why something is rejected."""

    reason: Reason


class WantedReconciliation(Contract):
    """Which day of which property is reconciled, and why it may be."""

    property: Name
    gaming_day: date
    reason: Reason


PropertyName = Annotated[Name, Path(alias="property", description="the property")]
PropertyQuery = Annotated[Name, Query(alias="property", description="the property")]
PoolName = Annotated[Name, Path(description="the pool")]
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
IfNoneMatch = Annotated[str, Header(alias="If-None-Match", description="ETags that are known already")]
Limit = Annotated[int, Query(ge=1, le=500, description="most items on a page")]
Cursor = Annotated[str | None, Query(max_length=400, description="`next` of the page before")]
Requester = Annotated[str, Depends(caller_with("meter_request"))]
Approver = Annotated[str, Depends(caller_with("meter_approve"))]
Reconciler = Annotated[str, Depends(caller_with("meter_reconcile"))]
Reader = Annotated[str, Depends(caller_with("report"))]

_number: TypeAdapter[tuple[int]] = TypeAdapter(tuple[Annotated[int, Field(ge=0, le=2**63 - 1)]])
_pool: TypeAdapter[tuple[str, str]] = TypeAdapter(tuple[str, str])
_hit: TypeAdapter[tuple[str, int, int]] = TypeAdapter(tuple[str, int, int])

_ASKED = {"_401": "the bearer token is missing or not known", "_422": "the request is malformed"}
_TWO = "the caller may not do this, or did the first step"
_CURSOR = "the cursor is not one of this service"


def routes(parts: Parts) -> APIRouter:
    """The routes, working on the parts of a running service."""
    commands = Commands(parts)
    router = APIRouter()
    router.include_router(_signs(parts))
    router.include_router(_terms(commands))
    router.include_router(_changes(commands))
    router.include_router(_pools(parts))
    router.include_router(_reports(parts, commands))
    return router


def _signs(parts: Parts) -> APIRouter:
    router = APIRouter(prefix="/readings", tags=["signs"])

    @router.get(
        "/{property}",
        response_model=SignReadings,
        summary="Read what all signs of a property show",
        responses={304: {"description": "unchanged"}, **problems(_404="the property has no pool")},
    )
    async def read_signs(property_name: PropertyName, if_none_match: IfNoneMatch = "") -> Response:
        """Whole cents; poll it with `If-None-Match`."""
        async with parts.engine.connect() as connection:
            found = await pages.signs(connection, property_name)
        if not found:
            raise NotFound(f"there is no pool at {property_name}")
        readings = SignReadings(property=property_name, readings=found)
        return _tagged(readings.model_dump_json(), _tag([[one.pool, one.number] for one in found]), if_none_match)

    @router.get(
        "/{property}/{pool}",
        response_model=SignReading,
        summary="Read what the sign of a pool shows",
        responses={304: {"description": "unchanged"}, **problems(_404="there is no such pool")},
    )
    async def read_sign(property_name: PropertyName, pool: PoolName, if_none_match: IfNoneMatch = "") -> Response:
        """Whole cents; poll it with `If-None-Match`: the tag is the number of the pool's last movement."""
        async with parts.engine.connect() as connection:
            found = await pages.signs(connection, property_name, pool)
        if not found:
            raise NotFound(f"there is no pool {pool} at {property_name}")
        return _tagged(found[0].model_dump_json(), f'"{found[0].number}"', if_none_match)

    return router


def _terms(commands: Commands) -> APIRouter:
    router = _router("/pools", "pools")

    @router.post(
        "",
        status_code=201,
        response_model=PoolVersion,
        response_model_exclude_none=True,
        summary="File the next version of a pool's terms",
        responses=problems(
            _403="the caller may not file",
            _409="the Idempotency-Key was used for another command",
            _422="the terms cannot be, or the rules submissions of the feeds contradict them",
        ),
    )
    async def file(wanted: PoolTerms, requester: Requester, idempotency_key: IdempotencyKey) -> Response:
        """Somebody else approves it before it takes effect."""
        return response(await commands.file(wanted, person=requester, key=idempotency_key))

    @router.post(
        "/{property}/{pool}/versions/{number}/approve",
        response_model=PoolVersion,
        response_model_exclude_none=True,
        summary="Approve a version",
        responses=problems(_403=_TWO, _404="there is no such version", _409="it was decided before, or is too late"),
    )
    async def approve(
        property_name: PropertyName, pool: PoolName, number: Number, approver: Approver, idempotency_key: IdempotencyKey
    ) -> Response:
        """The first version puts the base on the meter."""
        answer = await commands.approve(property_name, pool, number, person=approver, key=idempotency_key)
        return response(answer)

    @router.post(
        "/{property}/{pool}/versions/{number}/reject",
        response_model=PoolVersion,
        response_model_exclude_none=True,
        summary="Reject a version",
        responses=problems(
            _403="the caller may not decide", _404="there is no such version", _409="it was decided before"
        ),
    )
    async def reject(
        property_name: PropertyName,
        pool: PoolName,
        number: Number,
        rejection: Rejection,
        approver: Approver,
        idempotency_key: IdempotencyKey,
    ) -> Response:
        """It never takes effect."""
        answer = await commands.reject(
            property_name, pool, number, rejection.reason, person=approver, key=idempotency_key
        )
        return response(answer)

    return router


def _changes(commands: Commands) -> APIRouter:
    router = _router("", "changes")

    @router.post(
        "/pools/{property}/{pool}/changes",
        status_code=201,
        response_model=ChangeItem,
        response_model_exclude_none=True,
        summary="Request a change of a meter",
        responses=problems(
            _403="the caller may not request changes",
            _404="there is no such pool",
            _409="the Idempotency-Key was used for another command",
            _422="the change cannot be made",
        ),
    )
    async def request(
        property_name: PropertyName,
        pool: PoolName,
        wanted: WantedChange,
        requester: Requester,
        idempotency_key: IdempotencyKey,
    ) -> Response:
        """A transfer, an adjustment, a reset, or cents from the overflow meter; somebody else approves it."""
        answer = await commands.request(property_name, pool, wanted, person=requester, key=idempotency_key)
        return response(answer)

    @router.post(
        "/changes/{property}/{number}/approve",
        response_model=ChangeItem,
        response_model_exclude_none=True,
        summary="Approve a change, which is made",
        responses=problems(_403=_TWO, _404="there is no such change", _409="it was decided before, or is impossible"),
    )
    async def approve(
        property_name: PropertyName, number: Number, approver: Approver, idempotency_key: IdempotencyKey
    ) -> Response:
        """The meter moves at once."""
        return response(await commands.approve_change(property_name, number, person=approver, key=idempotency_key))

    @router.post(
        "/changes/{property}/{number}/reject",
        response_model=ChangeRejected,
        response_model_exclude_none=True,
        summary="Reject a change",
        responses=problems(
            _403="the caller may not decide", _404="there is no such change", _409="it was decided before"
        ),
    )
    async def reject(
        property_name: PropertyName,
        number: Number,
        rejection: Rejection,
        approver: Approver,
        idempotency_key: IdempotencyKey,
    ) -> Response:
        """Nothing moves."""
        answer = await commands.reject_change(
            property_name, number, rejection.reason, person=approver, key=idempotency_key
        )
        return response(answer)

    return router


def _pools(parts: Parts) -> APIRouter:
    router = _router("", "pools", Depends(caller_with("report")))
    approved, submissions = ApprovedPools(), Submissions()

    @router.get(
        "/pools", response_model_exclude_none=True, summary="List pools as they stand", responses=problems(_400=_CURSOR)
    )
    async def list_pools(
        property_name: Annotated[Name | None, Query(alias="property")] = None,
        limit: Limit = 50,
        cursor: Cursor = None,
    ) -> PoolPage:
        """Terms in effect, exact meters, counters."""
        after = key_of(cursor, _pool)
        async with books.snapshot(parts.engine) as connection:
            await submissions.refresh(connection)
            known = await approved.refresh(connection)
            rows = await pages.pools_after(connection, property_name, after, limit + 1)
        found = [pages.status_of(row, known, submissions, parts.clock()) for row in rows]
        items, following = page(found, limit, lambda one: (one.property, one.pool))
        return PoolPage(items=items, next=following)

    @router.get(
        "/pools/{property}/{pool}",
        response_model=PoolStatus,
        response_model_exclude_none=True,
        summary="Read a pool as it stands",
        responses={304: {"description": "unchanged"}, **problems(_404="there is no such pool")},
    )
    async def read_pool(property_name: PropertyName, pool: PoolName, if_none_match: IfNoneMatch = "") -> Response:
        """Terms in effect, exact meters, counters."""
        async with books.snapshot(parts.engine) as connection:
            await submissions.refresh(connection)
            known = await approved.refresh(connection)
            row = (await pool_rows(connection, [(property_name, pool)])).get((property_name, pool))
        if row is None:
            raise NotFound(f"there is no pool {pool} at {property_name}")
        document = pages.status_of(row, known, submissions, parts.clock()).model_dump(mode="json", exclude_none=True)
        return _tagged(canonical(document).decode(), _tag(document), if_none_match)

    @router.get(
        "/pools/{property}/{pool}/versions",
        response_model_exclude_none=True,
        summary="List the versions of a pool's terms",
        responses=problems(_400=_CURSOR),
    )
    async def list_versions(
        property_name: PropertyName, pool: PoolName, limit: Limit = 50, cursor: Cursor = None
    ) -> VersionPage:
        """Filed, approved and rejected ones."""
        after = key_of(cursor, _number)
        async with parts.engine.connect() as connection:
            found = await pages.versions_after(connection, property_name, pool, after, limit + 1)
        items, following = page(found, limit, lambda one: (one.version,))
        return VersionPage(items=items, next=following)

    @router.get(
        "/pools/{property}/{pool}/movements",
        response_model_exclude_none=True,
        summary="List what moved a pool",
        responses=problems(_400=_CURSOR),
    )
    async def list_movements(
        property_name: PropertyName, pool: PoolName, limit: Limit = 50, cursor: Cursor = None
    ) -> MovementPage:
        """Each with its cause, and the entry of the journal that says so."""
        after = key_of(cursor, _number)
        async with parts.engine.connect() as connection:
            found = await pages.movements_after(connection, property_name, pool, after, limit + 1)
        items, following = page(found, limit, lambda one: (one.movement.number,))
        return MovementPage(items=items, next=following)

    @router.get("/changes", response_model_exclude_none=True, summary="List changes", responses=problems(_400=_CURSOR))
    async def list_changes(
        property_name: PropertyQuery,
        status: Annotated[Literal["requested", "approved", "rejected"] | None, Query()] = None,
        limit: Limit = 50,
        cursor: Cursor = None,
    ) -> ChangePage:
        """What people changed, or wanted to, with the display before and after."""
        after = key_of(cursor, _number)
        async with parts.engine.connect() as connection:
            found = await pages.changes_after(connection, property_name, status, after, limit + 1)
        items, following = page(found, limit, lambda one: (one.change,))
        return ChangePage(items=items, next=following)

    @router.get(
        "/reports/hits", response_model_exclude_none=True, summary="List awards", responses=problems(_400=_CURSOR)
    )
    async def list_hits(
        property_name: PropertyQuery,
        pool: Annotated[Name | None, Query()] = None,
        gaming_day: Annotated[date | None, Query()] = None,
        limit: Limit = 50,
        cursor: Cursor = None,
    ) -> HitPage:
        """What came off meters: table, round, seat, wager, category, amount."""
        after = key_of(cursor, _hit)
        async with parts.engine.connect() as connection:
            found = await pages.hits_after(
                connection, property_name, pool=pool, gaming_day=gaming_day, after=after, limit=limit + 1
            )
        items, following = page(found, limit, lambda one: one[0])
        return HitPage(items=[item for _, item in items], next=following)

    return router


def _reports(parts: Parts, commands: Commands) -> APIRouter:
    router = _router("", "reports")

    @router.get(
        "/reports/reconciliation",
        response_model=Reconciliation,
        response_model_exclude_none=True,
        summary="Reconcile the pools of a property for a gaming day",
        responses={304: {"description": "unchanged"}},
    )
    async def read_reconciliation(
        reader: Reader, property_name: PropertyQuery, gaming_day: date, if_none_match: IfNoneMatch = ""
    ) -> Response:
        """opening + seed + contribution - award + reset + transfer + released = closing, of each pool, exactly."""
        async with books.snapshot(parts.engine) as connection:
            day = await books.day_of(connection, property_name, gaming_day)
            recorded = await books.last_reconciled(connection, property_name, gaming_day)
        digest = rows_sha256(day.rows)
        report = Reconciliation(
            property=property_name,
            gaming_day=gaming_day,
            status="preliminary" if recorded is None else "reconciled" if recorded == digest else "changed",
            generated_at=parts.clock(),
            generated_by=reader,
            system_version=version("pitledger"),
            balanced=not day.wrong and all(row.difference == "0" for row in day.rows),
            wrong=list(day.wrong),
            exceptions=len(day.exceptions),
            input_open=day.input_open,
            liability_cents=sum(row.liability_cents for row in day.rows),
            pools=list(day.rows),
            tables=list(day.tables),
            rows_sha256=digest,
        )
        content = report.model_dump(mode="json", exclude={"generated_at", "generated_by"}, exclude_none=True)
        return _tagged(report.model_dump_json(exclude_none=True), f"W/{_tag(content)}", if_none_match)

    @router.post(
        "/reconciliations",
        status_code=201,
        response_model=DayReconciled,
        response_model_exclude_none=True,
        summary="Record the reconciliation of a day",
        responses=problems(_403="the caller may not reconcile", _404="no pool had moved by then"),
    )
    async def reconcile(
        wanted: WantedReconciliation, reconciler: Reconciler, idempotency_key: IdempotencyKey
    ) -> Response:
        """As the day is known now; it may be recorded again when something late has come."""
        answer = await commands.reconcile(
            wanted.property, wanted.gaming_day, wanted.reason, person=reconciler, key=idempotency_key
        )
        return response(answer)

    @router.get("/reports/exceptions", response_model_exclude_none=True, summary="List what does not agree")
    async def list_exceptions(reader: Reader, property_name: PropertyQuery, gaming_day: date) -> ExceptionList:
        """Readings that are not the ledger's, contributions that are not rate times wagers, other reset amounts."""
        async with books.snapshot(parts.engine) as connection:
            day = await books.day_of(connection, property_name, gaming_day)
        return ExceptionList(
            property=property_name,
            gaming_day=gaming_day,
            generated_at=parts.clock(),
            generated_by=reader,
            system_version=version("pitledger"),
            input_open=day.input_open,
            items=list(day.exceptions),
        )

    return router


def _router(prefix: str, tag: str, *more: Any) -> APIRouter:
    bearer = Security(HTTPBearer(auto_error=False, scheme_name="bearer"))
    return APIRouter(prefix=prefix, tags=[tag], dependencies=[bearer, *more], responses=problems(**_ASKED))


def _tag(content: Any) -> str:
    return f'"{sha256(canonical(content)).hexdigest()[:32]}"'


def _tagged(body: str, tag: str, if_none_match: str) -> Response:
    headers: Mapping[str, str] = {"ETag": tag, "Cache-Control": "no-cache"}
    known = [one.strip().removeprefix("W/") for one in if_none_match.split(",")]
    if "*" in known or tag.removeprefix("W/") in known:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type="application/json")
