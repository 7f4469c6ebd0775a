"""The HTTP interface of the wagering accounts: what is done, each command once under its key."""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path, Response, Security
from fastapi.security import HTTPBearer
from pydantic import SecretStr

from services.wagering_accounts import reading
from services.wagering_accounts.access_codes import HashedCode, fingerprint, hash_code
from services.wagering_accounts.account_commands import BuyIn, CashOut, DecideAdjustment, EnterAdjustment, Open
from services.wagering_accounts.commands import Commands
from services.wagering_accounts.configuration import Configurations
from services.wagering_accounts.documents import (
    AccountDocument,
    AdjustmentDocument,
    AuthorizedHold,
    CaptureDocument,
    Exclusion,
    MoneyIn,
    MoneyOut,
    NewAccount,
    NewAdjustment,
    NewCode,
    NewHold,
    NewLimit,
    NewPatron,
    NoMoreBets,
    PatronDocument,
    Why,
)
from services.wagering_accounts.lean import AuthorizationRoute
from services.wagering_accounts.patron_commands import ChangeCode, Register, SetExclusion, SetLimit
from services.wagering_accounts.reading_routes import reading_routes
from services.wagering_accounts.roles import Adjuster, Approver, Cashier, Excluder, TableSystem
from services.wagering_accounts.wager_commands import Authorize, Capture, Release
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.command.answers import IdempotencyKey, response
from shared.runtime.service.run import Parts
from shared.runtime.web.unported import problems

PropertyName = Annotated[Name, Path(alias="property", description="the property")]
AccountName = Annotated[Name, Path(description="the account")]
PatronName = Annotated[Name, Path(description="the patron")]
Number = Annotated[int, Path(ge=1, le=2**53)]

_PROBLEMS = problems(
    _401="the bearer token is missing or not known",
    _403="the caller may not do this, or it is not allowed to this patron; a refusal of the latter kind is recorded",
    _404="there is no such thing; the refusal is recorded",
    _409="the books do not allow it, and the refusal is recorded; or the Idempotency-Key was used for another command",
    _422="the request is malformed",
    _423="the access code is locked; the refusal is recorded",
    _503="the database does not answer: send it again with the same Idempotency-Key",
)


def routes(parts: Parts) -> APIRouter:
    """The routes, working on the parts of a running service."""
    commands = Commands(parts, Configurations.load())
    bearer = Security(HTTPBearer(auto_error=False, scheme_name="bearer"))
    router = APIRouter(dependencies=[bearer])
    _add_authorization(router, commands)
    for more in (_wagers(commands), _accounts(parts, commands), _adjustments(commands), _patrons(commands)):
        router.include_router(more, responses=_PROBLEMS)
    router.include_router(reading_routes(parts))
    return router


def _add_authorization(router: APIRouter, commands: Commands) -> None:
    """The one route that is asked all the time: the first to be looked at, and a lean one."""

    async def authorize(
        property_name: PropertyName,
        account: AccountName,
        wanted: NewHold,
        person: TableSystem,
        idempotency_key: IdempotencyKey,
    ) -> Response:
        """Its cents are on hold until the round's result, a release, or a void of the round."""
        command = Authorize(
            property_name, account, wanted.table, wanted.round_id, wanted.seat, wanted.wager, wanted.cents
        )
        return response(await commands.do(command, person=person, key=idempotency_key))

    router.add_api_route(
        "/accounts/{property}/{account}/holds",
        authorize,
        methods=["POST"],
        status_code=201,
        response_model=AuthorizedHold,
        summary="Authorize a wager",
        tags=["wagers"],
        responses=_PROBLEMS,
        route_class_override=AuthorizationRoute,
    )


