"""Commands about gaming days: closed in three steps by different people, sealed by hash, adjusted by two people."""

from collections.abc import Collection, Sequence
from datetime import date, timedelta
from hashlib import sha256
from typing import Annotated, Any, Final, NamedTuple, get_args

from pydantic import Field, PrivateAttr
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.commands.as_of import AsOf
from services.table_inventory.commands.entered import EnteredKind
from services.table_inventory.domain.accounts import TableAccounts
from services.table_inventory.domain.days import Adjustment, Day, DayKey, Step, incomplete
from services.table_inventory.domain.people import Law, require_different
from services.table_inventory.domain.rake import non_banking
from services.table_inventory.domain.reviews import DayReview
from services.table_inventory.domain.stated import unstated_of
from services.table_inventory.queries.counts import counters_of_day
from services.table_inventory.queries.days import (
    Counted,
    approved_adjustments,
    find_adjustment,
    find_counted,
    journal_heads,
    read_day,
    read_review,
)
from services.table_inventory.queries.pit_changes import pending_changes
from services.table_inventory.queries.places import find_place, require_shift
from services.table_inventory.queries.ratings import rated_tables
from services.table_inventory.queries.stated import read_stated
from services.table_inventory.queries.upstream import open_input
from services.table_inventory.tables import adjustments, counts
from shared.contracts import inventory
from shared.contracts.envelope import Name, canonical
from shared.contracts.envelope import Reason as Text
from shared.contracts.people import same_person
from shared.contracts.properties import Sales
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.reports import ReportStatus
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.approval import DAY_ADJUSTMENT
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now, first_loaded
from shared.runtime.rows import last_number, rows_of

COMMANDS: Final = Commands()


class AboutDay(Command):
    """A command about a gaming day."""

    property: Name
    gaming_day: date

    def key(self) -> DayKey:
        """Return the key of the gaming day."""
        return DayKey(self.property, self.gaming_day)


_STEPS: Final = get_args(Step)


def _require(day: Day, step: Step) -> None:
    if (now := day.step()) != step:
        detail = f"{day.gaming_day} is {now}; this takes a day that is {step}"
        is_late = _STEPS.index(now) > _STEPS.index(step)
        raise Rejected(Reason.ALREADY_DECIDED if is_late else Reason.TOO_EARLY, detail)


def _closed(day: Day, fact: inventory.DayClosed, status: ReportStatus) -> Accepted:
    """Accept a closing step; the response is the gaming day after the step."""
    said = {name: value for name, value in fact if name in Day.model_fields}
    return Accepted(recording=FactWithPostings(fact=fact), answer=day.model_copy(update={**said, "status": status}))


class DayStep(AboutDay, AsOf):
    """A step of closing a gaming day."""

    _unread: Sequence[str] = PrivateAttr(default=())

    def tell(self, unread: Sequence[str]) -> None:
        """Set the descriptions of unread settlements, which are not part of the request."""
        self._unread = unread

    @property
    def unread(self) -> Sequence[str]:
        """Return the descriptions of unread settlements."""
        return self._unread


class Standing(NamedTuple):
    """The state of a gaming day at a closing step: its stage, its counts, and its open items.

    `used` are the tables that were reported as not used but were used on the day, so that they are not excused.
    `left` lists open and missing items as text.
    """

    day: Day
    counted: Counted
    used: Collection[str]
    left: Sequence[str]


async def _standing(connection: AsyncConnection, command: DayStep, excused: Collection[str] | None = None) -> Standing:
    """Return the state of a gaming day. Raises: Rejected if the property is unknown, or the day is `date.max`."""
    key = command.key()
    if key.gaming_day == date.max:
        raise Rejected(Reason.TOO_EARLY, f"{key.gaming_day} has not begun")
    place = await find_place(connection, *key)
    day = await read_day(connection, key)
    counted = await find_counted(connection, key, now=command.asked_at)
    named = {one.table for one in day.excused} if excused is None else set(excused)
    shifts = counted.shifts(await approved_adjustments(connection, key))
    rated = await rated_tables(connection, place, key.gaming_day) if named else set()
    used = {table for table in named if table in rated or counted.was_used(table, shifts.get(table, ()))}
    left = [
        *incomplete(place, key.gaming_day, shifts, named - used),
        *(one.in_words(place.zone) for one in counted.unopened),
        *(f"{one}: mend or dismiss it" for one in await open_input(connection, key.property)),
        *(f"settlements are not read ({one})" for one in command.unread),
    ]
    return Standing(day, counted, used, left)


def _require_ended(command: DayStep, place: PropertySnapshot, now: Now) -> None:
    """Raise Rejected while a gaming day has not ended."""
    day, running = command.gaming_day, place.gaming_day(now.at)
    if day > running:
        detail = f"{day} has not begun: the gaming day at {command.property} is {running}"
        raise Rejected(Reason.TOO_EARLY, detail)
    if day == running:
        ends = place.clock_text(place.begins_at(day + timedelta(days=1)))
        raise Rejected(Reason.TOO_EARLY, f"{day} runs until {ends}: a gaming day is closed when it is over")


