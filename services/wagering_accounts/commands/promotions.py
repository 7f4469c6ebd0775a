"""Commands on promotional money: granted by the house, moved between wallet and table, written off on expiry.

Promotional money can be wagered but never paid out. Winnings from it are ordinary money.
"""

from datetime import date
from typing import Annotated, Any

from pydantic import Field

from services.wagering_accounts.commands.deciding import (
    COMMANDS,
    AccountName,
    AccountsCommand,
    ChangeOfCents,
    Number,
    account_path,
    next_movement,
    record,
    require_account,
    require_admitted,
    require_open,
)
from services.wagering_accounts.domain.books import Account, Books, Promotion
from services.wagering_accounts.domain.documents import AccountDocument, PromotionDocument
from services.wagering_accounts.queries.books import ReadSet
from shared.contracts.accounts import (
    PromotionEntered,
    PromotionExpired,
    PromotionGranted,
    PromotionMoved,
    PromotionRejected,
    PromotionWrittenOff,
)
from shared.contracts.envelope import Name
from shared.contracts.envelope import Reason as Why
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.rounds import Cents
from shared.journal.entry import Account as Leg
from shared.journal.entry import Posting
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.approval import PROMOTION, Approval, Decision
from shared.runtime.commands.command import Accepted, Approving, Now


class _OfPromotion(AccountsCommand):
    account: AccountName
    cents: Cents
    reason: Why

    def needs(self) -> ReadSet:
        return ReadSet([Account.key_of(self)])


class _Grant(_OfPromotion):
    expires_on: Annotated[date | None, Field(description="the gaming day on which its remainder expires")] = None


class GrantPromotion(_Grant):
    """Grant promotional money.

    The grant goes to a wallet or a game account, up to the property's limit; larger grants need two people.
    """


@COMMANDS.handles(GrantPromotion)
def _grant(command: GrantPromotion, books: Books, now: Now) -> Accepted:
    account = _require_grantable(command, books, now)
    limit_cents = books.today.at(command.property, now.at).place.document.promotional_grant_cents_max
    if limit_cents is not None and command.cents > limit_cents:
        above = f"{command.cents} exceeds the {limit_cents} cents that one person grants at {command.property}"
        raise Rejected(Reason.LIMIT_EXCEEDED, f"{above}: enter the grant, and let somebody else approve it")
    recording = _given(books, account, command, now, promotion=account.version + 1)
    return Accepted(recording=recording, answer=AccountDocument.of(account))


class EnterPromotion(_Grant):
    """Enter a grant of promotional money.

    The amount is unlimited; another person must approve it.
    """


@COMMANDS.handles(EnterPromotion)
def _enter(command: EnterPromotion, books: Books, now: Now) -> Accepted:
    account = _require_grantable(command, books, now)
    number = account.version + 1
    recording = record(books, PromotionEntered(**vars(command), promotion=number, by=now.by), now)
    answer = PromotionDocument.of(books.promotions[*Account.key_of(command), number])
    return Accepted(recording=recording, answer=answer, location=f"{account_path(account)}/promotions/{number}")


class _OfEntered(AccountsCommand):
    account: AccountName
    promotion: Number

    def needs(self) -> ReadSet:
        return ReadSet([Account.key_of(self)], promotions=[Promotion.key_of(self)])


def _shown(command: "ApprovePromotion", books: Books, now: Now) -> PromotionDocument:
    del now
    return PromotionDocument.of(_entered(command, books)[0])


class ApprovePromotion(_OfEntered, Approving):
    """Approve a grant of promotional money.

    The grant takes effect now. The person who entered the grant cannot approve it.
    """


@COMMANDS.handles(ApprovePromotion, subject=_shown)
def _approve(command: ApprovePromotion, books: Books, now: Now) -> Accepted:
    promotion, approval = _entered(command, books)
    approval.approve(now.by)
    account = _require_grantable(promotion, books, now)
    of_grant = {"promotion": promotion.promotion, "entered_by": promotion.entered_by}
    recording = _given(books, account, promotion, now, **of_grant)
    return Accepted(recording=recording, answer=PromotionDocument.of(promotion))


class RejectPromotion(_OfEntered):
    """Reject a grant of promotional money.

    The grant never takes effect.
    """

    reason: Why


@COMMANDS.handles(RejectPromotion)
def _reject(command: RejectPromotion, books: Books, now: Now) -> Accepted:
    promotion, approval = _entered(command, books)
    approval.reject()
    said = {"cents": promotion.cents, "expires_on": promotion.expires_on, "entered_by": promotion.entered_by}
    recording = record(books, PromotionRejected(**vars(command), **said, by=now.by), now)
    return Accepted(recording=recording, answer=PromotionDocument.of(promotion))


def _entered(command: _OfEntered, books: Books) -> tuple[Promotion, Approval]:
    """Return a grant and its approval. Raises: Rejected if it does not exist."""
    require_account(books, Account.key_of(command))
    promotion, name = books.promotions.get(Promotion.key_of(command)), f"promotion {command.promotion}"
    if promotion is None:
        raise Rejected(Reason.NOT_FOUND, f"account {command.account} has no {name}")
    decision = Decision.APPROVED if promotion.status == "granted" else Decision.of(promotion.status)
    return promotion, Approval(PROMOTION, name, promotion.entered_by, decision)


