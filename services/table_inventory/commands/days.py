"""Gaming days: closed in three steps by different people, sealed with a hash, and adjusted by two."""

from collections.abc import Sequence
from datetime import date
from hashlib import sha256
from typing import Annotated, Any, Final, NamedTuple, get_args

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.accounts import TableAccounts
from services.table_inventory.domain.days import Adjustment, Day, DayKey, Step, incomplete
from services.table_inventory.domain.people import Law, require_different
from services.table_inventory.domain.rake import non_banking
from services.table_inventory.domain.reviews import DayReview
from services.table_inventory.queries.counts import counters_of_day
from services.table_inventory.queries.days import (
    find_adjustment,
    journal_heads,
    read_day,
    read_review,
)
from services.table_inventory.queries.places import find_place
from services.table_inventory.queries.slips import last_number, read_slips
from services.table_inventory.queries.windows import boxes_of_day, ended_windows
from services.table_inventory.tables import adjustments, counts
from shared.contracts import inventory
from shared.contracts.envelope import Name, canonical
from shared.contracts.envelope import Reason as Text
from shared.contracts.people import same_person
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.reports import ReportStatus
from shared.contracts.versions import fields_of
from shared.journal.recording import Recording
from shared.runtime.command.approval import DAY_ADJUSTMENT, Approval, Decision
from shared.runtime.command.command import Accepted, Approving, Command, Commands, Now, as_loaded, first_loaded
from shared.runtime.rows import rows_of

COMMANDS: Final = Commands()


class AboutDay(Command):
    """Something that is done about a gaming day."""

    property: Name
    gaming_day: date

    def key(self) -> DayKey:
        """Return the name of the gaming day."""
        return DayKey(self.property, self.gaming_day)


_STEPS: Final = get_args(Step)


def _require(day: Day, step: Step) -> None:
    if (now := day.step()) != step:
        detail = f"{day.gaming_day} is {now}; this takes a day that is {step}"
        is_late = _STEPS.index(now) > _STEPS.index(step)
        raise Rejected(Reason.ALREADY_DECIDED if is_late else Reason.TOO_EARLY, detail)


def _closed(day: Day, fact: inventory.DayClosed, status: ReportStatus) -> Accepted:
    """Return that a day is closed one step further."""
    said = {name: value for name, value in fact if name in Day.model_fields}
    return Accepted(recording=Recording(fact=fact), answer=day.model_copy(update={**said, "status": status}))


class CloseDay(AboutDay):
    """Close a gaming day.

    Every table has its record, every box is counted and every slip has arrived.
    """

    excused: Annotated[
        tuple[inventory.ExcusedTable, ...],
        Field(description="the tables without a record of the day, each with the reason why that is right"),
    ] = ()


async def _closing(connection: AsyncConnection, command: CloseDay) -> tuple[Day, Sequence[str]]:
    """Return a gaming day, and what is missing of it. Raises: Rejected for an unknown property."""
    key = command.key()
    place = await find_place(connection, *key)
    left = incomplete(
        place.tables_on(key.gaming_day),
        {one.table for one in command.excused},
        await ended_windows(connection, *key),
        await boxes_of_day(connection, *key),
        await read_slips(connection, key.property, gaming_day=key.gaming_day),
    )
    return await read_day(connection, key), list(left)


@COMMANDS.handles(CloseDay, load=_closing)
def close(command: CloseDay, state: tuple[Day, Sequence[str]], now: Now) -> Accepted:
    """Close a day whose records are complete."""
    day, left = state
    _require(day, "open")
    if left:
        detail = f"{command.gaming_day} is not complete: {'; '.join(left)}"
        raise Rejected(Reason.TOO_EARLY, detail)
    fact = inventory.DayPreliminary(**dict(command), preliminary_by=now.by, preliminary_at=now.at)
    return _closed(day, fact, ReportStatus.PRELIMINARY)


