"""Gaming days: closed in stages, adjusted by two people, and sealed with a hash."""

import json
from datetime import date, datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple

from pydantic import AwareDatetime, BaseModel
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory import reading
from services.table_inventory.commands import Command, Decision, Denied, once
from services.table_inventory.drop_counts import counters_of_day
from services.table_inventory.money import TableAccounts
from services.table_inventory.reports import day_report
from services.table_inventory.tables import adjustments, counts, days, slips
from services.table_inventory.variances import key_of, variances_of_day
from services.table_inventory.variances import path_of as variance_path
from shared.contracts.envelope import Contract, Name, Reason, as_json, canonical
from shared.contracts.inventory import (
    AdjustmentApproved,
    AdjustmentEntered,
    AdjustmentRejected,
    DayAudited,
    DayFinal,
    DayPreliminary,
    ExcusedTable,
    Figure,
    SignedCents,
    Stage,
)
from shared.runtime.command.answers import Answer
from shared.runtime.service.run import Parts
from shared.runtime.web.unported import NotFound

_KNOWN_DAYS = timedelta(days=400)
"""A table that was not counted for so long is not asked for any more."""


class DayKey(NamedTuple):
    """The name of a gaming day."""

    property: str
    gaming_day: date


class AdjustmentKey(NamedTuple):
    """The name of an adjustment."""

    property: str
    gaming_day: date
    number: int


class Closing(Contract):
    """The tables that have no record of the day, each with the reason why that is right."""

    excused: tuple[ExcusedTable, ...] = ()


class AdjustmentWanted(Contract):
    """A figure of the win that must be other than it was recorded, by `cents` (positive: higher)."""

    table: Name
    shift: Name
    figure: Figure
    cents: SignedCents
    reason: Reason


class Rejection(Contract):
    """Why an adjustment is turned down."""

    reason: Reason


class DayDocument(BaseModel):
    """How far a gaming day is closed, by whom; `hash` and `report` once it is final."""

    property: str
    gaming_day: date
    stage: Stage
    preliminary_by: str | None = None
    preliminary_at: AwareDatetime | None = None
    excused: list[ExcusedTable] = []
    audited_by: str | None = None
    audited_at: AwareDatetime | None = None
    final_by: str | None = None
    final_at: AwareDatetime | None = None
    hash: str | None = None
    report: dict[str, Any] | None = None


class AdjustmentDocument(AdjustmentEntered):
    """An adjustment and what has become of it: entered, approved or rejected."""

    status: str
    approved_by: str | None = None
    approved_at: AwareDatetime | None = None
    rejected_by: str | None = None
    rejected_at: AwareDatetime | None = None
    rejection_reason: str | None = None


