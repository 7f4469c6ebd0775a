"""Commands about contests: one person enters fees and prizes after the end, another approves them."""

from datetime import date
from typing import Annotated, Final, NamedTuple

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.commands.entered import EnteredKind
from services.table_inventory.domain.contests import ContestDocument, money
from services.table_inventory.domain.entered import next_revision
from services.table_inventory.queries.contests import find_contest, revisions_of
from services.table_inventory.queries.places import find_place
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
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.approval import CONTEST
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now, as_loaded

COMMANDS: Final = Commands()


class EnterContest(ContestResult, Command):
    """Enter the result of a contest.

    The result belongs to the gaming day on which the contest ended. A further entry, with a reason, replaces the
    approved result. Another person must approve each entry.
    """

    property: Name
    gaming_day: date
    reason: Annotated[Text, Field(description="the source of the result; for a later revision, why it differs")]


class Entering(NamedTuple):
    """A property as of a gaming day, and the revisions of a contest that ended on that day, latest first."""

    place: PropertySnapshot
    revisions: list[ContestDocument]


async def _entering(connection: AsyncConnection, command: EnterContest) -> Entering:
    place = await find_place(connection, command.property, command.gaming_day)
    return Entering(place, await revisions_of(connection, command.property, command.gaming_day, command.contest))


@COMMANDS.handles(EnterContest, load=_entering)
def enter(command: EnterContest, state: Entering, now: Now) -> Accepted:
    """Enter a result as the next revision."""
    place, revisions = state
    name = f"contest {command.contest} of {command.gaming_day}"
    if "contest" not in place.law.classes:
        detail = f"{place.law.id} says nothing of the revenue of contests: add the class to the pack"
        raise Rejected(Reason.NOT_ALLOWED, detail)
    if command.gaming_day > place.gaming_day(now.at):
        raise Rejected(Reason.TOO_EARLY, f"{name} has not ended: that gaming day has not come yet")
    number = next_revision(revisions)
    approved = next((one for one in revisions if one.status == "approved"), None)
    if approved is None:
        before = None
    else:
        before = ContestTotals(fees_cents=approved.fees_cents, prizes_cents=approved.prizes_cents)
    entered = {"revision": number, "before": before, "entered_by": now.by, "entered_at": now.at}
    fact = ContestEntered(**dict(command), **entered)
    return Accepted(recording=FactWithPostings(fact=fact), answer=ContestDocument(**dict(fact)))


class _OfContest(Command):
    property: Name
    gaming_day: date
    contest: Name
    revision: Number


class ApproveContest(_OfContest, Approving):
    """Approve the result of a contest.

    The result is posted. Its revenue belongs to the gaming day on which the contest ended.
    """


class RejectContest(_OfContest):
    """Reject the result of a contest.

    Nothing is posted.
    """

    reason: Text


async def _entered(connection: AsyncConnection, command: _OfContest) -> ContestDocument:
    """Return a revision of a result. Raises: Rejected if it does not exist."""
    return await find_contest(connection, command.property, command.gaming_day, command.contest, command.revision)


_CONTESTS: Final = EnteredKind(CONTEST, ContestEntered, ContestApproved, ContestRejected)


@COMMANDS.handles(ApproveContest, load=_entered, subject=as_loaded)
def approve(command: ApproveContest, entered: ContestDocument, now: Now) -> Accepted:
    """Approve a result, and post it."""
    del command
    return _CONTESTS.approve(entered, now, money(entered))


@COMMANDS.handles(RejectContest, load=_entered)
def reject(command: RejectContest, entered: ContestDocument, now: Now) -> Accepted:
    """Reject a result."""
    return _CONTESTS.reject(entered, command.reason, now)
