"""Adjustments: what is available is changed by hand, which takes two people."""

from typing import Annotated

from pydantic import AfterValidator, Field

from services.wagering_accounts.commands.deciding import (
    COMMANDS,
    AccountName,
    AccountsCommand,
    Number,
    account_path,
    next_movement,
    record,
    require_account,
)
from services.wagering_accounts.domain.books import Account, Adjustment, Books
from services.wagering_accounts.domain.documents import AdjustmentDocument
from services.wagering_accounts.queries.books import Needs
from shared.contracts.accounts import AdjustmentApproved, AdjustmentEntered, AdjustmentRejected
from shared.contracts.envelope import Reason as Why
from shared.contracts.rejection import Reason, Rejected
from shared.journal.entry import Account as Leg
from shared.journal.entry import Posting
from shared.runtime.command.approval import ACCOUNT_ADJUSTMENT, Approval, Decision
from shared.runtime.command.command import Accepted, Now


def _something(cents: int) -> int:
    if cents == 0:
        raise ValueError("0 changes nothing; say by how much")
    return cents


class EnterAdjustment(AccountsCommand):
    """Enter an adjustment.

    In cents, up or down; somebody else approves it before it counts.
    """

    account: AccountName
    cents: Annotated[int, Field(strict=True, ge=-(10**12), le=10**12), AfterValidator(_something)]
    reason: Why

    def needs(self) -> Needs:
        """Return the account."""
        return Needs(accounts=((self.property, self.account),))


@COMMANDS.handles(EnterAdjustment)
def enter(command: EnterAdjustment, books: Books, now: Now) -> Accepted:
    """Enter a change of what is available, for somebody else to approve."""
    account = require_account(books, (command.property, command.account))
    number = account.version + 1
    fact = AdjustmentEntered(**dict(command), adjustment=number, before_cents=account.available_cents, by=now.by)
    recording = record(books, fact, now)
    adjustment = books.adjustments[*account.key(), number]
    return Accepted(
        recording=recording,
        answer=AdjustmentDocument.of(adjustment),
        location=f"{account_path(account.key())}/adjustments/{number}",
    )


class _OfAdjustment(AccountsCommand):
    account: AccountName
    adjustment: Number

    def needs(self) -> Needs:
        """Return the account and the adjustment."""
        key = (self.property, self.account)
        return Needs(accounts=(key,), adjustments=((*key, self.adjustment),))


def _find(command: _OfAdjustment, books: Books) -> tuple[Account, Adjustment, Approval]:
    """Return the adjustment, its account, and where its approval stands. Raises: Rejected where there is none."""
    account = require_account(books, (command.property, command.account))
    adjustment = books.adjustments.get((*account.key(), command.adjustment))
    if adjustment is None:
        raise Rejected(Reason.NOT_FOUND, f"account {command.account} has no adjustment {command.adjustment}")
    decision = Decision.ASKED if adjustment.status == "entered" else Decision(adjustment.status)
    name = f"adjustment {command.adjustment}"
    return account, adjustment, Approval(ACCOUNT_ADJUSTMENT, name, adjustment.entered_by, decision)


class ApproveAdjustment(_OfAdjustment):
    """Approve an adjustment.

    It counts from now on, with what was available before and after. Whoever entered it cannot approve it.
    """


@COMMANDS.handles(ApproveAdjustment)
def approve(command: ApproveAdjustment, books: Books, now: Now) -> Accepted:
    """Let an adjustment count."""
    account, adjustment, approval = _find(command, books)
    approval.approve(now.by)
    before, after = account.available_cents, account.available_cents + adjustment.cents
    if after < 0:
        raise Rejected(
            Reason.INSUFFICIENT_FUNDS,
            f"adjustment {adjustment.cents} exceeds the {before} cents that are available",
        )
    fact = AdjustmentApproved(
        **dict(command),
        cents=adjustment.cents,
        before_cents=before,
        after_cents=after,
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

    It never counts.
    """

    reason: Why


@COMMANDS.handles(RejectAdjustment)
def reject(command: RejectAdjustment, books: Books, now: Now) -> Accepted:
    """Turn an adjustment down."""
    _, adjustment, approval = _find(command, books)
    approval.reject()
    fact = AdjustmentRejected(**dict(command), cents=adjustment.cents, entered_by=adjustment.entered_by, by=now.by)
    recording = record(books, fact, now)
    return Accepted(recording=recording, answer=AdjustmentDocument.of(adjustment))
