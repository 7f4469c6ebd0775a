"""Adjustments of a closed gaming day: entered by one person, approved or rejected by another."""

from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.commands.days import AboutDay
from services.table_inventory.domain.accounts import TableAccounts
from services.table_inventory.domain.days import Adjustment, Day
from services.table_inventory.queries.days import read_adjustments, read_day, was_counted
from shared.contracts.envelope import Name, Reason
from shared.contracts.inventory import (
    AdjustmentApproved,
    AdjustmentEntered,
    AdjustmentRejected,
    Figure,
    Number,
    SignedCents,
)
from shared.contracts.rejection import Reason as Why
from shared.contracts.rejection import Rejected
from shared.contracts.reports import ReportStatus
from shared.journal.recording import Recording
from shared.runtime.command.approval import DAY_ADJUSTMENT, Approval, Decision
from shared.runtime.command.command import Accepted, Commands, Now

COMMANDS: Final = Commands()

_DECISIONS: Final = {
    "entered": Decision.ASKED,
    "approved": Decision.APPROVED,
    "rejected": Decision.REJECTED,
}


class EnterAdjustment(AboutDay):
    """Enter an adjustment.

    A figure of § 601a.9 must be other than it was recorded, by `cents` (positive: higher); somebody else approves it.
    """

    table: Name
    shift: Name
    figure: Figure
    cents: SignedCents
    reason: Reason


async def _entering(connection: AsyncConnection, command: EnterAdjustment) -> tuple[Day, int]:
    """Return the gaming day, and the last number of its adjustments. Raises: Rejected where there is no such table."""
    if not await was_counted(connection, command.property, command.table):
        raise Rejected(Why.NOT_FOUND, f"table {command.table} of {command.property} was never counted")
    entered = await read_adjustments(connection, command.key())
    return await read_day(connection, command.key()), len(entered)


@COMMANDS.handles(EnterAdjustment, load=_entering)
def enter(command: EnterAdjustment, state: tuple[Day, int], now: Now) -> Accepted:
    """Propose an adjustment of a closed day."""
    day, last = state
    if day.status is ReportStatus.OPEN:
        detail = f"{command.gaming_day} is open: what happened is recorded by who saw it"
        raise Rejected(Why.TOO_EARLY, detail)
    if command.cents == 0:
        raise Rejected(Why.NOT_ALLOWED, "an adjustment of nothing adjusts nothing")
    fact = AdjustmentEntered(
        **dict(command),
        adjustment=last + 1,
        day_status=day.status,
        entered_by=now.by,
        entered_at=now.at,
    )
    return Accepted(recording=Recording(fact=fact), answer=Adjustment(**dict(fact)))


class ApproveAdjustment(AboutDay):
    """Approve an adjustment.

    It becomes an adjusting entry, dated now.
    """

    adjustment: Number


class RejectAdjustment(ApproveAdjustment):
    """Reject an adjustment.

    Nothing changes.
    """

    reason: Reason


async def _adjustment(connection: AsyncConnection, command: ApproveAdjustment) -> Adjustment:
    """Return an adjustment. Raises: Rejected where there is none."""
    for found in await read_adjustments(connection, command.key()):
        if found.adjustment == command.adjustment:
            return found
    place = f"{command.gaming_day} at {command.property}"
    raise Rejected(Why.NOT_FOUND, f"there is no adjustment {command.adjustment} of {place}")


def _approval(entered: Adjustment) -> Approval:
    name = f"adjustment {entered.adjustment}"
    return Approval(DAY_ADJUSTMENT, name, entered.entered_by, _DECISIONS[entered.status])


@COMMANDS.handles(ApproveAdjustment, load=_adjustment)
def approve(command: ApproveAdjustment, entered: Adjustment, now: Now) -> Accepted:
    """Approve an adjustment, and post it."""
    _approval(entered).approve(now.by)
    fact = AdjustmentApproved(**entered.entered, approved_by=now.by, approved_at=now.at)
    postings = TableAccounts(command.property, entered.table).adjusted(entered.figure, entered.cents)
    answer = Adjustment(**dict(fact), status="approved")
    return Accepted(recording=Recording(fact=fact, postings=postings), answer=answer)


@COMMANDS.handles(RejectAdjustment, load=_adjustment)
def reject(command: RejectAdjustment, entered: Adjustment, now: Now) -> Accepted:
    """Turn an adjustment down."""
    _approval(entered).reject()
    fact = AdjustmentRejected(
        **entered.entered, rejected_by=now.by, rejected_at=now.at, rejection_reason=command.reason
    )
    return Accepted(recording=Recording(fact=fact), answer=Adjustment(**dict(fact), status="rejected"))
