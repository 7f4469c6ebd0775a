"""Commands on accounts: open, buy in, cash out, adjust."""

from datetime import datetime
from typing import Annotated, Any, ClassVar

from pydantic import Field

from services.wagering_accounts.commands.deciding import (
    COMMANDS,
    AccountName,
    AccountsCommand,
    ChangeOfCents,
    CommandWithCode,
    Number,
    account_path,
    next_movement,
    record,
    require_account,
    require_admitted,
    require_available,
    require_open,
    require_patron,
    wrong_code,
)
from services.wagering_accounts.domain.books import Account, Adjustment, Books, Patron, PatronKey
from services.wagering_accounts.domain.documents import AccountDocument, AdjustmentDocument
from services.wagering_accounts.queries.books import ReadSet
from shared.contracts.accounts import (
    AccountAdjustmentApproved,
    AccountAdjustmentEntered,
    AccountAdjustmentRejected,
    AccountBoughtIn,
    AccountCashedOut,
    AccountMovement,
    AccountOpened,
    Instrument,
)
from shared.contracts.agents import Others, require_agency
from shared.contracts.envelope import Name
from shared.contracts.envelope import Reason as Why
from shared.contracts.moments import Happened
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.rounds import Cents
from shared.journal.entry import Account as Leg
from shared.journal.entry import Posting
from shared.runtime.commands.approval import ACCOUNT_ADJUSTMENT, Approval, Decision
from shared.runtime.commands.command import Accepted, Approving, Now

Reference = Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f]{1,200}$")]


class OpenAccount(AccountsCommand):
    """Open a game account.

    The account is for one session at one table; without a patron it is anonymous.
    """

    account: AccountName
    table: Name
    patron: Name | None = None

    def needs(self) -> ReadSet:
        return ReadSet([Account.key_of(self)], patrons=[] if self.patron is None else [Patron.key_of(self)])


@COMMANDS.handles(OpenAccount)
def _open(command: OpenAccount, books: Books, now: Now) -> Accepted:
    key = Account.key_of(command)
    books.today.at(command.property, now.at).require_table(command.table)
    if key in books.accounts:
        raise Rejected(Reason.ALREADY_DECIDED, f"account {command.account} exists already")
    if command.patron is not None:
        require_admitted(books, require_patron(books, command.property, command.patron))
    recording = record(books, AccountOpened(**vars(command), by=now.by), now)
    account = books.accounts[key]
    return Accepted(recording=recording, answer=AccountDocument.of(account), location=account_path(account))


class _Money(Happened, CommandWithCode):
    account: AccountName
    takes_money: ClassVar[bool] = False
    """True for commands that take money from the account itself, not only from its patron's wallet."""

    instrument: Instrument
    reference: Reference | None = None
    conducted_by: Annotated[
        Name | None, Field(description="the person who moves the money, by reference, if not the account's patron")
    ] = None
    on_behalf_of: Annotated[
        Others | None, Field(description="the patrons for whom the money is moved, by reference, if others")
    ] = None

    def needs(self) -> ReadSet:
        own = [Account.key_of(self)]
        wallet = own if self.instrument == "wallet" else []
        proven = own if self.takes_money else wallet
        return ReadSet(own, wallets_of=wallet, patrons=self.others(), patrons_of=own, proven=proven)

    def others(self) -> list[PatronKey]:
        """Return the keys of the agents and principals of the movement, other than the account's patron."""
        conductor = () if self.conducted_by is None else (self.conducted_by,)
        return [(self.property, one) for one in (*conductor, *(self.on_behalf_of or ()))]


class BuyIn(_Money):
    """Buy in to an account.

    The money comes from cash, chips or a voucher or, with the access code, from the patron's wallet.
    """

    cents: Cents


@COMMANDS.handles(BuyIn)
def _buy_in(command: BuyIn, books: Books, now: Now) -> Accepted:
    account = require_account(books, Account.key_of(command))
    require_open(account)
    at = _moment_of(command, books, account, now)
    patron = books.patron_of(account)
    for one in (patron, *map(books.patrons.get, command.others())):
        require_admitted(books, one)
    if patron is not None and account.kind == "game":
        _require_within_limit(books, patron, command.cents, at)
    if command.instrument == "wallet":
        wallet, owner = _wallet_of(books, account, patron)
        failure = wrong_code(books, owner, command.given_code, now)
        if failure is not None:
            return failure
        require_available(wallet, command.cents, "in the wallet")
    movements, others = _both_sides(command, books, account, patron, command.cents)
    fact = AccountBoughtIn(**_said(command, account, now), by=now.by, movements=movements)
    recording = record(books, fact, now, others, at=at)
    return Accepted(recording=recording, answer=AccountDocument.of(account))