def _wagers(commands: Commands) -> APIRouter:
    router = APIRouter(tags=["wagers"])

    @router.post(
        "/accounts/{property}/{account}/holds/{hold}/release",
        response_model=AccountDocument,
        response_model_exclude_none=True,
        summary="Release a wager",
    )
    async def release(
        property_name: PropertyName,
        account: AccountName,
        hold: Number,
        why: Why,
        person: TableSystem,
        idempotency_key: IdempotencyKey,
    ) -> Response:
        """Before "no more bets" only."""
        command = Release(property_name, account, hold, why.reason)
        return response(await commands.do(command, person=person, key=idempotency_key))

    @router.post("/captures", response_model=CaptureDocument, summary='Capture the wagers of a round at "no more bets"')
    async def capture(wanted: NoMoreBets, person: TableSystem, idempotency_key: IdempotencyKey) -> Response:
        """What is on hold for the round is in play. Wagers added later in the round need another capture."""
        command = Capture(wanted.property, wanted.table, wanted.round_id)
        return response(await commands.do(command, person=person, key=idempotency_key))

    return router


def _accounts(parts: Parts, commands: Commands) -> APIRouter:
    router = APIRouter(prefix="/accounts", tags=["accounts"])

    async def given(property_name: str, account: str, code: SecretStr | None) -> HashedCode | None:
        """The code that was given, hashed as the patron's own is."""
        if code is None:
            return None
        async with parts.engine.connect() as connection:
            kept = await reading.code_of_account(connection, property_name, account)
        if kept is None:
            return None
        return await asyncio.to_thread(hash_code, code.get_secret_value(), kept.salt)

    @router.post(
        "",
        status_code=201,
        response_model=AccountDocument,
        response_model_exclude_none=True,
        summary="Open a game account",
    )
    async def open_account(wanted: NewAccount, person: Cashier, idempotency_key: IdempotencyKey) -> Response:
        """For one session at one table."""
        command = Open(wanted.property, wanted.account, wanted.table, wanted.patron)
        return response(await commands.do(command, person=person, key=idempotency_key))

    @router.post(
        "/{property}/{account}/buy-ins",
        response_model=AccountDocument,
        response_model_exclude_none=True,
        summary="Buy in",
    )
    async def buy_in(
        property_name: PropertyName,
        account: AccountName,
        wanted: MoneyIn,
        person: Cashier,
        idempotency_key: IdempotencyKey,
    ) -> Response:
        """With cash, chips or a voucher; or, with the access code, from the patron's wallet."""
        command = BuyIn(
            property_name,
            account,
            wanted.instrument,
            wanted.cents,
            wanted.reference,
            await given(property_name, account, wanted.access_code),
            await _fingerprint(wanted.access_code, person, idempotency_key),
        )
        return response(await commands.do(command, person=person, key=idempotency_key))

    @router.post(
        "/{property}/{account}/cash-outs",
        response_model=AccountDocument,
        response_model_exclude_none=True,
        summary="Cash out",
    )
    async def cash_out(
        property_name: PropertyName,
        account: AccountName,
        wanted: MoneyOut,
        person: Cashier,
        idempotency_key: IdempotencyKey,
    ) -> Response:
        """What is on hold or in play stays until its round is over."""
        command = CashOut(
            property_name,
            account,
            wanted.instrument,
            wanted.cents,
            wanted.close,
            wanted.reference,
            await given(property_name, account, wanted.access_code),
            await _fingerprint(wanted.access_code, person, idempotency_key),
        )
        return response(await commands.do(command, person=person, key=idempotency_key))

    return router


