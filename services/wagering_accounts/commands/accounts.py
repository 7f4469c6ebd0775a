"""Accounts: opened, bought in, cashed out."""

from typing import Annotated

from pydantic import Field

from services.wagering_accounts.commands.deciding import (
    COMMANDS,
    AccountName,
    AccountsCommand,
    CommandWithCode,
    account_path,
    gaming_day_at,
    next_movement,
    record,
    require_account,
    require_admitted,
    require_open,
    require_patron,
    wrong_code,
)
from services.wagering_accounts.domain.books import Account, Books, Patron
from services.wagering_accounts.domain.documents import AccountDocument
from services.wagering_accounts.queries.books import Needs
from shared.contracts.accounts import AccountBoughtIn, AccountCashedOut, AccountMovement, AccountOpened, Instrument
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.tables import Cents
from shared.journal.entry import Account as Leg
from shared.journal.entry import Posting
from shared.runtime.command.command import Accepted, Now

Reference = Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f]{1,200}$")]


class OpenAccount(AccountsCommand):
    """Open a game account.

    For one session at one table; without a patron it is for nobody by name.
    """

    account: AccountName
    table: Name
    patron: Name | None = None

    def needs(self) -> Needs:
        """Return the account, and its patron to be."""
        patrons = () if self.patron is None else ((self.property, self.patron),)
        return Needs(accounts=((self.property, self.account),), patrons=patrons)


@COMMANDS.handles(OpenAccount)
def open_account(command: OpenAccount, books: Books, now: Now) -> Accepted:
    """Open a game account for a session at a table."""
    key = (command.property, command.account)
    if key in books.accounts:
        raise Rejected(Reason.ALREADY_DECIDED, f"account {command.account} exists already")
    if command.patron is not None:
        require_admitted(require_patron(books, command.property, command.patron))
    recording = record(books, AccountOpened(**dict(command), by=now.by), now)
    return Accepted(recording=recording, answer=AccountDocument.of(books.accounts[key]), location=account_path(key))


class _Money(CommandWithCode):
    account: AccountName
    instrument: Instrument
    reference: Reference | None = None

    def needs(self) -> Needs:
        """Return the account with its patron, and the patron's wallet where money comes from it or goes there."""
        key = (self.property, self.account)
        wallet = (key,) if self.instrument == "wallet" else ()
        return Needs(accounts=(key,), wallets_of=wallet, patrons_of=(key,))


class BuyIn(_Money):
    """Buy in.

    With cash, chips or a voucher; or, with the access code, from the patron's wallet.
    """

    cents: Cents


@COMMANDS.handles(BuyIn)
def buy_in(command: BuyIn, books: Books, now: Now) -> Accepted:
    """Bring money to an account."""
    account = require_account(books, (command.property, command.account))
    require_open(account)
    patron = books.patron_of(account)
    require_admitted(patron)
    if patron is not None and account.kind == "game":
        _require_within_limit(patron, command.cents, now)
    if command.instrument == "wallet":
        wallet, owner = _wallet_of(books, account, patron)
        failure = wrong_code(books, owner, command.code, now)
        if failure is not None:
            return failure
        if command.cents > wallet.available_cents:
            raise Rejected(
                Reason.INSUFFICIENT_FUNDS,
                f"{command.cents} exceeds the {wallet.available_cents} cents in the wallet",
            )
    movements, others = _both_sides(command, books, account, patron, command.cents)
    said = command.model_dump(exclude={"access_code"})
    recording = record(books, AccountBoughtIn(**said, by=now.by, movements=movements), now, others)
    return Accepted(recording=recording, answer=AccountDocument.of(account))


def _both_sides(
    command: _Money, books: Books, account: Account, patron: Patron | None, cents: int
) -> tuple[tuple[AccountMovement, ...], tuple[Posting, ...]]:
    """Return what cents (negative: paid out) move on the account and the patron's wallet, and the postings beside."""
    movements = [next_movement(account, available_cents=cents)] if cents else []
    if command.instrument != "wallet":
        return tuple(movements), (Posting(Leg(command.property, account.table, "", command.instrument), cents),)
    wallet, _ = _wallet_of(books, account, patron)
    if cents:
        movements.append(next_movement(wallet, available_cents=-cents))
    return tuple(movements), ()


def _require_within_limit(patron: Patron, cents: int, now: Now) -> None:
    limit, gaming_day = patron.limit("buy_in_day", now.at), gaming_day_at(now.at)
    before = patron.bought_in_during(gaming_day)
    if limit is not None and before + cents > limit:
        raise Rejected(
            Reason.LIMIT_EXCEEDED,
            f"{cents} after {before} on {gaming_day} exceeds the patron's limit of {limit} a gaming day",
        )


def _wallet_of(books: Books, account: Account, patron: Patron | None) -> tuple[Account, Patron]:
    """Return the wallet behind a game account, and whose it is. Raises: Rejected where there is none."""
    if account.kind == "wallet":
        raise Rejected(Reason.CONTRADICTS, f"account {account.account} is itself a wallet")
    if patron is None:
        raise Rejected(Reason.CONTRADICTS, f"account {account.account} is for nobody by name: it has no wallet")
    return require_account(books, (account.property, patron.wallet)), patron


class CashOut(_Money):
    """Cash out.

    All that is available, unless `cents` says how much; what is on hold or in play stays until its round is over. Out
    of a wallet it takes the access code; an excluded patron is paid out without it. `close` closes a game account.
    """

    cents: Cents | None = None
    close: bool = False


@COMMANDS.handles(CashOut)
def cash_out(command: CashOut, books: Books, now: Now) -> Accepted:
    """Pay out of an account."""
    account = require_account(books, (command.property, command.account))
    patron = books.patron_of(account)
    if account.kind == "wallet":
        assert patron is not None, "a wallet has a patron"
        failure = None if patron.excluded_at is not None else wrong_code(books, patron, command.code, now)
        if failure is not None:
            return failure
    cents = account.available_cents if command.cents is None else command.cents
    if cents > account.available_cents:
        raise Rejected(
            Reason.INSUFFICIENT_FUNDS,
            f"{cents} exceeds the {account.available_cents} cents that are available",
        )
    if cents == 0 and not command.close:
        raise Rejected(Reason.INSUFFICIENT_FUNDS, f"nothing is available in account {account.account}")
    if command.close:
        _require_closable(account, cents)
    movements, others = _both_sides(command, books, account, patron, -cents)
    said = command.model_dump(exclude={"access_code", "close"}) | {"cents": cents, "closed": command.close}
    recording = record(books, AccountCashedOut(**said, by=now.by, movements=movements), now, others)
    return Accepted(recording=recording, answer=AccountDocument.of(account))


def _require_closable(account: Account, cents: int) -> None:
    if account.kind == "wallet":
        raise Rejected(Reason.CONTRADICTS, f"account {account.account} is a wallet: only game accounts are closed")
    left = account.available_cents + account.held_cents + account.staked_cents - cents
    if left:
        raise Rejected(Reason.TOO_EARLY, f"account {account.account} would keep {left} cents: it cannot be closed yet")
    require_open(account)
