"""Queries of the wagering accounts over HTTP, each in one snapshot of the database."""

from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wagering_accounts.api.looks import record_look, record_looks
from services.wagering_accounts.api.roles import (
    ADJUST,
    APPROVE,
    APPROVE_ERASURE,
    ERASE,
    EXCLUDE,
    MANAGE,
    PROMOTE,
    WAGER,
)
from services.wagering_accounts.domain.books import Patron
from services.wagering_accounts.domain.documents import (
    AccountDocument,
    AdjustmentDocument,
    OpenRound,
    PatronDocument,
    PromotionDocument,
    Statement,
    StatementLine,
)
from services.wagering_accounts.queries.books import known_thing
from services.wagering_accounts.queries.rounds import OpenPlace, open_rounds_after
from services.wagering_accounts.queries.same_person import differing_in_case, same_person_as
from services.wagering_accounts.tables import (
    adjustments,
    balances,
    lines,
    patrons,
    promotions,
)
from shared.contracts.accounts import Seen
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason
from shared.runtime.database import snapshot
from shared.runtime.http import (
    UNCHANGED,
    Asked,
    FromEnd,
    Listing,
    Page,
    PropertyPath,
    PropertyQuery,
    TableListing,
    TypedReference,
    document_response,
    problems,
    require_role,
)
from shared.runtime.http.merged_routers import merge_routers
from shared.runtime.http.problems import Responses
from shared.runtime.http.roles import READ_PATRON_REPORTS, READ_REPORTS
from shared.runtime.reference_search import references_like
from shared.runtime.rows import find_row, thing_of
from shared.runtime.service.service_context import ServiceContext

_ACCOUNTS: Final = TableListing(balances, "account")
_LINES: Final = TableListing(lines, "version")
_ADJUSTMENTS: Final = TableListing(adjustments, "adjustment")
_OPEN_ROUNDS: Final[Listing[OpenPlace]] = Listing("open-rounds", OpenPlace)

AccountReader = Annotated[str, require_role(READ_REPORTS, MANAGE, WAGER, PROMOTE, ADJUST, APPROVE)]
PatronReader = Annotated[str, require_role(READ_PATRON_REPORTS, MANAGE, EXCLUDE, ERASE, APPROVE_ERASURE)]
ROUND_READER: Final = require_role(READ_REPORTS, WAGER)

AccountPath = Annotated[Name, Path(description="the account")]
PatronPath = Annotated[Name, Path(description="the patron")]

_Numbered = Annotated[int, Path(ge=1, le=2**53)]

_ONE: Final[Responses] = {**UNCHANGED, **problems(Reason.NOT_FOUND)}


class AccountFound(BaseModel):
    """An account that matches a search, without its amounts and its patron."""

    account: str
    table: str
    kind: str
    status: str


class AccountsFound(BaseModel):
    """The accounts that match a search, at most 20."""

    items: list[AccountFound]


def reading_routes(context: ServiceContext) -> APIRouter:
    """Return the read-only routes."""
    return merge_routers(_accounts(context), _patrons(context), _rounds(context))


