"""Gaming days: closed in three steps by different people, and sealed with a hash."""

from collections.abc import Sequence
from datetime import date
from hashlib import sha256
from typing import Annotated, Any, Final, NamedTuple

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.days import Day, DayKey, incomplete
from services.table_inventory.queries.counts import counters_of_day
from services.table_inventory.queries.days import (
    journal_heads,
    known_tables,
    read_adjustments,
    read_day,
    read_win,
    variances_of_day,
)
from services.table_inventory.queries.slips import read_slips
from services.table_inventory.queries.windows import boxes_of_day, ended_windows
from shared.contracts.envelope import Name, canonical
from shared.contracts.inventory import DayAudited, DayClosed, DayFinal, DayPreliminary, ExcusedTable
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.reports import ReportStatus
from shared.journal.recording import Recording
from shared.runtime.command.command import Accepted, Command, Commands, Now

COMMANDS: Final = Commands()


class AboutDay(Command):
    """Something that is done about a gaming day."""

    property: Name
    gaming_day: date

    def key(self) -> DayKey:
        """Return the name of the gaming day."""
        return DayKey(self.property, self.gaming_day)


def _require(day: Day, status: ReportStatus) -> None:
    if day.status is not status:
        detail = f"{day.gaming_day} is {day.status}; this takes a day that is {status}"
        is_late = list(ReportStatus).index(day.status) > list(ReportStatus).index(status)
        raise Rejected(Reason.ALREADY_DECIDED if is_late else Reason.TOO_EARLY, detail)


def _closed(day: Day, fact: DayClosed, status: ReportStatus) -> Accepted:
    """Return that a day is closed one step further."""
    return Accepted(recording=Recording(fact=fact), answer=day.model_copy(update={**dict(fact), "status": status}))


class CloseDay(AboutDay):
    """Close a gaming day.

    Every table has its record, every box is counted and every slip has arrived.
    """

    excused: Annotated[
        tuple[ExcusedTable, ...],
        Field(description="the tables without a record of the day, each with the reason why that is right"),
    ] = ()


async def _closing(connection: AsyncConnection, command: CloseDay) -> tuple[Day, Sequence[str]]:
    """Return a gaming day, and what is missing of it."""
    key = command.key()
    left = incomplete(
        await known_tables(connection, key),
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
    _require(day, ReportStatus.OPEN)
    if left:
        detail = f"{command.gaming_day} is not complete: {'; '.join(left)}"
        raise Rejected(Reason.TOO_EARLY, detail)
    fact = DayPreliminary(**dict(command), preliminary_by=now.by, preliminary_at=now.at)
    return _closed(day, fact, ReportStatus.PRELIMINARY)


class AuditDay(AboutDay):
    """Audit a gaming day.

    By somebody who neither closed it nor took part in its count; reportable variances are resolved.
    """


class Auditing(NamedTuple):
    """A gaming day, who took part in its count, and what is not resolved of it."""

    day: Day
    counters: set[str]
    left: Sequence[str]


async def _auditing(connection: AsyncConnection, command: AuditDay) -> Auditing:
    key = command.key()
    found = await variances_of_day(connection, key)
    left = [one.key().path() for one in found if one.level != "noted" and one.status != "resolved"]
    for adjustment in await read_adjustments(connection, key):
        if adjustment.status == "entered":
            left.append(f"adjustment {adjustment.adjustment} waits for a decision")
    return Auditing(await read_day(connection, key), await counters_of_day(connection, *key), left)


@COMMANDS.handles(AuditDay, load=_auditing)
def audit(command: AuditDay, state: Auditing, now: Now) -> Accepted:
    """Let revenue audit, which took no part in the count, be through with a day."""
    day, gaming_day = state.day, command.gaming_day
    _require(day, ReportStatus.PRELIMINARY)
    if day.preliminary_by == now.by:
        raise Rejected(Reason.SAME_PERSON, f"{now.by} closed {gaming_day}: somebody else must audit it")
    if now.by in state.counters:
        detail = f"{now.by} took part in the count of {gaming_day} and cannot audit it"
        raise Rejected(Reason.SAME_PERSON, detail)
    if state.left:
        raise Rejected(Reason.TOO_EARLY, f"{gaming_day} has what is not resolved: {'; '.join(state.left)}")
    fact = DayAudited(**dict(command), audited_by=now.by, audited_at=now.at)
    return _closed(day, fact, ReportStatus.AUDITED)


class SealDay(AboutDay):
    """Seal a gaming day.

    By somebody else than the auditor: from now on there are only adjusting entries.
    """


async def _sealing(connection: AsyncConnection, command: SealDay) -> tuple[Day, dict[str, Any]]:
    """Return a gaming day, and the report that is to be sealed."""
    win = await read_win(connection, command.key())
    report = {
        **command.content(),
        **win.model_dump(mode="json"),
        "journal": await journal_heads(connection),
    }
    return await read_day(connection, command.key()), report


@COMMANDS.handles(SealDay, load=_sealing)
def seal(command: SealDay, state: tuple[Day, dict[str, Any]], now: Now) -> Accepted:
    """Seal an audited day with the hash of its report."""
    day, report = state
    _require(day, ReportStatus.AUDITED)
    if day.audited_by == now.by:
        raise Rejected(Reason.SAME_PERSON, f"{now.by} audited {command.gaming_day}: somebody else must seal it")
    digest = sha256(canonical(report)).hexdigest()
    fact = DayFinal(**dict(command), final_by=now.by, final_at=now.at, hash=digest, report=report)
    return _closed(day, fact, ReportStatus.FINAL)
