"""Command routes of the wagering accounts. Access codes are hashed before a command is decided."""

import asyncio
from dataclasses import asdict, replace
from functools import partial

from fastapi import APIRouter

from services.wagering_accounts.api.roles import ADJUST, APPROVE, EXCLUDE, MANAGE, PROMOTE, WAGER
from services.wagering_accounts.commands.accounts import (
    ApproveAdjustment,
    BuyIn,
    CashOut,
    EnterAdjustment,
    OpenAccount,
    RejectAdjustment,
)
from services.wagering_accounts.commands.deciding import CommandWithCode
from services.wagering_accounts.commands.patrons import (
    ChangeAccessCode,
    RegisterPatron,
    SetExclusion,
    SetLimit,
    SetTaxResidence,
)
from services.wagering_accounts.commands.promotions import (
    ApprovePromotion,
    EnterPromotion,
    GrantPromotion,
    MovePromotion,
    RejectPromotion,
    WriteOffPromotion,
)
from services.wagering_accounts.commands.wagers import AuthorizeWager, CaptureRound, ReleaseWager
from services.wagering_accounts.domain.access_codes import GivenCode, HashedCode, fingerprint, hash_code
from services.wagering_accounts.domain.books import PatronCode
from services.wagering_accounts.domain.documents import (
    AccountDocument,
    AdjustmentDocument,
    AuthorizedHold,
    CaptureDocument,
    PatronDocument,
    PromotionDocument,
)
from services.wagering_accounts.queries.books import codes_given, kept_code
from services.wagering_accounts.queries.same_person import differing_in_case
from services.wagering_accounts.tables import patron_codes
from shared.contracts.rejection import Reason
from shared.journal.signed_rows import not_signed, signed_rows
from shared.runtime.http import command_route
from shared.runtime.service.service_context import ServiceContext

_CODE = (Reason.CODE_WRONG, Reason.CODE_LOCKED)
_MONEY = (
    Reason.NOT_FOUND,
    Reason.CONTRADICTS,
    Reason.ALREADY_DECIDED,
    Reason.PATRON_EXCLUDED,
    Reason.LIMIT_EXCEEDED,
    Reason.INSUFFICIENT_FUNDS,
)