def _require_nothing(day: date, left: Sequence[str]) -> None:
    """Raise Rejected if a gaming day has open items (`left`)."""
    if left:
        raise Rejected(Reason.TOO_EARLY, f"{day} is not complete: {'; '.join(left)}")


class CloseDay(DayStep):
    """Close a gaming day.

    The day must be over, every session must have its opener and closer, every box must be counted, and every slip
    finished.
    """

    excused: Annotated[
        tuple[inventory.ExcusedTable, ...],
        Field(description="the tables that were not used on the day, each with the reason"),
    ] = ()


async def _closing(connection: AsyncConnection, command: CloseDay) -> Standing:
    return await _standing(connection, command, {one.table for one in command.excused})


@COMMANDS.handles(CloseDay, load=_closing)
def close(command: CloseDay, state: Standing, now: Now) -> Accepted:
    """Close a gaming day whose records are complete."""
    counted, gaming_day = state.counted, command.gaming_day
    _require(state.day, "open")
    _require_ended(command, counted.place, now)
    for one in command.excused:
        if (why := counted.place.why_no_table(one.table, gaming_day)) is not None:
            raise Rejected(Reason.NOT_FOUND, why)
        if one.table in state.used:
            what = f"it was counted, open, dropped, played or rated at on {gaming_day}"
            detail = f"table {one.table} cannot be excused: {what}"
            raise Rejected(Reason.NOT_ALLOWED, detail)
    _require_nothing(gaming_day, state.left)
    fact = inventory.DayPreliminary(**dict(command), preliminary_by=now.by, preliminary_at=now.at)
    return _closed(state.day, fact, ReportStatus.PRELIMINARY)


class AuditDay(DayStep, Approving):
    """Audit a gaming day.

    The auditor must neither have closed the day nor taken part in its count. Reportable variances must be resolved.
    """


class Auditing(NamedTuple):
    """A gaming day under audit: its review and state, the people who counted, and undecided items (`left`).

    `law` lists the closing steps that must be taken by different people.
    """

    review: DayReview
    standing: Standing
    law: Law
    counters: set[str]
    left: Sequence[str]


async def _auditing(connection: AsyncConnection, command: AuditDay) -> Auditing:
    key, standing = command.key(), await _standing(connection, command)
    law = standing.counted.place.law.people.day_close.on(key.gaming_day)
    review = await read_review(connection, key, now=command.asked_at)
    left = await _undecided(connection, key, review)
    return Auditing(review, standing, law, await counters_of_day(connection, *key), left)


async def _undecided(connection: AsyncConnection, key: DayKey, review: DayReview) -> list[str]:
    """Return the unresolved variances and undecided entries of a gaming day, as text."""
    return [
        *(one.key().path() for one in review.variances if one.level != "noted" and one.status != "resolved"),
        *(f"adjustment {one.adjustment} waits for a decision" for one in review.adjustments if one.status == "entered"),
        *(
            f"revision {one.revision} of contest {one.contest} waits for a decision"
            for one in review.contests
            if one.status == "entered"
        ),
        *(
            f"change {one.change} of event {one.sequence} of {one.table} "
            + ("waits for a decision" if one.status == "proposed" else "is approved and takes effect: wait for it")
            for one in await pending_changes(connection, *key)
        ),
    ]


@COMMANDS.handles(AuditDay, load=_auditing, subject=first_loaded)
def audit(command: AuditDay, state: Auditing, now: Now) -> Accepted:
    """Record the audit of a day, by a person who took no part in the count."""
    day, gaming_day = state.standing.day, command.gaming_day
    _require(day, "preliminary")
    _require_ended(command, state.standing.counted.place, now)
    require_different(f"{gaming_day}", state.law, dict(day) | {"audited_by": now.by})
    if any(same_person(now.by, counter) for counter in state.counters):
        detail = f"{now.by} took part in the count of {gaming_day} and cannot audit it"
        raise Rejected(Reason.SAME_PERSON, detail)
    if state.left:
        raise Rejected(Reason.TOO_EARLY, f"{gaming_day} has what is not resolved: {'; '.join(state.left)}")
    _require_nothing(gaming_day, state.standing.left)
    fact = inventory.DayAudited(**dict(command), audited_by=now.by, audited_at=now.at)
    return _closed(day, fact, ReportStatus.PRELIMINARY)


class SealDay(DayStep, Approving):
    """Seal a gaming day.

    A person other than the auditor must do this. Afterwards only adjusting entries are possible.
    """


class Sealing(NamedTuple):
    """A gaming day to be sealed: its review, stage, property, and the report to be sealed.

    `law` lists the closing steps that must be taken by different people. `left` lists open and missing items as text.
    `unstated` lists the tables whose last statement of win is out of date.
    """

    review: DayReview
    day: Day
    place: PropertySnapshot
    law: Law
    report: dict[str, Any]
    left: Sequence[str] = ()
    unstated: Sequence[str] = ()


