"""What has to be followed up of a gaming day, in one list: gaps, voids, late slips, variances, boxes, equipment."""

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel

from services.table_inventory.domain.boxes import Box
from services.table_inventory.domain.days import Adjustment, Day, DayKey
from services.table_inventory.domain.equipment import CheckDone, OpenTable, clocks
from services.table_inventory.domain.policies import Policy
from services.table_inventory.domain.slips import Slip
from services.table_inventory.domain.variances import Variance
from services.table_inventory.domain.win import DayWin
from shared.contracts.inventory import SlipKind

ExceptionKind = Literal[
    "variance", "slip_void", "slip_late", "slip_gap", "slip_open", "box_not_transported", "box_not_counted",
    "check_not_dropped", "equipment", "adjustment", "changed_after_seal", "refused", "other_gaming_day",
]  # fmt: skip
ExceptionStatus = Literal["open", "noted"]


class InventoryException(BaseModel):
    """Something to be followed up (`open`), or that is over and stays listed (`noted`)."""

    kind: ExceptionKind
    status: ExceptionStatus
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


class PaperSlip(BaseModel):
    """A paper slip that was entered afterwards, or whose form was spoilt."""

    property: str
    slip: SlipKind
    number: int
    table: str | None
    cents: int | None
    entered_by: str
    entered_at: AwareDatetime
    void: bool
    reason: str


class IssuedCheck(BaseModel):
    """A counter check that was issued at a table."""

    table: str
    serial: str
    cents: int
    at: AwareDatetime


class OtherDay(BaseModel):
    """A pit event that claimed another gaming day than that of its moment; `sequence` is its place in the stream."""

    table: str
    sequence: int
    event: str
    at: AwareDatetime
    claimed_day: date