class DayCommands:
    """What closes and adjusts gaming days."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def preliminary(self, which: DayKey, closing: Closing, *, person: str, key: str) -> Answer:
        """Closes a day whose records are complete; answers 200 with it."""

        async def decide(connection: AsyncConnection, at: datetime) -> Decision:
            day = await read_day(connection, which)
            _require_stage(day, "open")
            left = await _incomplete(connection, which, {one.table for one in closing.excused})
            if left:
                raise Denied(409, f"{which.gaming_day} is not complete: {'; '.join(left)}")
            fact = DayPreliminary(**which._asdict(), by=person, at=at, excused=closing.excused)
            after = day.model_copy(
                update={
                    "stage": "preliminary",
                    "preliminary_by": person,
                    "preliminary_at": at,
                    "excused": list(closing.excused),
                }
            )
            return Decision(fact=fact, document=after)

        return await self._day(which, "preliminary", as_json(closing), decide, person, key)

    async def audited(self, which: DayKey, *, person: str, key: str) -> Answer:
        """Revenue audit, which took no part in the count, is through with a day; answers 200 with it."""

        async def decide(connection: AsyncConnection, at: datetime) -> Decision:
            day = await read_day(connection, which)
            _require_stage(day, "preliminary")
            if day.preliminary_by == person:
                raise Denied(403, f"{person} closed {which.gaming_day}: somebody else must audit it")
            if person in await counters_of_day(connection, *which):
                raise Denied(403, f"{person} took part in the count of {which.gaming_day} and cannot audit it")
            left = [
                variance_path(key_of(variance))
                for variance in await variances_of_day(connection, *which)
                if variance.level != "noted" and variance.state != "resolved"
            ]
            left += [
                f"adjustment {row.adjustment} waits for a decision"
                for row in await _adjustments(connection, which)
                if row.approved_at is None and row.rejected_at is None
            ]
            if left:
                raise Denied(409, f"{which.gaming_day} has what is not resolved: {'; '.join(left)}")
            after = day.model_copy(update={"stage": "audited", "audited_by": person, "audited_at": at})
            return Decision(fact=DayAudited(**which._asdict(), by=person, at=at), document=after)

        return await self._day(which, "audited", None, decide, person, key)

    async def final(self, which: DayKey, *, person: str, key: str) -> Answer:
        """Seals an audited day with the hash of its report; answers 200 with both."""

        async def decide(connection: AsyncConnection, at: datetime) -> Decision:
            day = await read_day(connection, which)
            _require_stage(day, "audited")
            if day.audited_by == person:
                raise Denied(403, f"{person} audited {which.gaming_day}: somebody else must seal it")
            report = json.loads((await day_report(connection, *which, at=at)).model_dump_json())
            report["journal"] = await reading.heads(connection)
            digest = sha256(canonical(report)).hexdigest()
            fact = DayFinal(**which._asdict(), by=person, at=at, hash=digest, report=report)
            after = day.model_copy(
                update={"stage": "final", "final_by": person, "final_at": at, "hash": digest, "report": report}
            )
            return Decision(fact=fact, document=after)

        return await self._day(which, "final", None, decide, person, key)

    async def enter(self, which: DayKey, wanted: AdjustmentWanted, *, person: str, key: str) -> Answer:
        """Proposes an adjustment of a closed day; answers 201 with it."""

        async def decide(connection: AsyncConnection, at: datetime) -> Decision:
            day = await read_day(connection, which)
            if day.stage == "open":
                raise Denied(409, f"{which.gaming_day} is open: what happened is recorded by who saw it")
            if wanted.cents == 0:
                raise Denied(422, "an adjustment of nothing adjusts nothing")
            await _require_table(connection, which, wanted.table)
            a = adjustments.c
            of_day = (a.property == which.property) & (a.gaming_day == which.gaming_day)
            query = select(func.coalesce(func.max(a.adjustment), 0)).where(of_day)
            fact = AdjustmentEntered(
                **which._asdict(),
                **{name: getattr(wanted, name) for name in AdjustmentWanted.model_fields},
                adjustment=(await connection.execute(query)).scalar_one() + 1,
                stage=day.stage,
                entered_by=person,
                entered_at=at,
            )
            made = AdjustmentDocument(**_fields(fact), status="entered")
            return Decision(fact=fact, document=made, status=201)

        name = f"POST {path_of(which)}/adjustments"
        command = Command(person, key, name, as_json(wanted), *which)
        return await once(self._parts, command, decide)

    async def approve(self, which: AdjustmentKey, *, person: str, key: str) -> Answer:
        """Approves an adjustment: from now on it is an adjusting entry. Answers 200 with it."""

        async def decide(connection: AsyncConnection, at: datetime) -> Decision:
            entered = await _undecided(connection, which)
            if entered.entered_by == person:
                raise Denied(403, f"{person} entered adjustment {which.number}: somebody else must approve it")
            fact = AdjustmentApproved(**_fields(entered), approved_by=person, approved_at=at)
            made = AdjustmentDocument(**_fields(fact), status="approved")
            postings = TableAccounts(which.property, entered.table).adjusted(entered.figure, entered.cents)
            return Decision(fact=fact, document=made, postings=postings)

        return await self._adjustment(which, "approve", None, decide, person, key)

    async def reject(self, which: AdjustmentKey, rejection: Rejection, *, person: str, key: str) -> Answer:
        """Turns an adjustment down; answers 200 with it."""

        async def decide(connection: AsyncConnection, at: datetime) -> Decision:
            entered = await _undecided(connection, which)
            fact = AdjustmentRejected(
                **_fields(entered), rejected_by=person, rejected_at=at, rejection_reason=rejection.reason
            )
            return Decision(fact=fact, document=AdjustmentDocument(**_fields(fact), status="rejected"))

        return await self._adjustment(which, "reject", as_json(rejection), decide, person, key)

    async def _day(self, which: DayKey, stage: str, content: Any, decide: Any, person: str, key: str) -> Answer:
        command = Command(person, key, f"POST {path_of(which)}/{stage}", content, *which)
        return await once(self._parts, command, decide)

    async def _adjustment(
        self, which: AdjustmentKey, verb: str, content: Any, decide: Any, person: str, key: str
    ) -> Answer:
        day = DayKey(which.property, which.gaming_day)
        name = f"POST {path_of(day)}/adjustments/{which.number}/{verb}"
        return await once(self._parts, Command(person, key, name, content, *day), decide)


def path_of(which: DayKey) -> str:
    """Where a gaming day is found."""
    return f"/gaming-days/{which.property}/{which.gaming_day}"


async def read_day(connection: AsyncConnection, which: DayKey) -> DayDocument:
    """A gaming day as far as it is closed; an open one where nothing was closed."""
    c = days.c
    query = select(days).where(c.property == which.property, c.gaming_day == which.gaming_day)
    row = (await connection.execute(query)).one_or_none()
    if row is None:
        return DayDocument(**which._asdict(), stage="open")
    stage: Stage = "final" if row.final_at else "audited" if row.audited_at else "preliminary"
    return DayDocument(**row._mapping, stage=stage)


async def read_adjustments(connection: AsyncConnection, which: DayKey) -> list[AdjustmentDocument]:
    """The adjustments of a gaming day, in the order of their numbers."""
    return [_adjustment(row) for row in await _adjustments(connection, which)]


async def _adjustments(connection: AsyncConnection, which: DayKey) -> Any:
    a = adjustments.c
    of_day = (a.property == which.property) & (a.gaming_day == which.gaming_day)
    return (await connection.execute(select(adjustments).where(of_day).order_by(a.adjustment))).all()


async def _undecided(connection: AsyncConnection, which: AdjustmentKey) -> AdjustmentEntered:
    for row in await _adjustments(connection, DayKey(which.property, which.gaming_day)):
        if row.adjustment == which.number:
            found = _adjustment(row)
            if found.status != "entered":
                raise Denied(409, f"adjustment {which.number} was {found.status} already")
            return AdjustmentEntered(**{name: getattr(found, name) for name in AdjustmentEntered.model_fields})
    raise NotFound(f"there is no adjustment {which.number} of {which.gaming_day} at {which.property}")


def _adjustment(row: Any) -> AdjustmentDocument:
    status = "approved" if row.approved_at else "rejected" if row.rejected_at else "entered"
    values = dict(row._mapping)
    return AdjustmentDocument(**values | {"table": values.pop("table_name"), "status": status})


def _require_stage(day: DayDocument, stage: Stage) -> None:
    if day.stage != stage:
        raise Denied(409, f"{day.gaming_day} is {day.stage}; this takes a day that is {stage}")


async def _require_table(connection: AsyncConnection, which: DayKey, table: str) -> None:
    c = counts.c
    query = select(c.sequence).where(c.property == which.property, c.table_name == table).limit(1)
    if (await connection.execute(query)).first() is None:
        raise NotFound(f"table {table} of {which.property} was never counted")


async def _incomplete(connection: AsyncConnection, which: DayKey, excused: set[str]) -> list[str]:
    """What is missing of a gaming day, in words."""
    c = counts.c
    since = which.gaming_day - _KNOWN_DAYS
    known = select(c.table_name).where(
        c.property == which.property, c.gaming_day <= which.gaming_day, c.gaming_day >= since
    )
    tables = set((await connection.execute(known.distinct())).scalars())
    windows = await reading.windows_of_day(connection, *which)
    ended = {
        window.end.table: window.end
        for window in windows
        if window.end is not None and window.end.purpose in ("closer", "drop", "carried")
    }
    left = [f"table {table} has no closer" for table in sorted(tables - ended.keys() - excused)]
    boxes = await reading.boxes_of_day(connection, *which)
    left += [f"box {box.box} of {box.table} is not counted" for box in boxes if box.count is None]
    played = {window.end.table for window in windows if window.is_play and window.end is not None}
    left += [f"no drop box of {table}" for table in sorted(played - {box.table for box in boxes} - excused)]
    s = slips.c
    under_way = select(s.slip, s.number).where(
        s.property == which.property, s.gaming_day == which.gaming_day, s.received_at.is_(None), s.voided_at.is_(None)
    )
    rows = await connection.execute(under_way.order_by(s.slip, s.number))
    return left + [f"{row.slip} slip {row.number} is not received" for row in rows]


def _fields(contract: Contract) -> dict[str, Any]:
    return {name: getattr(contract, name) for name in type(contract).model_fields}