async def _sealing(connection: AsyncConnection, command: SealDay) -> Sealing:
    standing = await _standing(connection, command)
    counted, key = standing.counted, command.key()
    review = await read_review(connection, key, now=command.asked_at)
    report = {
        "property": command.property,
        "gaming_day": command.gaming_day.isoformat(),
        **review.win.model_dump(mode="json"),
        "excused": [one.model_dump(mode="json") for one in standing.day.excused if one.table not in standing.used],
        "journal": await journal_heads(connection),
    }
    shifts = counted.shifts(await approved_adjustments(connection, key))
    stated = await read_stated(connection, key)
    unstated = sorted({one.table for one in unstated_of(counted.place, key, shifts, stated)})
    law = counted.place.law.people.day_seal.on(key.gaming_day)
    left = [*standing.left, *await _undecided(connection, key, review)]
    return Sealing(review, standing.day, counted.place, law, report, left, unstated)


@COMMANDS.handles(SealDay, load=_sealing, subject=first_loaded)
def seal(command: SealDay, state: Sealing, now: Now) -> Accepted:
    """Seal an audited day with the hash of its report."""
    day, report = state.day, state.report
    _require(day, "audited")
    _require_ended(command, state.place, now)
    require_different(f"{command.gaming_day}", state.law, dict(day) | {"final_by": now.by})
    _require_nothing(command.gaming_day, state.left)
    if state.unstated:
        tables = ", ".join(state.unstated)
        raise Rejected(Reason.TOO_EARLY, f"the win of {tables} is about to be stated anew: ask again in a moment")
    digest = sha256(canonical(report)).hexdigest()
    fact = inventory.DayFinal(**dict(command), final_by=now.by, final_at=now.at, hash=digest, report=report)
    return _closed(day, fact, ReportStatus.FINAL)


class EnterAdjustment(AboutDay):
    """Enter an adjustment.

    It changes a figure of the win, or the rake of a non-banking table, by `cents`; a positive amount raises the figure.
    Another person must approve it.
    """

    table: Name
    shift: Name
    figure: inventory.Figure
    cents: inventory.SignedCents
    reason: Text


class Entering(NamedTuple):
    """A gaming day, its last adjustment number, and whether the adjusted table is non-banking (its revenue is rake)."""

    day: Day
    last: int
    non_banking: bool


async def _entering(connection: AsyncConnection, command: EnterAdjustment) -> Entering:
    """Return the data that an adjustment depends on. Raises: Rejected if the table was not counted."""
    place = await find_place(connection, *command.key())
    require_shift(place, command.shift)
    counted = await connection.execute(rows_of(counts, property=command.property, table=command.table).limit(1))
    if counted.first() is None:
        raise Rejected(Reason.NOT_FOUND, f"table {command.table} of {command.property} was never counted")
    last = await last_number(connection, adjustments, "adjustment", **command.key()._asdict())
    is_non_banking = bool(non_banking(place, command.table, command.gaming_day))
    return Entering(await read_day(connection, command.key()), last, is_non_banking)


@COMMANDS.handles(EnterAdjustment, load=_entering)
def enter(command: EnterAdjustment, state: Entering, now: Now) -> Accepted:
    """Enter an adjustment of a closed gaming day."""
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
    return Accepted(recording=FactWithPostings(fact=fact), answer=Adjustment(**dict(fact)))


class _OfAdjustment(AboutDay):
    adjustment: inventory.Number


class ApproveAdjustment(_OfAdjustment, Approving):
    """Approve an adjustment.

    It is posted as an adjusting entry, dated now.
    """


class RejectAdjustment(_OfAdjustment):
    """Reject an adjustment.

    Nothing is posted.
    """

    reason: Text


async def _entered(connection: AsyncConnection, command: _OfAdjustment) -> Adjustment:
    """Return an adjustment. Raises: Rejected if it does not exist."""
    return await find_adjustment(connection, command.key(), command.adjustment)


class Deciding(NamedTuple):
    """An adjustment, and the kinds of sales that its table reports (None if the table is not a counted table)."""

    entered: Adjustment
    counted: Sales | None


async def _deciding(connection: AsyncConnection, command: ApproveAdjustment) -> Deciding:
    entered, place = await _entered(connection, command), await find_place(connection, *command.key())
    return Deciding(entered, place.counted_on(command.gaming_day).get(entered.table))


_ADJUSTMENTS: Final = EnteredKind(
    DAY_ADJUSTMENT, inventory.AdjustmentEntered, inventory.AdjustmentApproved, inventory.AdjustmentRejected
)


@COMMANDS.handles(ApproveAdjustment, load=_deciding, subject=first_loaded)
def approve(command: ApproveAdjustment, state: Deciding, now: Now) -> Accepted:
    """Approve the adjustment, and post it."""
    entered = state.entered
    accounts = TableAccounts(command.property, entered.table)
    return _ADJUSTMENTS.approve(entered, now, accounts.adjusted(entered.figure, entered.cents, state.counted))


@COMMANDS.handles(RejectAdjustment, load=_entered)
def reject(command: RejectAdjustment, entered: Adjustment, now: Now) -> Accepted:
    """Reject the adjustment."""
    return _ADJUSTMENTS.reject(entered, command.reason, now)
