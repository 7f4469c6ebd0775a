"""What is read of the wagering accounts over HTTP, each in one snapshot of the database."""

from datetime import date
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wagering_accounts.api.roles import ADJUST, APPROVE, EXCLUDE, MANAGE, WAGER
from services.wagering_accounts.domain.books import Patron
from services.wagering_accounts.domain.documents import (
    AccountDocument,
    AdjustmentDocument,
    ExceptionKind,
    ExceptionList,
    Liability,
    OpenRound,
    PatronDocument,
    Statement,
    StatementLine,
)
from services.wagering_accounts.domain.today import Todays
from services.wagering_accounts.queries import reports
from services.wagering_accounts.queries.books import known_thing
from services.wagering_accounts.queries.reports import OpenPlace
from services.wagering_accounts.tables import (
    adjustments,
    balances,
    day_changes,
    days,
    journal,
    lines,
    patrons,
    properties,
)
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason
from shared.contracts.reports import furthest_behind
from shared.runtime.consume.properties import known_places
from shared.runtime.rows import find_row
from shared.runtime.service.context import ServiceContext
from shared.runtime.web import (
    REPORT,
    UNCHANGED,
    Asked,
    AskedOfDay,
    Headers,
    Listing,
    Page,
    PropertyPath,
    PropertyQuery,
    ReportReader,
    TableListing,
    document_response,
    person_with,
    problems,
    report_response,
    snapshot,
)
from shared.runtime.web.problems import Responses
from shared.runtime.web.roles import READ_REPORTS

_ACCOUNTS: Final = TableListing(balances, "account")
_LINES: Final = TableListing(lines, "version")
_ADJUSTMENTS: Final = TableListing(adjustments, "adjustment")
_EXCEPTIONS: Final[Listing[tuple[str, str, str, str]]] = Listing("exceptions", tuple[str, str, str, str])
_OPEN_ROUNDS: Final[Listing[OpenPlace]] = Listing("open-rounds", OpenPlace)
_DAYS_MAX: Final = 366

ACCOUNT_READER: Final = person_with(READ_REPORTS, MANAGE, WAGER, ADJUST, APPROVE)
PATRON_READER: Final = person_with(READ_REPORTS, MANAGE, EXCLUDE)
ROUND_READER: Final = person_with(READ_REPORTS, WAGER)

AccountPath = Annotated[Name, Path(description="the account")]
PatronPath = Annotated[Name, Path(description="the patron")]

_ONE: Final[Responses] = {**UNCHANGED, **problems(Reason.NOT_FOUND)}


def reading_routes(context: ServiceContext) -> APIRouter:
    """Return the routes that change nothing."""
    router = APIRouter()
    router.include_router(_accounts(context))
    router.include_router(_patrons(context))
    router.include_router(_books(context))
    return router


def _accounts(context: ServiceContext) -> APIRouter:
    router = APIRouter(prefix="/accounts", tags=["accounts"], dependencies=[ACCOUNT_READER])
    path = "/{property}/{account}"

    @router.get("", response_model_exclude_none=True, summary="List accounts")
    async def list_accounts(
        property_name: PropertyQuery,
        asked: Asked,
        table: Annotated[Name | None, Query(description="only game accounts of this table")] = None,
        patron: Annotated[Name | None, Query(description="only accounts of this patron")] = None,
    ) -> Page[AccountDocument]:
        """Wallets and game accounts of a property."""
        named = {"property": property_name, "table": table, "patron": patron}
        async with snapshot(context.engine) as connection:
            return await _ACCOUNTS.read(connection, asked, AccountDocument.of, **named)

    @router.get(path, response_model=AccountDocument, summary="Read an account", responses=_ONE)
    async def read_account(request: Request, property_name: PropertyPath, account: AccountPath) -> Response:
        """What is available, on hold and in play."""
        async with snapshot(context.engine) as connection:
            found = await _account(connection, property_name, account)
        return document_response(request, found, version=found.version)

    @router.get(
        path + "/statement",
        response_model_exclude_none=True,
        summary="Read the statement of an account",
        responses=problems(Reason.NOT_FOUND),
    )
    async def read_statement(property_name: PropertyPath, account: AccountPath, asked: Asked) -> Statement:
        """Every change, oldest first, with the entry of the journal that made it."""
        named = {"property": property_name, "account": account}
        async with snapshot(context.engine) as connection:
            shown = await _account(connection, property_name, account)
            page = await _LINES.read(connection, asked, StatementLine.of, **named)
        return Statement(account=shown, items=page.items, next=page.next)

    @router.get(
        path + "/adjustments",
        response_model_exclude_none=True,
        summary="List the adjustments of an account",
        responses=problems(Reason.NOT_FOUND),
        tags=["adjustments"],
    )
    async def list_adjustments(
        property_name: PropertyPath, account: AccountPath, asked: Asked
    ) -> Page[AdjustmentDocument]:
        """Entered, approved and rejected, oldest first."""
        named = {"property": property_name, "account": account}
        async with snapshot(context.engine) as connection:
            await _account(connection, property_name, account)
            return await _ADJUSTMENTS.read(connection, asked, AdjustmentDocument.of, **named)

    return router