class AuditDay(AboutDay, Approving):
    """Audit a gaming day.

    By somebody who neither closed it nor took part in its count; reportable variances are resolved.
    """


class Auditing(NamedTuple):
    """A gaming day as it would be audited, who closes it by law, who counted, and what is not resolved of it."""

    review: DayReview
    day: Day
    law: Law
    counters: set[str]
    left: Sequence[str]


async def _auditing(connection: AsyncConnection, command: AuditDay) -> Auditing:
    key = command.key()
    law = (await find_place(connection, *key)).law.people.day_close.on(key.gaming_day)
    review = await read_review(connection, key)
    left = [one.key().path() for one in review.variances if one.level != "noted" and one.status != "resolved"]
    for adjustment in review.adjustments:
        if adjustment.status == "entered":
            left.append(f"adjustment {adjustment.adjustment} waits for a decision")
    for contest in review.contests:
        if contest.status == "entered":
            left.append(f"revision {contest.revision} of contest {contest.contest} waits for a decision")
    return Auditing(review, await read_day(connection, key), law, await counters_of_day(connection, *key), left)


@COMMANDS.handles(AuditDay, load=_auditing, subject=first_loaded)
def audit(command: AuditDay, state: Auditing, now: Now) -> Accepted:
    """Let revenue audit, which took no part in the count, be through with a day."""
    day, gaming_day = state.day, command.gaming_day
    _require(day, "preliminary")
    require_different(f"{gaming_day}", state.law, dict(day) | {"audited_by": now.by})
    if any(same_person(now.by, counter) for counter in state.counters):
        detail = f"{now.by} took part in the count of {gaming_day} and cannot audit it"
        raise Rejected(Reason.SAME_PERSON, detail)
    if state.left:
        raise Rejected(Reason.TOO_EARLY, f"{gaming_day} has what is not resolved: {'; '.join(state.left)}")
    fact = inventory.DayAudited(**dict(command), audited_by=now.by, audited_at=now.at)
    return _closed(day, fact, ReportStatus.PRELIMINARY)


class SealDay(AboutDay, Approving):
    """Seal a gaming day.

    By somebody else than the auditor: from now on there are only adjusting entries.
    """


class Sealing(NamedTuple):
    """A gaming day as it would be sealed, who seals it by law, and the report that is to be sealed."""

    review: DayReview
    day: Day
    law: Law
    report: dict[str, Any]


async def _sealing(connection: AsyncConnection, command: SealDay) -> Sealing:
    law = (await find_place(connection, *command.key())).law.people.day_seal.on(command.gaming_day)
    review = await read_review(connection, command.key())
    report = {
        "property": command.property,
        "gaming_day": command.gaming_day.isoformat(),
        **review.win.model_dump(mode="json"),
        "journal": await journal_heads(connection),
    }
    return Sealing(review, await read_day(connection, command.key()), law, report)


@COMMANDS.handles(SealDay, load=_sealing, subject=first_loaded)
def seal(command: SealDay, state: Sealing, now: Now) -> Accepted:
    """Seal an audited day with the hash of its report."""
    _, day, law, report = state
    _require(day, "audited")
    require_different(f"{command.gaming_day}", law, dict(day) | {"final_by": now.by})
    digest = sha256(canonical(report)).hexdigest()
    fact = inventory.DayFinal(**dict(command), final_by=now.by, final_at=now.at, hash=digest, report=report)
    return _closed(day, fact, ReportStatus.FINAL)


class EnterAdjustment(AboutDay):
    """Enter an adjustment.

    A figure of the win, or the rake of a non-banking table, must be other than it was recorded, by `cents` (positive:
    higher); somebody else approves it.
    """

    table: Name
    shift: Name
    figure: inventory.Figure
    cents: inventory.SignedCents
    reason: Text


class Entering(NamedTuple):
    """A gaming day, the last number of its adjustments, and whether the revenue of the table is its rake."""

    day: Day
    last: int
    non_banking: bool