class RefusedCommand(BaseModel):
    """A command that was refused."""

    command: str
    detail: str
    by: str
    at: AwareDatetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What is known of a gaming day that may have to be followed up."""

    key: DayKey
    policy: Policy
    day: Day
    win: DayWin
    variances: Sequence[Variance]
    slips: Sequence[Slip]
    paper: Sequence[PaperSlip]
    series: Sequence[Series]
    boxes: Sequence[Box]
    checks: Sequence[IssuedCheck]
    dropped: Set[tuple[str, str, int]]
    """(table, serial, cents) of the counter checks in counted boxes."""
    done: Sequence[CheckDone]
    open_tables: Sequence[OpenTable]
    adjustments: Sequence[Adjustment]
    refused: Sequence[RefusedCommand]
    other_days: Sequence[OtherDay]


def exceptions(found: Findings, now: datetime) -> list[InventoryException]:
    """Return all exceptions of a gaming day, oldest first."""
    listed = [
        *_variances(found.variances),
        *_slips(found),
        *_boxes(found.boxes),
        *_checks(found),
        *_equipment(found, now),
        *_adjustments(found),
        *_changed(found),
        *(_noted("refused", one.at, one.command, one.detail, by=one.by) for one in found.refused),
        *_other_days(found.other_days),
    ]
    return sorted(listed, key=lambda one: (one.since, one.kind, one.subject))


def _open(kind: ExceptionKind, since: datetime, subject: str, reason: str, **more: Any) -> InventoryException:
    return InventoryException(kind=kind, status="open", since=since, subject=subject, reason=reason, **more)


def _noted(kind: ExceptionKind, since: datetime, subject: str, reason: str, **more: Any) -> InventoryException:
    return InventoryException(kind=kind, status="noted", since=since, subject=subject, reason=reason, **more)


def _variances(variances: Iterable[Variance]) -> Iterator[InventoryException]:
    for one in variances:
        what = f"{one.what}: {one.counted_cents} cents against {one.expected_cents} ({one.level})"
        make = _noted if one.status == "resolved" else _open
        reason = one.conclusion or what
        yield make("variance", one.at, one.key().path(), reason, table=one.table, cents=one.cents, owner=one.owner)


def _slips(found: Findings) -> Iterator[InventoryException]:
    listed: list[InventoryException] = []
    for slip in found.slips:
        if slip.voided_at is not None:
            reason, by = slip.void_reason or "", slip.voided_by
            listed.append(_noted("slip_void", slip.voided_at, slip.key.path(), reason, table=slip.table, by=by))
        elif slip.received_at is None:
            what = "is not carried yet" if slip.carried_at is None else "is on its way"
            since = slip.carried_at or slip.prepared_at
            reason = f"{slip.slip} slip {slip.number} {what}"
            listed.append(_open("slip_open", since, slip.key.path(), reason, table=slip.table, cents=slip.cents))
    for paper in found.paper:
        kind: ExceptionKind = "slip_void" if paper.void else "slip_late"
        more = {"table": paper.table, "by": paper.entered_by, "cents": paper.cents}
        subject = _paper_path(found.key.property, paper.slip, paper.number)
        listed.append(_noted(kind, paper.entered_at, subject, paper.reason, **more))
    yield from listed
    if not listed:
        return
    since = max(one.since for one in listed)
    for series in found.series:
        for number in series.missing:
            subject = _paper_path(found.key.property, series.slip, number)
            yield _open("slip_gap", since, subject, f"paper {series.slip} slip {number} is not accounted for")


def _paper_path(property_name: str, slip: SlipKind, number: int) -> str:
    return f"/manual-slips/{property_name}/{slip}/{number}"


def _boxes(boxes: Iterable[Box]) -> Iterator[InventoryException]:
    for box in boxes:
        if box.count is None:
            kind: ExceptionKind = "box_not_transported" if box.transported_at is None else "box_not_counted"
            what = "did not come to the count room yet" if box.transported_at is None else "is not counted yet"
            subject = f"{box.table}/{box.exchange}"
            yield _open(kind, box.removed_at, subject, f"box {box.box} {what}", table=box.table)


def _checks(found: Findings) -> Iterator[InventoryException]:
    """Return counter checks whose issuance copies were in no box, where all boxes of the table are counted."""
    counted = {box.table for box in found.boxes} - {box.table for box in found.boxes if box.count is None}
    for one in found.checks:
        if one.table in counted and (one.table, one.serial, one.cents) not in found.dropped:
            reason = f"counter check {one.serial} was issued at {one.table} and is in no box as it was issued"
            yield _open("check_not_dropped", one.at, one.serial, reason, table=one.table, cents=one.cents)


def _equipment(found: Findings, now: datetime) -> Iterator[InventoryException]:
    for done in found.done:
        if (what := done.wrong(found.policy)) is not None:
            subject = f"{done.table}/{done.check}"
            yield _noted("equipment", done.at, subject, what, table=done.table, by=done.by)
    for table in found.open_tables:
        if table.gaming_day != found.key.gaming_day:
            continue
        for clock in clocks(table, found.policy, now):
            if clock.overdue:
                since = clock.due_at or clock.done_at or table.opened_at
                subject = f"{clock.table}/{clock.check}"
                yield _open("equipment", since, subject, f"overdue: {clock.rule}", table=clock.table)


def _adjustments(found: Findings) -> Iterator[InventoryException]:
    listed_cents = found.policy.adjustment_listed_cents
    for one in found.adjustments:
        subject = f"{found.key.path()}/adjustments/{one.adjustment}"
        more = {"table": one.table, "cents": one.cents, "by": one.entered_by}
        if one.status == "entered":
            yield _open("adjustment", one.entered_at, subject, one.reason, **more)
        elif one.status == "approved" and (abs(one.cents) > listed_cents or one.day_status == "final"):
            yield _noted("adjustment", one.entered_at, subject, one.reason, **more)


def _other_days(events: Iterable[OtherDay]) -> Iterator[InventoryException]:
    for one in events:
        reason = f"{one.event} claimed gaming day {one.claimed_day}: it is recorded under that of its moment"
        yield _noted("other_gaming_day", one.at, f"{one.table}/{one.sequence}", reason, table=one.table)


def _changed(found: Findings) -> Iterator[InventoryException]:
    if found.day.report is None or found.day.final_at is None:
        return
    sealed = {row["table"]: row["win_cents"] for row in found.day.report["tables"]}
    for row in found.win.tables:
        before = sealed.get(row.table)
        if row.win_cents != before:
            cents = None if row.win_cents is None else row.win_cents - (before or 0)
            reason = "what came after the seal makes another win: it takes an adjusting entry"
            yield _open(
                "changed_after_seal", found.day.final_at, found.key.path(), reason, table=row.table, cents=cents
            )