def _moment_of(command: _Money, books: Books, account: Account, now: Now) -> datetime:
    """Return the time of a money movement. Raises: Rejected if it is too long ago, or before the account was opened."""
    at = books.today.moment_of(command.property, command, now.at)
    if command.occurred_at is not None and at < account.opened_at:
        said, opened_at = (books.today.clock_text(command.property, one) for one in (at, account.opened_at))
        opened = f"account {account.account} was opened at {opened_at}"
        raise Rejected(Reason.CONTRADICTS, f"'occurred_at' {said}: {opened}")
    return at


def _said(command: _Money, account: Account, now: Now) -> dict[str, Any]:
    """Return a command's fields for the fact, without the access code and the command's own fields.

    Raises: Rejected if the agents and principals contradict each other.
    """
    said = command.what() | {"patron": _patron_beside_others(command, account)}
    return {name: said[name] for name in said if name in AccountBoughtIn.model_fields} | command.late(now.at)


def _patron_beside_others(command: _Money, account: Account) -> str | None:
    """Return the account's patron if the movement has agents or principals, else None.

    Raises: Rejected if agents or principals are not possible for this movement, or contradict each other.
    """
    if not command.others():
        return None
    if command.instrument == "wallet":
        raise Rejected(Reason.CONTRADICTS, "what is transferred from or to a wallet passes through nobody's hands")
    if account.patron is None:
        detail = (
            f"account {account.account} is for nobody by name: nobody acts for its holder, nor its holder for others"
        )
        raise Rejected(Reason.CONTRADICTS, detail)
    if account.patron in {name for _, name in command.others()}:
        detail = f"account {account.account} is that of {account.patron}: name the others who have a part in it"
        raise Rejected(Reason.CONTRADICTS, detail)
    require_agency(command.conducted_by or account.patron, command.on_behalf_of)
    return account.patron


def _both_sides(
    command: _Money, books: Books, account: Account, patron: Patron | None, cents: int
) -> tuple[tuple[AccountMovement, ...], tuple[Posting, ...]]:
    """Return the movements of `cents` (negative for a payout) on account and wallet, and the contra postings."""
    movements = [next_movement(account, available_cents=cents)] if cents else []
    if command.instrument != "wallet":
        return tuple(movements), (Posting(Leg(command.property, account.table, "", command.instrument), cents),)
    wallet, _ = _wallet_of(books, account, patron)
    if cents:
        movements.append(next_movement(wallet, available_cents=-cents))
    return tuple(movements), ()


def _require_within_limit(books: Books, patron: Patron, cents: int, at: datetime) -> None:
    limit, gaming_day = patron.limit("buy_in_day", at), books.today.at(patron.property, at).gaming_day
    before = patron.bought_in_during(gaming_day)
    if limit is not None and before + cents > limit:
        detail = f"{cents} after {before} on {gaming_day} exceeds the patron's limit of {limit} a gaming day"
        raise Rejected(Reason.LIMIT_EXCEEDED, detail)


def _wallet_of(books: Books, account: Account, patron: Patron | None) -> tuple[Account, Patron]:
    """Return the wallet of a game account's patron, and the patron. Raises: Rejected if there is no wallet."""
    if account.kind == "wallet":
        raise Rejected(Reason.CONTRADICTS, f"account {account.account} is itself a wallet")
    if patron is None:
        raise Rejected(Reason.CONTRADICTS, f"account {account.account} is for nobody by name: it has no wallet")
    return require_account(books, (account.property, patron.wallet)), patron


class CashOut(_Money):
    """Cash out of an account.

    This pays out everything available, or `cents`; amounts on hold or in play stay until their round is over. Cashing
    out a wallet needs the access code, except for an excluded patron. `close` closes a game account.
    """

    takes_money = True

    cents: Cents | None = None
    close: bool = False


@COMMANDS.handles(CashOut)
def _cash_out(command: CashOut, books: Books, now: Now) -> Accepted:
    account = require_account(books, Account.key_of(command))
    at = _moment_of(command, books, account, now)
    patron = books.patron_of(account)
    if account.kind == "wallet":
        assert patron is not None, "a wallet has a patron"
        failure = None if patron.excluded_at is not None else wrong_code(books, patron, command.given_code, now)
        if failure is not None:
            return failure
    cents = account.available_cents if command.cents is None else command.cents
    require_available(account, cents)
    if cents == 0 and not command.close:
        raise Rejected(Reason.INSUFFICIENT_FUNDS, f"nothing is available in account {account.account}")
    if command.close:
        _require_closable(account, cents)
    movements, others = _both_sides(command, books, account, patron, -cents)
    said = _said(command, account, now) | {"cents": cents, "closed": command.close}
    recording = record(books, AccountCashedOut(**said, by=now.by, movements=movements), now, others, at=at)
    return Accepted(recording=recording, answer=AccountDocument.of(account))


