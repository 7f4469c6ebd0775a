"""Contests: one person enters fees and prizes when a contest has ended, another approves them."""

from datetime import date
from typing import Annotated, Final, NamedTuple

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.contests import ContestDocument, money
from services.table_inventory.queries.contests import revisions_of
from services.table_inventory.queries.places import find_place
from services.table_inventory.tables import contests
from shared.contracts.contests import (
    ContestApproved,
    ContestEntered,
    ContestRejected,
    ContestResult,
    ContestTotals,
)
from shared.contracts.envelope import Name
from shared.contracts.envelope import Reason as Text
from shared.contracts.inventory import Number
from shared.contracts.places import Place
from shared.contracts.rejection import Reason, Rejected
from shared.journal.recording import Recording
from shared.runtime.command.approval import CONTEST, Approval, Decision
from shared.runtime.command.command import Accepted, Command, Commands, Now
from shared.runtime.rows import find_row, thing_of

COMMANDS: Final = Commands()


class EnterContest(ContestResult, Command):
    """Enter the result of a contest.

    On the gaming day on which it ended. Entered again, it takes the place of what was approved before, and says why;
    somebody else approves it.
    """

    property: Name
    gaming_day: date
    reason: Annotated[Text, Field(description="what it is a result of; of a later revision, why it is another")]


class Entering(NamedTuple):
    """A property on a gaming day, and the revisions of a contest that ended on it, the last one first."""

    place: Place
    revisions: list[ContestDocument]


async def _entering(connection: AsyncConnection, command: EnterContest) -> Entering:
    place = await find_place(connection, command.property, command.gaming_day)
    return Entering(place, await revisions_of(connection, command.property, command.gaming_day, command.contest))


@COMMANDS.handles(EnterContest, load=_entering)
def enter(command: EnterContest, state: Entering, now: Now) -> Accepted:
    """Propose a result, under the next number of its revisions."""
    place, revisions = state
    name = f"contest {command.contest} of {command.gaming_day}"
    if "contest" not in place.law.classes:
        detail = f"{place.law.id} says nothing of the revenue of contests: add the class to the pack"
        raise Rejected(Reason.NOT_ALLOWED, detail)
    if command.gaming_day > place.gaming_day(now.at):
        raise Rejected(Reason.TOO_EARLY, f"{name} has not ended: that gaming day has not come yet")
    if revisions and revisions[0].status == "entered":
        raise Rejected(Reason.CONTRADICTS, f"revision {revisions[0].revision} of {name} waits for a decision")
    approved = next((one for one in revisions if one.status == "approved"), None)
    if approved is None:
        before = None
    else:
        before = ContestTotals(fees_cents=approved.fees_cents, prizes_cents=approved.prizes_cents)
    number = revisions[0].revision + 1 if revisions else 1
    entered = {"revision": number, "before": before, "entered_by": now.by, "entered_at": now.at}
    fact = ContestEntered(**dict(command), **entered)
    return Accepted(recording=Recording(fact=fact), answer=ContestDocument(**dict(fact)))


class ApproveContest(Command):
    """Approve the result of a contest.

    It is posted, and its revenue is of the gaming day on which the contest ended.
    """

    property: Name
    gaming_day: date
    contest: Name
    revision: Number


class RejectContest(ApproveContest):
    """Reject the result of a contest.

    Nothing changes.
    """

    reason: Text


_Entered = tuple[ContestEntered, Approval]
"""A result, and where it stands."""


async def _entered(connection: AsyncConnection, command: ApproveContest) -> _Entered:
    """Return a result. Raises: Rejected where there is none."""
    name = f"revision {command.revision} of contest {command.contest} of {command.gaming_day}"
    key = {name: getattr(command, name) for name in ApproveContest.model_fields}
    row = await find_row(connection, contests, f"there is no {name} at {command.property}", **key)
    return thing_of(ContestEntered, row), Approval(CONTEST, name, row.entered_by, Decision.of(row.status))


@COMMANDS.handles(ApproveContest, load=_entered)
def approve(command: ApproveContest, state: _Entered, now: Now) -> Accepted:
    """Approve a result, and post it."""
    del command
    entered, approval = state
    approval.approve(now.by)
    fact = ContestApproved(**dict(entered), approved_by=now.by, approved_at=now.at)
    answer = ContestDocument(**dict(fact), status="approved")
    return Accepted(recording=Recording(fact=fact, postings=money(fact)), answer=answer)


@COMMANDS.handles(RejectContest, load=_entered)
def reject(command: RejectContest, state: _Entered, now: Now) -> Accepted:
    """Turn a result down."""
    entered, approval = state
    approval.reject()
    fact = ContestRejected(**dict(entered), rejected_by=now.by, rejected_at=now.at, rejection_reason=command.reason)
    return Accepted(recording=Recording(fact=fact), answer=ContestDocument(**dict(fact), status="rejected"))
