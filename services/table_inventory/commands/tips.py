"""Commands about tips pools: one person enters the hours of its dealers, another approves them."""

from datetime import date
from typing import Annotated, Final, NamedTuple

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.tips import TipHoursDocument, days_of
from services.table_inventory.queries.places import find_place
from services.table_inventory.queries.tips import find_hours, revisions_of
from shared.contracts.envelope import Name
from shared.contracts.envelope import Reason as Text
from shared.contracts.inventory import Number
from shared.contracts.people import same_person
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.tips import DealerHours, HoursOfPool, TipHoursApproved, TipHoursEntered, TipHoursRejected
from shared.contracts.versions import fields_of
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.approval import TIP_HOURS, Approval, Decision
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now, as_loaded

COMMANDS: Final = Commands()


class EnterTipHours(HoursOfPool, Command):
    """Enter the hours by which dealers share a tips pool.

    The pool is named by its last gaming day: with pools of a day, that day. A further entry replaces the approved
    hours, with a reason. Another person must approve them, and neither may be among the dealers.
    """

    property: Name
    last_day: date
    reason: Annotated[Text, Field(description="where the hours are from; of a later revision, why it is another")]


class Entering(NamedTuple):
    """A property on the last gaming day of a pool, and the revisions of the pool's hours, latest first."""

    place: PropertySnapshot
    revisions: list[TipHoursDocument]


async def _entering(connection: AsyncConnection, command: EnterTipHours) -> Entering:
    place = await find_place(connection, command.property, command.last_day)
    return Entering(place, await revisions_of(connection, command.property, command.last_day))


@COMMANDS.handles(EnterTipHours, load=_entering)
def enter(command: EnterTipHours, state: Entering, now: Now) -> Accepted:
    """Enter hours as the next revision."""
    place, revisions = state
    pool = place.document.tips_pool
    if pool is None:
        detail = f"{command.property} shares no tips by hours: file a version of it that has a 'tips_pool'"
        raise Rejected(Reason.NOT_ALLOWED, detail)
    first_day, last_day = days_of(place, pool, command.last_day)
    if command.last_day != last_day:
        detail = f"the pool of {command.last_day} is that of a week: enter its hours for its last day, {last_day}"
        raise Rejected(Reason.NOT_ALLOWED, detail)
    if last_day > place.gaming_day(now.at):
        raise Rejected(Reason.TOO_EARLY, f"the pool up to {last_day} has not ended: that gaming day has not come yet")
    if revisions and revisions[0].status == "entered":
        detail = f"revision {revisions[0].revision} of the hours of the pool up to {last_day} waits for a decision"
        raise Rejected(Reason.CONTRADICTS, detail)
    _require_no_share(now.by, command.hours)
    entered = {"revision": revisions[0].revision + 1 if revisions else 1, "entered_by": now.by, "entered_at": now.at}
    fact = TipHoursEntered(**dict(command), first_day=first_day, pool=pool, **entered)
    return Accepted(recording=FactWithPostings(fact=fact), answer=TipHoursDocument(**dict(fact)))


def _require_no_share(by: str, hours: tuple[DealerHours, ...]) -> None:
    """Raise Rejected if somebody decides about hours by which they are paid themselves."""
    if any(same_person(by, one.dealer) for one in hours):
        raise Rejected(Reason.SAME_PERSON, f"{by} has a share of this pool: somebody else must enter or approve it")


class _OfPool(Command):
    property: Name
    last_day: date
    revision: Number


class ApproveTipHours(_OfPool, Approving):
    """Approve the hours of a tips pool.

    Its tips are shared by them, to the cent, as the property's document says.
    """


class RejectTipHours(_OfPool):
    """Reject the hours of a tips pool.

    Nothing changes.
    """

    reason: Text


async def _entered(connection: AsyncConnection, command: _OfPool) -> TipHoursDocument:
    """Return hours. Raises: Rejected if there are none."""
    return await find_hours(connection, command.property, command.last_day, command.revision)


def _approval(entered: TipHoursDocument) -> Approval:
    name = f"revision {entered.revision} of the hours of the pool up to {entered.last_day}"
    return Approval(TIP_HOURS, name, entered.entered_by, Decision.of(entered.status))


@COMMANDS.handles(ApproveTipHours, load=_entered, subject=as_loaded)
def approve(command: ApproveTipHours, entered: TipHoursDocument, now: Now) -> Accepted:
    """Approve hours."""
    del command
    _approval(entered).approve(now.by)
    _require_no_share(now.by, entered.hours)
    approved = {"approved_by": now.by, "approved_at": now.at}
    fact = TipHoursApproved(**fields_of(entered, TipHoursEntered), **approved)
    answer = entered.model_copy(update={**approved, "status": "approved"})
    return Accepted(recording=FactWithPostings(fact=fact), answer=answer)


@COMMANDS.handles(RejectTipHours, load=_entered)
def reject(command: RejectTipHours, entered: TipHoursDocument, now: Now) -> Accepted:
    """Reject hours."""
    _approval(entered).reject()
    rejected = {"rejected_by": now.by, "rejected_at": now.at, "rejection_reason": command.reason}
    fact = TipHoursRejected(**fields_of(entered, TipHoursEntered), **rejected)
    answer = entered.model_copy(update={**rejected, "status": "rejected"})
    return Accepted(recording=FactWithPostings(fact=fact), answer=answer)