def _require_closable(account: Account, cents: int) -> None:
    if account.kind == "wallet":
        raise Rejected(Reason.CONTRADICTS, f"account {account.account} is a wallet: only game accounts are closed")
    left = account.total() - cents
    if left:
        raise Rejected(Reason.TOO_EARLY, f"account {account.account} would keep {left} cents: it cannot be closed yet")
    require_open(account)


# --- adjustments: manual changes of the available amount, which need two people ---


class EnterAdjustment(AccountsCommand):
    """Enter an adjustment.

    The amount is in cents, positive or negative; another person must approve it.
    """

    account: AccountName
    cents: ChangeOfCents
    reason: Why

    def needs(self) -> ReadSet:
        return ReadSet([Account.key_of(self)])


@COMMANDS.handles(EnterAdjustment)
def _enter(command: EnterAdjustment, books: Books, now: Now) -> Accepted:
    account = require_account(books, Account.key_of(command))
    number = account.version + 1
    fact = AccountAdjustmentEntered(**vars(command), adjustment=number, before_cents=account.available_cents, by=now.by)
    recording = record(books, fact, now)
    answer = AdjustmentDocument.of(books.adjustments[Adjustment.key_of(fact)])
    return Accepted(recording=recording, answer=answer, location=f"{account_path(account)}/adjustments/{number}")


class _OfAdjustment(AccountsCommand):
    account: AccountName
    adjustment: Number

    def needs(self) -> ReadSet:
        own = [Account.key_of(self)]
        return ReadSet(own, adjustments=[Adjustment.key_of(self)], proven=own)


def _find(command: _OfAdjustment, books: Books) -> tuple[Account, Adjustment, Approval]:
    """Return the account, the adjustment, and its approval step. Raises: Rejected if one does not exist."""
    account = require_account(books, Account.key_of(command))
    adjustment = books.adjustments.get(Adjustment.key_of(command))
    name = f"adjustment {command.adjustment}"
    if adjustment is None:
        raise Rejected(Reason.NOT_FOUND, f"account {command.account} has no {name}")
    approval = Approval(ACCOUNT_ADJUSTMENT, name, adjustment.entered_by, Decision.of(adjustment.status))
    return account, adjustment, approval


def _shown(command: "ApproveAdjustment", books: Books, now: Now) -> AdjustmentDocument:
    del now
    return AdjustmentDocument.of(_find(command, books)[1])


class ApproveAdjustment(_OfAdjustment, Approving):
    """Approve an adjustment.

    The adjustment takes effect now, and its fact has the available amounts before and after. The person who entered the
    adjustment cannot approve it.
    """


@COMMANDS.handles(ApproveAdjustment, subject=_shown)
def _approve(command: ApproveAdjustment, books: Books, now: Now) -> Accepted:
    account, adjustment, approval = _find(command, books)
    approval.approve(now.by)
    require_available(account, -adjustment.cents)
    fact = AccountAdjustmentApproved(
        **vars(command),
        cents=adjustment.cents,
        before_cents=account.available_cents,
        after_cents=account.available_cents + adjustment.cents,
        reason=adjustment.reason,
        entered_by=adjustment.entered_by,
        by=now.by,
        movements=(next_movement(account, available_cents=adjustment.cents),),
    )
    adjusted = Posting(Leg(command.property, account.table, "", "adjusted"), adjustment.cents)
    recording = record(books, fact, now, (adjusted,))
    return Accepted(recording=recording, answer=AdjustmentDocument.of(adjustment))


class RejectAdjustment(_OfAdjustment):
    """Reject an adjustment.

    The adjustment never takes effect.
    """

    reason: Why


@COMMANDS.handles(RejectAdjustment)
def _reject(command: RejectAdjustment, books: Books, now: Now) -> Accepted:
    _, adjustment, approval = _find(command, books)
    approval.reject()
    fact = AccountAdjustmentRejected(
        **vars(command), cents=adjustment.cents, entered_by=adjustment.entered_by, by=now.by
    )
    recording = record(books, fact, now)
    return Accepted(recording=recording, answer=AdjustmentDocument.of(adjustment))