def _accounts(context: ServiceContext) -> APIRouter:
    router = APIRouter(prefix="/accounts", tags=["accounts"])
    path = "/{property}/{account}"

    @router.get("", response_model_exclude_none=True, summary="List accounts")
    async def list_accounts(
        reader: AccountReader,
        property_name: PropertyQuery,
        asked: Asked,
        table: Annotated[Name | None, Query(description="only game accounts of this table")] = None,
        patron: Annotated[Name | None, Query(description="only accounts of this patron")] = None,
    ) -> Page[AccountDocument]:
        """List wallets and game accounts of a property."""
        named = {"property": property_name, "table": table, "patron": patron}
        async with snapshot(context.pools.readers) as connection:
            page = await _ACCOUNTS.read(connection, asked, AccountDocument.of, **named)
        shown = {account.patron for account in page.items if account.patron is not None}
        await record_looks(context, property_name, shown if patron is None else {patron}, "accounts", reader)
        return page

    @router.get("/find", response_model_exclude_none=True, summary="Search accounts")
    async def find_accounts(
        reader: AccountReader, property_name: PropertyQuery, typed: TypedReference
    ) -> AccountsFound:
        """Find accounts by reference. No patron data is returned, so that no access is recorded."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            found = await connection.execute(references_like(balances, "account", property_name, typed))
            return AccountsFound(items=[thing_of(AccountFound, row) for row in found])

    @router.get(path, response_model=AccountDocument, summary="Read an account", responses=_ONE)
    async def read_account(
        request: Request, reader: AccountReader, property_name: PropertyPath, account: AccountPath
    ) -> Response:
        """Return an account with the amounts available, on hold and in play."""
        async with snapshot(context.pools.readers) as connection:
            found = await _account(connection, property_name, account)
        await _looked(context, found, "account", reader)
        return document_response(request, found, version=found.version)

    @router.get(
        path + "/statement",
        response_model_exclude_none=True,
        summary="Read the statement of an account",
        responses=problems(Reason.NOT_FOUND),
    )
    async def read_statement(
        reader: AccountReader,
        property_name: PropertyPath,
        account: AccountPath,
        asked: Asked,
        from_end: FromEnd = False,
    ) -> Statement:
        """Return an account's changes, each with its journal entry, oldest first unless requested from the end."""
        named = {"property": property_name, "account": account}
        async with snapshot(context.pools.readers) as connection:
            shown = await _account(connection, property_name, account)
            page = await _LINES.read(connection, asked, StatementLine.of, from_end, **named)
        await _looked(context, shown, "statement", reader)
        return Statement(account=shown, items=page.items, next=page.next)

    @router.get(
        path + "/adjustments",
        response_model_exclude_none=True,
        summary="List the adjustments of an account",
        responses=problems(Reason.NOT_FOUND),
        tags=["adjustments"],
    )
    async def list_adjustments(
        reader: AccountReader, property_name: PropertyPath, account: AccountPath, asked: Asked
    ) -> Page[AdjustmentDocument]:
        """List adjustments in every status, oldest first."""
        named = {"property": property_name, "account": account}
        async with snapshot(context.pools.readers) as connection:
            shown = await _account(connection, property_name, account)
            page = await _ADJUSTMENTS.read(connection, asked, AdjustmentDocument.of, **named)
        await _looked(context, shown, "adjustments", reader)
        return page

    @router.get(
        path + "/adjustments/{adjustment}",
        response_model=AdjustmentDocument,
        summary="Read an adjustment",
        responses=_ONE,
        tags=["adjustments"],
    )
    async def read_adjustment(
        request: Request,
        reader: AccountReader,
        property_name: PropertyPath,
        account: AccountPath,
        adjustment: _Numbered,
    ) -> Response:
        """Return an adjustment as entered, with its current status."""
        named = {"property": property_name, "account": account, "adjustment": adjustment}
        missing = f"account {account} has no adjustment {adjustment}"
        async with snapshot(context.pools.readers) as connection:
            shown = await _account(connection, property_name, account)
            row = await find_row(connection, adjustments, missing, **named)
        await _looked(context, shown, "adjustments", reader)
        return document_response(request, AdjustmentDocument.of(row))

    @router.get(
        path + "/promotions/{promotion}",
        response_model=PromotionDocument,
        summary="Read a grant of promotional money",
        responses=_ONE,
        tags=["promotional money"],
    )
    async def read_promotion(
        request: Request, reader: AccountReader, property_name: PropertyPath, account: AccountPath, promotion: _Numbered
    ) -> Response:
        """Return a grant as entered or granted, with its current status."""
        named = {"property": property_name, "account": account, "promotion": promotion}
        missing = f"account {account} has no promotion {promotion}"
        async with snapshot(context.pools.readers) as connection:
            shown = await _account(connection, property_name, account)
            row = await find_row(connection, promotions, missing, **named)
        await _looked(context, shown, "account", reader)
        return document_response(request, PromotionDocument.of(row))

    return router


def _patrons(context: ServiceContext) -> APIRouter:
    router = APIRouter(prefix="/patrons", tags=["patrons"])

    @router.get("/{property}/{patron}", response_model=PatronDocument, summary="Read a patron", responses=_ONE)
    async def read_patron(
        request: Request, reader: PatronReader, property_name: PropertyPath, patron: PatronPath
    ) -> Response:
        """Return a patron's wallet, exclusion, limits, and other references that may be the same person.

        The access is recorded.
        """
        missing = f"there is no patron {patron} at {property_name}"
        async with snapshot(context.pools.readers) as connection:
            row = await find_row(connection, patrons, missing, property=property_name, patron=patron)
            same_person = await same_person_as(connection, property_name, patron)
            same_but_for_case = await differing_in_case(connection, property_name, patron)
        await record_look(context, property_name, patron, "patron", reader)
        shown = PatronDocument.of(known_thing(Patron, row), context.clock(), same_person, same_but_for_case)
        return document_response(request, shown)

    return router


def _rounds(context: ServiceContext) -> APIRouter:
    router = APIRouter()

    @router.get(
        "/open-rounds",
        response_model_exclude_none=True,
        summary="List rounds without a result",
        tags=["wagers"],
        dependencies=[ROUND_READER],
    )
    async def list_open_rounds(property_name: PropertyQuery, asked: Asked) -> Page[OpenRound]:
        """List rounds whose wagers are still on hold or in play, oldest first."""
        after = _OPEN_ROUNDS.after(asked.cursor)
        async with snapshot(context.pools.readers) as connection:
            found = await open_rounds_after(connection, property_name, after=after, limit=asked.limit + 1)
        return _OPEN_ROUNDS.page(found, asked.limit, lambda each: (each.opened_at, each.table, each.round_id))

    return router


async def _looked(context: ServiceContext, account: AccountDocument, what: Seen, reader: str) -> None:
    """Record an access to a patron's account; accounts without a known owner are not recorded."""
    if account.patron is not None:
        await record_look(context, account.property, account.patron, what, reader)


async def _account(connection: AsyncConnection, property_name: str, account: str) -> AccountDocument:
    missing = f"there is no account {account} at {property_name}"
    return AccountDocument.of(await find_row(connection, balances, missing, property=property_name, account=account))