def _require_grantable(grant: _Grant | Promotion, books: Books, now: Now) -> Account:
    """Return the account. Raises: Rejected if it cannot receive a grant, or the grant has expired."""
    account = require_account(books, Account.key_of(grant))
    require_open(account)
    require_admitted(books, books.patron_of(account))
    today = books.today.at(account.property, now.at).gaming_day
    if grant.expires_on is not None and grant.expires_on <= today:
        raise Rejected(Reason.TOO_LATE, f"it would expire on {grant.expires_on}, and the gaming day is {today}")
    return account


def _given(books: Books, account: Account, grant: _Grant | Promotion, now: Now, **more: Any) -> FactWithPostings:
    """Return the fact that grants promotional money to an account, with its postings."""
    said = {name: getattr(grant, name) for name in ("property", "account", "cents", "reason", "expires_on")}
    movement = next_movement(account, promotional_cents=grant.cents)
    fact = PromotionGranted(**said, **more, by=now.by, movements=(movement,))
    return record(books, fact, now, (_promotions(account, grant.cents),))


class WriteOffPromotion(_OfPromotion):
    """Write promotional money off.

    Use this for a mistaken or withdrawn grant. Amounts on hold or in play stay until their round is over.
    """


@COMMANDS.handles(WriteOffPromotion)
def _write_off(command: WriteOffPromotion, books: Books, now: Now) -> Accepted:
    return _taken_off(PromotionWrittenOff, command, command.reason, books, now)


class ExpirePromotion(AccountsCommand):
    """Write off promotional money that has expired by a gaming day; the service itself issues the command.

    `known` has the versions of the pool's accounts from which the expired amount was computed.
    """

    account: AccountName
    cents: Cents
    gaming_day: date
    known: tuple[tuple[Name, int], ...]

    def needs(self) -> ReadSet:
        return ReadSet([(self.property, account) for account, _ in self.known])


@COMMANDS.handles(ExpirePromotion)
def _expire(command: ExpirePromotion, books: Books, now: Now) -> Accepted:
    for name, version in command.known:
        if require_account(books, (command.property, name)).version != version:
            raise Rejected(Reason.CONTRADICTS, f"account {name} has changed meanwhile: what is due is worked out again")
    return _taken_off(PromotionExpired, command, f"expired by gaming day {command.gaming_day}", books, now)


def _taken_off(
    kind: type[PromotionWrittenOff | PromotionExpired],
    command: WriteOffPromotion | ExpirePromotion,
    why: str,
    books: Books,
    now: Now,
) -> Accepted:
    account = require_account(books, Account.key_of(command))
    _require_promotional(account, command.cents)
    movement = next_movement(account, promotional_cents=-command.cents)
    said = {name: getattr(command, name) for name in ("property", "account", "cents")}
    fact = kind(**said, reason=why, by=now.by, movements=(movement,))
    recording = record(books, fact, now, (_promotions(account, -command.cents),))
    return Accepted(recording=recording, answer=AccountDocument.of(account))


class MovePromotion(AccountsCommand):
    """Move promotional money between a game account and its patron's wallet.

    Positive amounts move to the game account, negative ones back to the wallet.
    """

    account: AccountName
    cents: ChangeOfCents
    reason: Why

    def needs(self) -> ReadSet:
        own = [Account.key_of(self)]
        return ReadSet(own, wallets_of=own)


@COMMANDS.handles(MovePromotion)
def _move(command: MovePromotion, books: Books, now: Now) -> Accepted:
    account = require_account(books, Account.key_of(command))
    patron = books.patron_of(account)
    if account.kind == "wallet" or patron is None:
        raise Rejected(Reason.CONTRADICTS, f"account {account.account} is not a game account of a patron with a wallet")
    if command.cents > 0:
        require_open(account)
        require_admitted(books, patron)
    wallet = require_account(books, (account.property, patron.wallet))
    _require_promotional(wallet if command.cents > 0 else account, abs(command.cents))
    movements = (
        next_movement(account, promotional_cents=command.cents),
        next_movement(wallet, promotional_cents=-command.cents),
    )
    recording = record(books, PromotionMoved(**vars(command), by=now.by, movements=movements), now)
    return Accepted(recording=recording, answer=AccountDocument.of(account))


def _promotions(account: Account, cents: int) -> Posting:
    """Return the contra posting of promotional money given to an account by the house."""
    return Posting(Leg(account.property, account.table, "", "promotions"), cents)


def _require_promotional(account: Account, cents: int) -> None:
    """Raise Rejected if an account has less promotional money than the amount to be taken."""
    if cents > account.promotional_cents:
        has = f"the {account.promotional_cents} cents of promotional money that account {account.account} has available"
        raise Rejected(Reason.INSUFFICIENT_FUNDS, f"{cents} exceeds {has}")