def _adjustments(commands: Commands) -> APIRouter:
    router = APIRouter(prefix="/accounts/{property}/{account}/adjustments", tags=["adjustments"])
    model: dict[str, Any] = {"response_model": AdjustmentDocument, "response_model_exclude_none": True}

    @router.post("", status_code=201, summary="Enter an adjustment", **model)
    async def enter(
        property_name: PropertyName,
        account: AccountName,
        wanted: NewAdjustment,
        person: Adjuster,
        idempotency_key: IdempotencyKey,
    ) -> Response:
        """Somebody else approves it before it counts."""
        if wanted.cents == 0:
            raise Rejected(Reason.MALFORMED, "'cents' 0 changes nothing; say by how much")
        command = EnterAdjustment(property_name, account, wanted.cents, wanted.reason)
        return response(await commands.do(command, person=person, key=idempotency_key))

    @router.post("/{adjustment}/approve", summary="Approve an adjustment", **model)
    async def approve(
        property_name: PropertyName,
        account: AccountName,
        adjustment: Number,
        person: Approver,
        idempotency_key: IdempotencyKey,
    ) -> Response:
        """It counts from now on, with what was available before and after."""
        command = DecideAdjustment(property_name, account, adjustment, approve=True)
        return response(await commands.do(command, person=person, key=idempotency_key))

    @router.post("/{adjustment}/reject", summary="Reject an adjustment", **model)
    async def reject(
        property_name: PropertyName,
        account: AccountName,
        adjustment: Number,
        why: Why,
        person: Approver,
        idempotency_key: IdempotencyKey,
    ) -> Response:
        """It never counts."""
        command = DecideAdjustment(property_name, account, adjustment, approve=False, reason=why.reason)
        return response(await commands.do(command, person=person, key=idempotency_key))

    return router


def _patrons(commands: Commands) -> APIRouter:
    router = APIRouter(prefix="/patrons", tags=["patrons"])

    @router.post("", status_code=201, response_model=PatronDocument, summary="Register a patron with a wallet")
    async def register(wanted: NewPatron, person: Cashier, idempotency_key: IdempotencyKey) -> Response:
        """One wallet a person."""
        command = Register(
            wanted.property,
            wanted.patron,
            wanted.wallet,
            *await _new_code(wanted.access_code, person, idempotency_key),
        )
        return response(await commands.do(command, person=person, key=idempotency_key))

    @router.post(
        "/{property}/{patron}/access-code", response_model=PatronDocument, summary="Give a patron a new access code"
    )
    async def change_code(
        property_name: PropertyName,
        patron: PatronName,
        wanted: NewCode,
        person: Cashier,
        idempotency_key: IdempotencyKey,
    ) -> Response:
        """Which unlocks it."""
        code = await _new_code(wanted.access_code, person, idempotency_key)
        command = ChangeCode(property_name, patron, *code, wanted.reason)
        return response(await commands.do(command, person=person, key=idempotency_key))

    @router.post(
        "/{property}/{patron}/exclusion", response_model=PatronDocument, summary="Exclude a patron, or admit one again"
    )
    async def set_exclusion(
        property_name: PropertyName,
        patron: PatronName,
        wanted: Exclusion,
        person: Excluder,
        idempotency_key: IdempotencyKey,
    ) -> Response:
        """An excluded patron is paid out, and cannot wager."""
        command = SetExclusion(property_name, patron, wanted.excluded, wanted.reason)
        return response(await commands.do(command, person=person, key=idempotency_key))

    @router.post("/{property}/{patron}/limits", response_model=PatronDocument, summary="Set a patron's limit")
    async def set_limit(
        property_name: PropertyName,
        patron: PatronName,
        wanted: NewLimit,
        person: Cashier,
        idempotency_key: IdempotencyKey,
    ) -> Response:
        """A tighter one holds at once, a looser one after a day."""
        command = SetLimit(property_name, patron, wanted.limit, wanted.cents)
        return response(await commands.do(command, person=person, key=idempotency_key))

    return router


async def _fingerprint(code: SecretStr | None, person: str, key: str) -> str | None:
    return None if code is None else await asyncio.to_thread(fingerprint, code.get_secret_value(), person, key)


async def _new_code(code: SecretStr, person: str, key: str) -> tuple[HashedCode, str]:
    """A new code's hash, and what tells whether the same was sent again."""
    text = code.get_secret_value()
    return await asyncio.to_thread(hash_code, text), await asyncio.to_thread(fingerprint, text, person, key)