def _patrons(context: ServiceContext) -> APIRouter:
    router = APIRouter(prefix="/patrons", tags=["patrons"], dependencies=[PATRON_READER])

    @router.get("/{property}/{patron}", response_model=PatronDocument, summary="Read a patron", responses=_ONE)
    async def read_patron(request: Request, property_name: PropertyPath, patron: PatronPath) -> Response:
        """Wallet, exclusion, limits; never the access code."""
        missing = f"there is no patron {patron} at {property_name}"
        async with snapshot(context.engine) as connection:
            row = await find_row(connection, patrons, missing, property=property_name, patron=patron)
        return document_response(request, PatronDocument.of(known_thing(Patron, row), context.clock()))

    return router


def _books(context: ServiceContext) -> APIRouter:
    router = APIRouter()
    headers = Headers(journal, context.clock, days, day_changes)

    @router.get(
        "/open-rounds",
        response_model_exclude_none=True,
        summary="List the rounds whose result is not known",
        tags=["wagers"],
        dependencies=[ROUND_READER],
    )
    async def list_open_rounds(property_name: PropertyQuery, asked: Asked) -> Page[OpenRound]:
        """Their wagers stay on hold or in play; the oldest first."""
        after = _OPEN_ROUNDS.after(asked.cursor)
        async with snapshot(context.engine) as connection:
            found = await reports.open_rounds_after(connection, property_name, after=after, limit=asked.limit + 1)
        return _OPEN_ROUNDS.page(found, asked.limit, lambda each: (each.opened_at, each.table, each.round_id))

    @router.get(
        "/reports/exceptions",
        response_model=ExceptionList,
        summary="List the rounds that took more than was on hold, or could not take back what they paid",
        responses=REPORT,
        tags=["reports"],
    )
    async def list_exceptions(
        request: Request,
        reader: ReportReader,
        asked: AskedOfDay,
        kind: Annotated[ExceptionKind | None, Query(description="only of this kind")] = None,
    ) -> Response:
        """The rounds of a gaming day, by table, round and account."""
        async with snapshot(context.engine) as connection:
            items = await reports.exceptions_on(
                connection, asked.property, asked.gaming_day, table=asked.table, kind=kind
            )
            head = await headers.of_day(connection, reader, asked.property, asked.gaming_day)
        page = _EXCEPTIONS.page_of(items, asked, lambda item: (item.table, item.round_id, item.account, item.kind))
        return report_response(request, ExceptionList(**head, items=page.items, next=page.next))

    @router.get(
        "/reports/liability",
        response_model=Liability,
        summary="Read the liability by gaming day",
        responses={**REPORT, **problems(Reason.NOT_FOUND)},
        tags=["reports"],
    )
    async def read_liability(
        request: Request,
        reader: ReportReader,
        property_name: PropertyQuery,
        first: Annotated[date | None, Query(description="the first gaming day that is shown")] = None,
        last: Annotated[date | None, Query(description="the last gaming day that is shown")] = None,
    ) -> Response:
        """What changed it each day, beside the sum of all balances at this moment: they are always equal."""
        async with snapshot(context.engine) as connection:
            found = await reports.liability_days_of(connection, property_name)
            balances = await reports.balances_of(connection, property_name)
            head = await headers.header(connection, reader, property_name)
            places = await known_places(connection, properties)
        today = Todays(places.place).at(property_name, context.clock()).gaming_day
        closing = found[-1].closing_cents if found else 0
        shown = [
            day
            for day in found
            if (first is None or first <= day.gaming_day) and (last is None or day.gaming_day <= last)
        ][-_DAYS_MAX:]
        report = Liability(
            **head,
            first_day=first or (shown[0].gaming_day if shown else last or today),
            last_day=last or (shown[-1].gaming_day if shown else first or today),
            status=furthest_behind(day.status for day in shown),
            is_balanced=closing == balances.total_cents and not any(day.difference_cents for day in found),
            days=shown,
            closing_cents=closing,
            balances=balances,
            difference_cents=closing - balances.total_cents,
        )
        return report_response(request, report)

    return router


async def _account(connection: AsyncConnection, property_name: str, account: str) -> AccountDocument:
    missing = f"there is no account {account} at {property_name}"
    return AccountDocument.of(await find_row(connection, balances, missing, property=property_name, account=account))