def add_commands(router: APIRouter, context: ServiceContext) -> None:
    """Add the routes of the commands: authorizations first, because they are the most frequent."""
    command = partial(command_route, router, context.commands)
    account, patron = "/accounts/{property}/{account}", "/patrons/{property}/{patron}"

    add = partial(command, role=WAGER, tag="wagers")
    add(AuthorizeWager, account + "/holds", answers=AuthorizedHold, status=201, rejects=(*_MONEY, Reason.TOO_LATE))
    rejects = (Reason.NOT_FOUND, Reason.TOO_LATE, Reason.ALREADY_DECIDED)
    add(ReleaseWager, account + "/holds/{hold}/release", answers=AccountDocument, rejects=rejects)
    add(CaptureRound, "/captures", answers=CaptureDocument, rejects=(Reason.NOT_FOUND,))

    add = partial(command, role=MANAGE, tag="accounts", answers=AccountDocument)
    opened = (Reason.NOT_FOUND, Reason.ALREADY_DECIDED, Reason.PATRON_EXCLUDED)
    add(OpenAccount, "/accounts", status=201, rejects=opened)
    prepare = partial(_with_given_code, context)
    add = partial(add, subject=account)
    late = (Reason.TOO_EARLY, Reason.TOO_LATE)
    add(BuyIn, account + "/buy-ins", rejects=(*_MONEY, *_CODE, *late), prepare=prepare)
    paid = (Reason.NOT_FOUND, Reason.CONTRADICTS, Reason.ALREADY_DECIDED, Reason.INSUFFICIENT_FUNDS)
    add(CashOut, account + "/cash-outs", rejects=(*paid, *_CODE, *late), prepare=prepare)

    add = partial(command, tag="promotional money", answers=AccountDocument, subject=account)
    path = account + "/promotional-money"
    granted = (*opened, Reason.TOO_LATE)
    add(GrantPromotion, path, role=PROMOTE, rejects=(*granted, Reason.LIMIT_EXCEEDED))
    add(WriteOffPromotion, path + "/write-offs", role=PROMOTE, rejects=(Reason.NOT_FOUND, Reason.INSUFFICIENT_FUNDS))
    add(MovePromotion, path + "/moves", role=MANAGE, rejects=(*opened, Reason.CONTRADICTS, Reason.INSUFFICIENT_FUNDS))

    add, path = partial(command, tag="promotional money", answers=PromotionDocument), account + "/promotions"
    add(EnterPromotion, path, role=PROMOTE, status=201, rejects=granted, subject=account)
    path, decided = path + "/{promotion}", (Reason.NOT_FOUND, Reason.ALREADY_DECIDED)
    decide = partial(add, role=APPROVE, subject=path)
    decide(ApprovePromotion, path + "/approve", rejects=(*granted, Reason.SAME_PERSON))
    decide(RejectPromotion, path + "/reject", rejects=decided)

    add = partial(command, tag="adjustments", answers=AdjustmentDocument)
    path = account + "/adjustments"
    add(EnterAdjustment, path, role=ADJUST, status=201, rejects=(Reason.NOT_FOUND,), subject=account)
    path, approved = path + "/{adjustment}", (*decided, Reason.SAME_PERSON, Reason.INSUFFICIENT_FUNDS)
    decide = partial(add, role=APPROVE, subject=path)
    decide(ApproveAdjustment, path + "/approve", rejects=approved)
    decide(RejectAdjustment, path + "/reject", rejects=decided)

    add, known = partial(command, tag="patrons", answers=PatronDocument), (Reason.NOT_FOUND,)
    prepare = partial(_with_new_code, context)
    add(RegisterPatron, "/patrons", role=MANAGE, status=201, rejects=decided, prepare=prepare)
    meanwhile = (*known, Reason.CONTRADICTS)
    add(ChangeAccessCode, patron + "/access-code", role=MANAGE, rejects=meanwhile, prepare=prepare)
    add = partial(add, subject=patron)
    add(SetExclusion, patron + "/exclusion", role=EXCLUDE, rejects=decided)
    add(SetLimit, patron + "/limits", role=MANAGE, rejects=known)
    add(SetTaxResidence, patron + "/tax-residence", role=MANAGE, rejects=known)


async def _with_given_code(context: ServiceContext, command: BuyIn | CashOut, person: str, key: str) -> CommandWithCode:
    """Hash a given code with the salt of the patron's stored code."""
    if command.access_code is None:
        return command
    async with context.pools.commands.connect() as connection:
        kept = await kept_code(connection, command.property, command.account)
        count = 0 if kept is None else await codes_given(connection, kept.property, kept.patron)
    text, code = command.access_code.get_secret_value(), None
    if kept is not None:
        forged = not_signed(context.ledger.seals, patron_codes, asdict(kept))
        if forged is None and kept.number != count:
            forged = f"it is code {kept.number}, and the journal says that {count} were given"
        given = await asyncio.to_thread(hash_code, text, kept.salt)
        code = GivenCode(given, HashedCode(kept.salt, kept.hash, kept.number, kept.signature), forged)
    return command.hashed(code, await asyncio.to_thread(fingerprint, text, person, key))


async def _with_new_code(
    context: ServiceContext, command: RegisterPatron | ChangeAccessCode, person: str, key: str
) -> CommandWithCode:
    """Hash a new code, if one is given, with a new salt, and sign it for its patron, with the next number."""
    property_name, patron = command.property, command.patron
    async with context.pools.commands.connect() as connection:
        number = await codes_given(connection, property_name, patron) + 1
        if isinstance(command, RegisterPatron):
            command = command.beside(await differing_in_case(connection, property_name, patron))
    if command.access_code is None:
        return command
    text = command.access_code.get_secret_value()
    code = await asyncio.to_thread(hash_code, text)
    kept = PatronCode(property_name, patron, number, code.salt, code.hash, None)
    [signed] = signed_rows(context.ledger.seals, patron_codes, [asdict(kept)])
    code = replace(code, number=number, signature=signed["signature"])
    return command.hashed(code, await asyncio.to_thread(fingerprint, text, person, key))