async def _entering(connection: AsyncConnection, command: EnterAdjustment) -> Entering:
    """Return what an adjustment is entered into. Raises: Rejected where there is no such table."""
    place = await find_place(connection, *command.key())
    counted = await connection.execute(rows_of(counts, property=command.property, table=command.table).limit(1))
    if counted.first() is None:
        raise Rejected(Reason.NOT_FOUND, f"table {command.table} of {command.property} was never counted")
    last = await last_number(connection, adjustments, "adjustment", **command.key()._asdict())
    is_non_banking = bool(non_banking(place, command.table, command.gaming_day))
    return Entering(await read_day(connection, command.key()), last, is_non_banking)


@COMMANDS.handles(EnterAdjustment, load=_entering)
def enter(command: EnterAdjustment, state: Entering, now: Now) -> Accepted:
    """Propose an adjustment of a closed day."""
    day, last, is_non_banking = state
    if day.step() == "open":
        detail = f"{command.gaming_day} is open: what happened is recorded by who saw it"
        raise Rejected(Reason.TOO_EARLY, detail)
    if command.cents == 0:
        raise Rejected(Reason.NOT_ALLOWED, "an adjustment of nothing adjusts nothing")
    if is_non_banking != (command.figure == "rake"):
        what = "non-banking: its revenue is its rake" if is_non_banking else "no non-banking table: it has no rake"
        raise Rejected(Reason.NOT_ALLOWED, f"{command.figure} cannot be adjusted: {command.table} is {what}")
    entered = {"adjustment": last + 1, "day_status": day.status, "entered_by": now.by, "entered_at": now.at}
    fact = inventory.AdjustmentEntered(**dict(command), **entered)
    return Accepted(recording=Recording(fact=fact), answer=Adjustment(**dict(fact)))


class _OfAdjustment(AboutDay):
    adjustment: inventory.Number


class ApproveAdjustment(_OfAdjustment, Approving):
    """Approve an adjustment.

    It becomes an adjusting entry, dated now.
    """


class RejectAdjustment(_OfAdjustment):
    """Reject an adjustment.

    Nothing changes.
    """

    reason: Text


async def _entered(connection: AsyncConnection, command: _OfAdjustment) -> Adjustment:
    """Return an adjustment. Raises: Rejected where there is none."""
    return await find_adjustment(connection, command.key(), command.adjustment)


def _approval(entered: Adjustment) -> Approval:
    name = f"adjustment {entered.adjustment}"
    return Approval(DAY_ADJUSTMENT, name, entered.entered_by, Decision.of(entered.status))


@COMMANDS.handles(ApproveAdjustment, load=_entered, subject=as_loaded)
def approve(command: ApproveAdjustment, entered: Adjustment, now: Now) -> Accepted:
    """Approve an adjustment, and post it."""
    _approval(entered).approve(now.by)
    approved = {"approved_by": now.by, "approved_at": now.at}
    fact = inventory.AdjustmentApproved(**fields_of(entered, inventory.AdjustmentEntered), **approved)
    postings = TableAccounts(command.property, entered.table).adjusted(entered.figure, entered.cents)
    answer = entered.model_copy(update={**approved, "status": "approved"})
    return Accepted(recording=Recording(fact=fact, postings=postings), answer=answer)


@COMMANDS.handles(RejectAdjustment, load=_entered)
def reject(command: RejectAdjustment, entered: Adjustment, now: Now) -> Accepted:
    """Turn an adjustment down."""
    _approval(entered).reject()
    rejected = {"rejected_by": now.by, "rejected_at": now.at, "rejection_reason": command.reason}
    fact = inventory.AdjustmentRejected(**fields_of(entered, inventory.AdjustmentEntered), **rejected)
    return Accepted(
        recording=Recording(fact=fact), answer=entered.model_copy(update={**rejected, "status": "rejected"})
    )
