"""The HTTP interface of the wagering accounts: what is read."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Response
from pydantic import AwareDatetime, TypeAdapter

from services.wagering_accounts import reading
from services.wagering_accounts.account_commands import adjustment_document
from services.wagering_accounts.documents import (
    AccountDocument,
    AccountPage,
    AdjustmentDocument,
    AdjustmentPage,
    Liability,
    LimitDocument,
    OpenRounds,
    PatronDocument,
    RoundExceptions,
    Statement,
)
from services.wagering_accounts.reading import ExceptionPlace, OpenPlace
from services.wagering_accounts.roles import READING
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.service.run import Parts
from shared.runtime.web.unported import NotFound, problems

PropertyPath = Annotated[Name, Path(alias="property", description="the property")]
PropertyQuery = Annotated[Name, Query(alias="property", description="the property")]
AccountName = Annotated[Name, Path(description="the account")]
Limit = Annotated[int, Query(ge=1, le=500, description="most items on a page")]
Cursor = Annotated[str | None, Query(max_length=600, description="`next` of the page before")]

_name: TypeAdapter[tuple[str]] = TypeAdapter(tuple[str])
_number: TypeAdapter[tuple[int]] = TypeAdapter(tuple[int])
_open_place: TypeAdapter[OpenPlace] = TypeAdapter(tuple[AwareDatetime, str, str])
_exception_place: TypeAdapter[ExceptionPlace] = TypeAdapter(tuple[str, str, str])

_ACCESS = {"_401": "the bearer token is missing or not known", "_403": "the caller may not read this"}
_CURSOR = {"_400": "the cursor is not one of this service", "_422": "the request is malformed"}


def reading_routes(parts: Parts) -> APIRouter:
    """The routes, reading the database of a running service."""
    router = APIRouter(dependencies=[READING])
    router.include_router(_accounts(parts))
    router.include_router(_books(parts))
    return router


def _accounts(parts: Parts) -> APIRouter:
    router = APIRouter(tags=["accounts"])

    @router.get(
        "/accounts",
        response_model_exclude_none=True,
        summary="List accounts",
        responses=problems(**_ACCESS, **_CURSOR),
    )
    async def list_accounts(
        property_name: PropertyQuery,
        table: Annotated[Name | None, Query(description="only game accounts of this table")] = None,
        patron: Annotated[Name | None, Query(description="only accounts of this patron")] = None,
        limit: Limit = 50,
        cursor: Cursor = None,
    ) -> AccountPage:
        """Wallets and game accounts of a property."""
        after = None if cursor is None else _after(cursor, _name)[0]
        async with reading.snapshot(parts.engine) as connection:
            found = await reading.account_page(
                connection, property_name, table=table, patron=patron, after=after, limit=limit + 1
            )
        return AccountPage(items=found[:limit], next=_next(found, limit, lambda each: [each.account]))

    @router.get(
        "/accounts/{property}/{account}",
        response_model=AccountDocument,
        response_model_exclude_none=True,
        summary="Read an account",
        responses={304: {"description": "unchanged"}, **problems(**_ACCESS, _404="there is no such account")},
    )
    async def read_account(
        property_name: PropertyPath,
        account: AccountName,
        response: Response,
        if_none_match: Annotated[str, Header(alias="If-None-Match", description="ETags that are known already")] = "",
    ) -> AccountDocument | Response:
        """What is available, on hold and in play."""
        async with reading.snapshot(parts.engine) as connection:
            found = await _account(connection, property_name, account)
        etag = f'"{found.version}"'
        if etag in (tag.strip().removeprefix("W/") for tag in if_none_match.split(",")):
            return Response(status_code=304, headers={"ETag": etag})
        response.headers["ETag"] = etag
        return found

    @router.get(
        "/accounts/{property}/{account}/statement",
        response_model_exclude_none=True,
        summary="Read the statement of an account",
        responses=problems(**_ACCESS, **_CURSOR, _404="there is no such account"),
    )
    async def read_statement(
        property_name: PropertyPath,
        account: AccountName,
        limit: Limit = 50,
        cursor: Cursor = None,
    ) -> Statement:
        """Every change, oldest first, with the entry of the journal that made it."""
        after = 0 if cursor is None else _after(cursor, _number)[0]
        async with reading.snapshot(parts.engine) as connection:
            shown = await _account(connection, property_name, account)
            found = await reading.statement(connection, property_name, account, after=after, limit=limit + 1)
        return Statement(account=shown, items=found[:limit], next=_next(found, limit, lambda each: [each.version]))

    @router.get(
        "/accounts/{property}/{account}/adjustments",
        response_model_exclude_none=True,
        summary="List the adjustments of an account",
        responses=problems(**_ACCESS, **_CURSOR, _404="there is no such account"),
    )
    async def list_adjustments(
        property_name: PropertyPath,
        account: AccountName,
        limit: Limit = 50,
        cursor: Cursor = None,
    ) -> AdjustmentPage:
        """Entered, approved and rejected, oldest first."""
        after = 0 if cursor is None else _after(cursor, _number)[0]
        async with reading.snapshot(parts.engine) as connection:
            await _account(connection, property_name, account)
            rows = await reading.adjustment_page(connection, property_name, account, after=after, limit=limit + 1)
        found = [AdjustmentDocument.model_validate(adjustment_document(row)) for row in rows]
        return AdjustmentPage(items=found[:limit], next=_next(found, limit, lambda each: [each.adjustment]))

    @router.get(
        "/patrons/{property}/{patron}",
        summary="Read a patron",
        responses=problems(**_ACCESS, _404="there is no such patron"),
        tags=["patrons"],
    )
    async def read_patron(
        property_name: PropertyPath, patron: Annotated[Name, Path(description="the patron")]
    ) -> PatronDocument:
        """Wallet, exclusion, limits; never the access code."""
        async with reading.snapshot(parts.engine) as connection:
            found = await reading.patron(connection, property_name, patron)
        if found is None:
            raise NotFound(f"there is no patron {patron} at {property_name}")
        now = parts.clock()
        return PatronDocument(
            property=found.property_name,
            patron=found.patron,
            wallet=found.wallet,
            excluded_at=found.excluded_at,
            locked_until=found.locked_until if found.is_locked(now) else None,
            limits={kind: LimitDocument.model_validate(each.as_document(now)) for kind, each in found.limits.items()},
        )

    return router


def _books(parts: Parts) -> APIRouter:
    router = APIRouter(tags=["books"])

    @router.get(
        "/open-rounds",
        response_model_exclude_none=True,
        summary="List the rounds whose result is not known",
        responses=problems(**_ACCESS, **_CURSOR),
    )
    async def list_open_rounds(property_name: PropertyQuery, limit: Limit = 50, cursor: Cursor = None) -> OpenRounds:
        """Their wagers stay on hold or in play; the oldest first."""
        after = None if cursor is None else _after(cursor, _open_place)
        async with reading.snapshot(parts.engine) as connection:
            found = await reading.open_rounds(connection, property_name, after=after, limit=limit + 1)
        place = _next(found, limit, lambda each: [each.opened_at.isoformat(), each.table, each.round_id])
        return OpenRounds(items=found[:limit], next=place)

    @router.get(
        "/exceptions",
        response_model_exclude_none=True,
        summary="List the rounds that took more than was on hold, or could not take back what they paid",
        responses=problems(**_ACCESS, **_CURSOR),
    )
    async def list_exceptions(
        property_name: PropertyQuery, limit: Limit = 50, cursor: Cursor = None
    ) -> RoundExceptions:
        """By table, round and account."""
        after = None if cursor is None else _after(cursor, _exception_place)
        async with reading.snapshot(parts.engine) as connection:
            found = await reading.exceptions(connection, property_name, after=after, limit=limit + 1)
        place = _next(found, limit, lambda each: [each.table, each.round_id, each.account])
        return RoundExceptions(items=found[:limit], next=place)

    @router.get("/liability", summary="Read the liability by gaming day", responses=problems(**_ACCESS))
    async def read_liability(
        property_name: PropertyQuery,
        first: Annotated[date | None, Query(description="the first gaming day that is shown")] = None,
        last: Annotated[date | None, Query(description="the last gaming day that is shown")] = None,
    ) -> Liability:
        """What changed it each day, beside the sum of all balances at this moment: they are always equal."""
        async with reading.snapshot(parts.engine) as connection:
            return await reading.liability(connection, property_name, first=first, last=last)

    return router


async def _account(connection: Any, property_name: str, name: str) -> AccountDocument:
    found = await reading.account(connection, property_name, name)
    if found is None:
        raise NotFound(f"there is no account {name} at {property_name}")
    return reading.account_document(found)


def _next(found: list[Any], limit: int, place: Any) -> str | None:
    if len(found) <= limit:
        return None
    return urlsafe_b64encode(json.dumps(place(found[limit - 1])).encode()).decode()


def _after(cursor: str, place: TypeAdapter[Any]) -> Any:
    try:
        return place.validate_json(urlsafe_b64decode(cursor))
    except ValueError as error:
        raise Rejected(
            Reason.CURSOR_UNKNOWN, f"cursor {cursor!r} is not one of this service; begin without one"
        ) from error
