"""What has to be followed up of a gaming day, in one list: gaps, voids, late slips, variances, boxes, equipment."""

from datetime import date, datetime
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory import reading
from services.table_inventory.days import DayKey, read_adjustments, read_day
from services.table_inventory.equipment import clocks_of, open_tables, wrong_on
from services.table_inventory.policies import policy_on
from services.table_inventory.reports import day_report
from services.table_inventory.tables import manual_slips, movements, refusals, slips
from services.table_inventory.variances import key_of, variances_of_day
from services.table_inventory.variances import path_of as variance_path
from shared.contracts.inventory import SlipKind

ExceptionKind = Literal[
    "variance", "slip_void", "slip_late", "slip_gap", "slip_open", "box_not_transported", "box_not_counted",
    "check_not_dropped", "equipment", "adjustment", "changed_after_seal", "refused",
]  # fmt: skip
ExceptionState = Literal["open", "noted"]


class InventoryException(BaseModel):
    """Something to be followed up (`open`), or that is over and stays listed (`noted`)."""

    kind: ExceptionKind
    state: ExceptionState
    since: AwareDatetime
    subject: str
    table: str | None = None
    cents: int | None = None
    by: str | None = None
    owner: str | None = None
    reason: str


class Series(BaseModel):
    """A series of slip numbers: how far it has come, and what is not accounted for.

    Prepared slips (`manual` false) are numbered as they are prepared, so nothing can be missing.
    """

    property: str
    slip: SlipKind
    manual: bool
    first: int
    last: int
    used: int
    void: int
    missing: list[int]


async def series_of(connection: AsyncConnection, property_name: str) -> list[Series]:
    """The series of a property: of prepared slips and of paper slips, for fills and credits."""
    found: list[Series] = []
    for table, is_void in ((slips, slips.c.voided_at.is_not(None)), (manual_slips, manual_slips.c.void)):
        c = table.c
        query = select(
            c.slip,
            func.min(c.number).label("first"),
            func.max(c.number).label("last"),
            func.count().label("used"),
            func.count().filter(is_void).label("void"),
        )
        rows = (await connection.execute(query.where(c.property == property_name).group_by(c.slip))).all()
        for row in sorted(rows, key=lambda row: row.slip):
            first = 1 if table is slips else row.first
            missing: list[int] = []
            if row.used != row.last - first + 1:
                numbers = select(c.number).where(c.property == property_name, c.slip == row.slip)
                there = set((await connection.execute(numbers)).scalars())
                missing = [number for number in range(first, row.last + 1) if number not in there]
            found.append(
                Series(
                    property=property_name,
                    slip=row.slip,
                    manual=table is manual_slips,
                    first=first,
                    last=row.last,
                    used=row.used,
                    void=row.void,
                    missing=missing,
                )
            )
    return found


async def exceptions_of_day(
    connection: AsyncConnection, property_name: str, gaming_day: date, *, now: datetime
) -> list[InventoryException]:
    """All exceptions of a gaming day, oldest first."""
    day = DayKey(property_name, gaming_day)
    found = await _variances(connection, day)
    found += await _slips(connection, day)
    found += await _boxes(connection, day)
    found += await _equipment(connection, day, now)
    found += await _adjustments(connection, day)
    found += await _changed(connection, day, now)
    found += await _refused(connection, day)
    return sorted(found, key=lambda one: (one.since, one.kind, one.subject))


async def _variances(connection: AsyncConnection, day: DayKey) -> list[InventoryException]:
    return [
        InventoryException(
            kind="variance",
            state="noted" if variance.state == "resolved" else "open",
            since=variance.at,
            subject=variance_path(key_of(variance)),
            table=variance.table,
            cents=variance.cents,
            owner=variance.owner,
            reason=variance.conclusion
            or f"{variance.what}: {variance.counted_cents} cents against {variance.expected_cents} ({variance.level})",
        )
        for variance in await variances_of_day(connection, *day)
    ]


async def _slips(connection: AsyncConnection, day: DayKey) -> list[InventoryException]:
    found: list[InventoryException] = []
    for row in await reading.slips_of_day(connection, *day):
        subject = f"/slips/{row.property}/{row.slip}/{row.number}"
        if row.voided_at is not None:
            found.append(_noted("slip_void", row.voided_at, subject, row.void_reason, row.table_name, row.voided_by))
        elif row.received_at is None:
            what = "is not carried yet" if row.carried_at is None else "is on its way"
            found.append(
                InventoryException(
                    kind="slip_open",
                    state="open",
                    since=row.carried_at or row.prepared_at,
                    subject=subject,
                    table=row.table_name,
                    cents=row.cents,
                    reason=f"{row.slip} slip {row.number} {what}",
                )
            )
    m = manual_slips.c
    query = select(manual_slips).where(m.property == day.property, m.gaming_day == day.gaming_day)
    for row in await connection.execute(query.order_by(m.slip, m.number)):
        subject = f"/manual-slips/{row.property}/{row.slip}/{row.number}"
        kind: ExceptionKind = "slip_void" if row.void else "slip_late"
        found.append(_noted(kind, row.entered_at, subject, row.reason, row.table_name, row.entered_by, row.cents))
    if found:
        since = max(one.since for one in found)
        for series in await series_of(connection, day.property):
            for number in series.missing:
                found.append(
                    InventoryException(
                        kind="slip_gap",
                        state="open",
                        since=since,
                        subject=f"/manual-slips/{day.property}/{series.slip}/{number}",
                        reason=f"paper {series.slip} slip {number} is not accounted for",
                    )
                )
    return found


