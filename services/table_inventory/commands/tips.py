"""Commands about tips pools: one person enters the hours of its dealers, another approves them."""

from datetime import date, timedelta
from typing import Annotated, Final, NamedTuple

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.commands.entered import EnteredKind
from services.table_inventory.domain.entered import next_revision
from services.table_inventory.domain.tips import TipHoursDocument
from services.table_inventory.queries.places import find_place
from services.table_inventory.queries.tips import find_hours, pool_on, revisions_of
from shared.contracts.envelope import Name
from shared.contracts.envelope import Reason as Text
from shared.contracts.inventory import Number
from shared.contracts.people import same_person
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.tips import DealerHours, HoursOfPool, TipHoursApproved, TipHoursEntered, TipHoursRejected
from shared.contracts.tips_pools import PoolDays
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.approval import TIP_HOURS
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now, first_loaded

COMMANDS: Final = Commands()


class EnterTipHours(HoursOfPool, Command):
    """Enter the hours by which dealers share a tips pool.

    `last_day` is the last (or only) gaming day of the pool, and must be over. Another person must approve the hours. A
    later entry, with a reason, replaces the approved hours. Neither the person who enters the hours nor the approver
    may be among the dealers.
    """

    property: Name
    last_day: date
    reason: Annotated[Text, Field(description="the source of the hours; for a later revision, why it differs")]


class Entering(NamedTuple):
    """The state for entering hours: the property and the pool as of `last_day`, and all revisions, latest first."""

    place: PropertySnapshot
    pool: PoolDays | None
    revisions: list[TipHoursDocument]


async def _entering(connection: AsyncConnection, command: EnterTipHours) -> Entering:
    place = await find_place(connection, command.property, command.last_day)
    pool = await pool_on(connection, command.property, command.last_day)
    return Entering(place, pool, await revisions_of(connection, command.property, command.last_day))


@COMMANDS.handles(EnterTipHours, load=_entering)
def enter(command: EnterTipHours, state: Entering, now: Now) -> Accepted:
    """Enter hours as the next revision."""
    place, pool, revisions = state
    if pool is None:
        detail = f"{command.property} shares no tips by hours: file a version of it that has a 'tips_pool'"
        raise Rejected(Reason.NOT_ALLOWED, detail)
    first_day, last_day, rules = pool
    if command.last_day != last_day:
        detail = f"the pool of {command.last_day} is that of a week: enter its hours for its last day, {last_day}"
        raise Rejected(Reason.NOT_ALLOWED, detail)
    ends = place.begins_at(last_day + timedelta(days=1))
    if now.at < ends:
        over = f"once that gaming day is over, at {place.clock_text(ends)}"
        detail = f"the pool up to {last_day} has not ended: enter its hours {over}"
        raise Rejected(Reason.TOO_EARLY, detail)
    _require_possible(command.hours, (ends - place.begins_at(first_day)) // timedelta(minutes=1), first_day, last_day)
    number = next_revision(revisions)
    _require_no_share(now.by, command.hours)
    entered = {"revision": number, "entered_by": now.by, "entered_at": now.at}
    fact = TipHoursEntered(**dict(command), first_day=first_day, pool=rules, **entered)
    return Accepted(recording=FactWithPostings(fact=fact), answer=TipHoursDocument(**dict(fact)))


def _require_possible(hours: tuple[DealerHours, ...], minutes_max: int, first_day: date, last_day: date) -> None:
    """Raise Rejected if a dealer has more minutes than the pool lasted."""
    for one in hours:
        if one.minutes > minutes_max:
            pool = f"the pool of {first_day}" if first_day == last_day else f"the pool from {first_day} to {last_day}"
            detail = f"{one.dealer} has {one.minutes} minutes; {pool} lasted {minutes_max}"
            raise Rejected(Reason.NOT_ALLOWED, detail)


def _require_no_share(by: str, hours: tuple[DealerHours, ...]) -> None:
    """Raise Rejected if the person who enters or approves the hours is among the dealers paid by them."""
    if any(same_person(by, one.dealer) for one in hours):
        raise Rejected(Reason.SAME_PERSON, f"{by} has a share of this pool: somebody else must enter or approve it")


class _OfPool(Command):
    property: Name
    last_day: date
    revision: Number


class ApproveTipHours(_OfPool, Approving):
    """Approve the hours of a tips pool.

    The pool's tips are shared by these hours, to the cent, as the property's document defines. From then on, the pool's
    gaming days are fixed. Hours cannot be approved if the pool's gaming days have changed since the entry.
    """


class RejectTipHours(_OfPool):
    """Reject the hours of a tips pool.

    Hours approved earlier, if any, stay in effect.
    """

    reason: Text


async def _entered(connection: AsyncConnection, command: _OfPool) -> TipHoursDocument:
    """Return a revision of a pool's hours. Raises: Rejected if it does not exist."""
    return await find_hours(connection, command.property, command.last_day, command.revision)


_HOURS: Final = EnteredKind(TIP_HOURS, TipHoursEntered, TipHoursApproved, TipHoursRejected)


async def _approving(connection: AsyncConnection, command: ApproveTipHours) -> tuple[TipHoursDocument, PoolDays | None]:
    """Return a revision of the hours, and the tips pool that now ends on the same last day (None without one)."""
    return await _entered(connection, command), await pool_on(connection, command.property, command.last_day)


@COMMANDS.handles(ApproveTipHours, load=_approving, subject=first_loaded)
def approve(command: ApproveTipHours, state: tuple[TipHoursDocument, PoolDays | None], now: Now) -> Accepted:
    """Approve hours."""
    del command
    entered, pool = state
    accepted = _HOURS.approve(entered, now)
    _require_no_share(now.by, entered.hours)
    if pool is None or (pool.first_day, pool.last_day) != (entered.first_day, entered.last_day):
        changed = "is no pool any more" if pool is None else f"is in the pool from {pool.first_day} to {pool.last_day}"
        detail = (
            f"{entered.label} is of the days from {entered.first_day}, but {entered.last_day} {changed}: reject it, "
            "and enter the hours of the pools that there are now"
        )
        raise Rejected(Reason.NOT_ALLOWED, detail)
    return accepted


@COMMANDS.handles(RejectTipHours, load=_entered)
def reject(command: RejectTipHours, entered: TipHoursDocument, now: Now) -> Accepted:
    """Reject hours."""
    return _HOURS.reject(entered, command.reason, now)
