"""Promotional money: granted by the house, moved between a patron's wallet and table, written off when it expires.

It may be wagered, and is never paid out. What it wins is other money.
"""

from services.wagering_accounts.commands.deciding import (
    COMMANDS,
    AccountName,
    AccountsCommand,
    ChangeOfCents,
    next_movement,
    record,
    require_account,
    require_admitted,
    require_open,
)
from services.wagering_accounts.domain.books import Account, Books
from services.wagering_accounts.domain.documents import AccountDocument
from services.wagering_accounts.queries.books import Needs
from shared.contracts.accounts import PromotionGranted, PromotionMoved, PromotionWrittenOff
from shared.contracts.envelope import Reason as Why
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.rounds import Cents
from shared.journal.entry import Account as Leg
from shared.journal.entry import Posting
from shared.runtime.command.command import Accepted, Now


class _OfPromotion(AccountsCommand):
    account: AccountName
    cents: Cents
    reason: Why

    def needs(self) -> Needs:
        return Needs([Account.key_of(self)])


class GrantPromotion(_OfPromotion):
    """Grant promotional money.

    To a wallet or a game account.
    """


@COMMANDS.handles(GrantPromotion)
def _grant(command: GrantPromotion, books: Books, now: Now) -> Accepted:
    account = require_account(books, Account.key_of(command))
    require_open(account)
    require_admitted(books.patron_of(account))
    movement = next_movement(account, promotional_cents=command.cents)
    fact = PromotionGranted(**vars(command), by=now.by, movements=(movement,))
    recording = record(books, fact, now, (_promotions(account, command.cents),))
    return Accepted(recording=recording, answer=AccountDocument.of(account))


class WriteOffPromotion(_OfPromotion):
    """Write promotional money off.

    It has expired, or was granted by mistake. What is on hold or in play stays until its round is over.
    """


@COMMANDS.handles(WriteOffPromotion)
def _write_off(command: WriteOffPromotion, books: Books, now: Now) -> Accepted:
    account = require_account(books, Account.key_of(command))
    _require_promotional(account, command.cents)
    movement = next_movement(account, promotional_cents=-command.cents)
    fact = PromotionWrittenOff(**vars(command), by=now.by, movements=(movement,))
    recording = record(books, fact, now, (_promotions(account, -command.cents),))
    return Accepted(recording=recording, answer=AccountDocument.of(account))


class MovePromotion(AccountsCommand):
    """Move promotional money between a game account and the wallet of its patron.

    To the game account; below zero, back to the wallet.
    """

    account: AccountName
    cents: ChangeOfCents
    reason: Why

    def needs(self) -> Needs:
        own = [Account.key_of(self)]
        return Needs(own, wallets_of=own)


@COMMANDS.handles(MovePromotion)
def _move(command: MovePromotion, books: Books, now: Now) -> Accepted:
    account = require_account(books, Account.key_of(command))
    patron = books.patron_of(account)
    if account.kind == "wallet" or patron is None:
        raise Rejected(Reason.CONTRADICTS, f"account {account.account} is not a game account of a patron with a wallet")
    if command.cents > 0:
        require_open(account)
        require_admitted(patron)
    wallet = require_account(books, (account.property, patron.wallet))
    _require_promotional(wallet if command.cents > 0 else account, abs(command.cents))
    movements = (
        next_movement(account, promotional_cents=command.cents),
        next_movement(wallet, promotional_cents=-command.cents),
    )
    recording = record(books, PromotionMoved(**vars(command), by=now.by, movements=movements), now)
    return Accepted(recording=recording, answer=AccountDocument.of(account))


def _promotions(account: Account, cents: int) -> Posting:
    """Return the other side of what the house gives to an account."""
    return Posting(Leg(account.property, account.table, "", "promotions"), cents)


def _require_promotional(account: Account, cents: int) -> None:
    """Raise Rejected where an account has less promotional money than is to be taken from it."""
    if cents > account.promotional_cents:
        has = f"the {account.promotional_cents} cents of promotional money that account {account.account} has available"
        raise Rejected(Reason.INSUFFICIENT_FUNDS, f"{cents} exceeds {has}")