async def _boxes(connection: AsyncConnection, day: DayKey) -> list[InventoryException]:
    found: list[InventoryException] = []
    for box in await reading.boxes_of_day(connection, *day):
        if box.count is not None:
            continue
        kind: ExceptionKind = "box_not_transported" if box.transported_at is None else "box_not_counted"
        what = "did not come to the count room yet" if box.transported_at is None else "is not counted yet"
        found.append(
            InventoryException(
                kind=kind,
                state="open",
                since=box.removed_at,
                subject=f"{box.table}/{box.exchange}",
                table=box.table,
                reason=f"box {box.box} {what}",
            )
        )
    return found + await _checks(connection, day)


async def _checks(connection: AsyncConnection, day: DayKey) -> list[InventoryException]:
    """Counter checks whose issuance copies were in no box of the day, once all boxes of the table are counted."""
    boxes = await reading.boxes_of_day(connection, *day)
    counted = {box.table for box in boxes} - {box.table for box in boxes if box.count is None}
    if not counted:
        return []
    m = movements.c
    query = select(movements).where(
        m.property == day.property,
        m.gaming_day == day.gaming_day,
        m.cause == "counter_check",
        m.table_name.in_(counted),
    )
    dropped = await reading.checks_of_day(connection, *day)
    return [
        InventoryException(
            kind="check_not_dropped",
            state="open",
            since=row.at,
            subject=row.ref,
            table=row.table_name,
            cents=-row.cents,
            reason=f"counter check {row.ref} was issued at {row.table_name} and is in no box as it was issued",
        )
        for row in await connection.execute(query.order_by(m.at))
        if (row.table_name, row.ref, -row.cents) not in dropped
    ]


async def _equipment(connection: AsyncConnection, day: DayKey, now: datetime) -> list[InventoryException]:
    found = [
        _noted("equipment", wrong.at, f"{wrong.table}/{wrong.check}", wrong.what, wrong.table, wrong.by)
        for wrong in await wrong_on(connection, *day)
    ]
    on_day = {
        table.table: table.opened_at
        for table in await open_tables(connection, day.property)
        if table.gaming_day == day.gaming_day
    }
    for clock in await clocks_of(connection, day.property, now):
        if clock.overdue and clock.table in on_day:
            found.append(
                InventoryException(
                    kind="equipment",
                    state="open",
                    since=clock.due_at or clock.done_at or on_day[clock.table],
                    subject=f"{clock.table}/{clock.check}",
                    table=clock.table,
                    reason=f"overdue: {clock.rule}",
                )
            )
    return found


async def _adjustments(connection: AsyncConnection, day: DayKey) -> list[InventoryException]:
    listed = policy_on(day.gaming_day).adjustment_listed_cents
    return [
        InventoryException(
            kind="adjustment",
            state="open" if one.status == "entered" else "noted",
            since=one.entered_at,
            subject=f"/gaming-days/{day.property}/{day.gaming_day}/adjustments/{one.adjustment}",
            table=one.table,
            cents=one.cents,
            by=one.entered_by,
            reason=one.reason,
        )
        for one in await read_adjustments(connection, day)
        if one.status == "entered" or (one.status == "approved" and (abs(one.cents) > listed or one.stage == "final"))
    ]


async def _changed(connection: AsyncConnection, day: DayKey, now: datetime) -> list[InventoryException]:
    standing = await read_day(connection, day)
    if standing.report is None or standing.final_at is None:
        return []
    report = await day_report(connection, *day, at=now)
    before = {row["table"]: row["win_cents"] for row in standing.report["tables"]}
    return [
        InventoryException(
            kind="changed_after_seal",
            state="open",
            since=standing.final_at,
            subject=f"/gaming-days/{day.property}/{day.gaming_day}",
            table=row.table,
            cents=None if row.win_cents is None else row.win_cents - (before.get(row.table) or 0),
            reason="what came after the seal makes another win: it takes an adjusting entry",
        )
        for row in report.tables
        if row.win_cents != before.get(row.table)
    ]


async def _refused(connection: AsyncConnection, day: DayKey) -> list[InventoryException]:
    r = refusals.c
    query = select(refusals).where(r.property == day.property, r.gaming_day == day.gaming_day).order_by(r.at)
    return [_noted("refused", row.at, row.command, row.reason, None, row.by) for row in await connection.execute(query)]


def _noted(
    kind: ExceptionKind, since: Any, subject: str, reason: str, table: str | None, by: str, cents: int | None = None
) -> InventoryException:
    return InventoryException(
        kind=kind, state="noted", since=since, subject=subject, table=table, cents=cents, by=by, reason=reason
    )
