"""The follow-ups of a gaming day: items that a person must still look at."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from pydantic import AwareDatetime, BaseModel

from services.table_inventory.domain.boxes import Box
from services.table_inventory.domain.days import Adjustment, Day, DayKey, in_words
from services.table_inventory.domain.equipment import OpenTable, clocks
from services.table_inventory.domain.provisions import Provisions
from services.table_inventory.domain.sessions import Sessions
from services.table_inventory.domain.slips import Slip
from services.table_inventory.domain.unopened import Unopened
from services.table_inventory.domain.variances import Variance
from services.table_inventory.domain.win import Win
from shared.contracts.money import amount
from shared.contracts.win import Missing

FollowUpKind = Literal[
    "variance", "slip_open", "box_not_transported", "box_not_counted", "check_not_dropped", "equipment", "adjustment",
    "changed_after_seal", "missing", "opener_of_open_table",
]  # fmt: skip


class FollowUp(BaseModel):
    """An item that needs attention before the gaming day can be closed, or after it was closed."""

    kind: FollowUpKind
    since: AwareDatetime
    subject: str
    table: str | None = None
    cents: int | None = None
    by: str | None = None
    owner: str | None = None
    reason: str


class IssuedCheck(BaseModel):
    """A counter check that is missing from the counted drop boxes, although its own drop box was counted."""

    table: str
    serial: str
    cents: int
    at: AwareDatetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The data from which the follow-ups of a gaming day are derived."""

    key: DayKey
    provisions: Provisions
    zone: ZoneInfo
    day: Day
    tables: Sequence[Win]
    """The current win of each table. It may be empty unless the day is sealed."""
    variances: Sequence[Variance]
    slips: Sequence[Slip]
    """The slips that are in progress or have a variance."""
    boxes: Sequence[Box]
    sessions: Sequence[Sessions]
    lacks: Sequence[tuple[str, Missing]]
    """Missing items by table."""
    unopened: Sequence[Unopened]
    checks: Sequence[IssuedCheck]
    open_tables: Sequence[OpenTable]
    adjustments: Sequence[Adjustment]


def follow_ups(found: Findings, now: datetime) -> list[FollowUp]:
    """Return the follow-ups, oldest first."""
    listed = [
        *_variances(found.variances),
        *_slips(found.slips),
        *_boxes(found.boxes),
        *_lacks(found),
        *_checks(found),
        *_equipment(found, now),
        *_adjustments(found),
        *_changed(found),
    ]
    return sorted(listed, key=lambda one: (one.since, one.kind, one.subject))


def _variances(variances: Iterable[Variance]) -> Iterator[FollowUp]:
    for one in variances:
        if one.status != "resolved":
            what = f"{one.what}: {amount(one.counted_cents)} against {amount(one.expected_cents)} ({one.level})"
            more = {"table": one.table, "cents": one.cents, "owner": one.owner}
            yield FollowUp(kind="variance", since=one.at, subject=one.key().path(), reason=what, **more)


def _slips(slips: Iterable[Slip]) -> Iterator[FollowUp]:
    for slip in slips:
        if slip.voided_at is None and slip.received_at is None:
            what = "is not carried yet" if slip.carried_at is None else "is on its way"
            since = slip.carried_at or slip.prepared_at
            more = {"table": slip.table, "cents": slip.cents, "reason": f"{slip.slip} slip {slip.number} {what}"}
            yield FollowUp(kind="slip_open", since=since, subject=slip.key.path(), **more)


def _boxes(boxes: Iterable[Box]) -> Iterator[FollowUp]:
    for box in boxes:
        if not box.is_done:
            kind: FollowUpKind = "box_not_transported" if box.transported_at is None else "box_not_counted"
            what = "did not come to the count room yet" if box.transported_at is None else "is not counted yet"
            subject = f"{box.table}/{box.exchange}"
            reason = f"box {box.box} {what}"
            yield FollowUp(kind=kind, since=box.removed_at, subject=subject, reason=reason, table=box.table)


def _lacks(found: Findings) -> Iterator[FollowUp]:
    """Yield follow-ups for missing counts and boxes, play at closed tables, and openers of tables already open."""
    for table, missing in found.lacks:
        if missing.what not in ("slip", "count"):  # slips and boxes have follow-ups of their own
            reason = in_words(table, missing, found.zone)
            yield FollowUp(kind="missing", since=missing.since, subject=table, reason=reason, table=table)
    for one in found.unopened:
        what = one.in_words(found.zone)
        yield FollowUp(kind="missing", since=one.since, subject=one.table, reason=what, table=one.table)
    for sessions in found.sessions:
        for count in sessions.unexpected:
            if count.gaming_day == found.key.gaming_day:
                reason = f"{count.table} was open already: this opener counts it, and begins nothing of its own"
                subject = f"{count.table}/{count.sequence}"
                yield FollowUp(
                    kind="opener_of_open_table", since=count.at, subject=subject, reason=reason, table=count.table
                )


def _checks(found: Findings) -> Iterator[FollowUp]:
    """Yield follow-ups for counter checks that no counted drop box contains as issued."""
    for one in found.checks:
        reason = f"counter check {one.serial} was issued at {one.table} and is in no box as it was issued"
        more = {"table": one.table, "cents": one.cents, "reason": reason}
        yield FollowUp(kind="check_not_dropped", since=one.at, subject=one.serial, **more)


def _equipment(found: Findings, now: datetime) -> Iterator[FollowUp]:
    for table in found.open_tables:
        if table.gaming_day != found.key.gaming_day:
            continue
        for clock in clocks(table, found.provisions, now):
            if clock.overdue:
                since = clock.due_at or clock.done_at or table.opened_at
                subject = f"{clock.table}/{clock.check}"
                reason = f"overdue: {clock.rule}"
                yield FollowUp(kind="equipment", since=since, subject=subject, reason=reason, table=clock.table)


def _adjustments(found: Findings) -> Iterator[FollowUp]:
    for one in found.adjustments:
        if one.status == "entered":
            subject = f"{found.key.path()}/adjustments/{one.adjustment}"
            more = {"table": one.table, "cents": one.cents, "by": one.entered_by, "reason": one.reason}
            yield FollowUp(kind="adjustment", since=one.entered_at, subject=subject, **more)


def _changed(found: Findings) -> Iterator[FollowUp]:
    if found.day.report is None or found.day.final_at is None:
        return
    sealed = {row["table"]: row["win_cents"] for row in found.day.report["tables"]}
    for row in found.tables:
        before = sealed.get(row.table)
        if row.win_cents != before:
            cents = None if row.win_cents is None else row.win_cents - (before or 0)
            reason = "what came after the seal restates the win: an adjusting entry would count it twice"
            more = {"table": row.table, "cents": cents, "reason": reason}
            yield FollowUp(kind="changed_after_seal", since=found.day.final_at, subject=found.key.path(), **more)
