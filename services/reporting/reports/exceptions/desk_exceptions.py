"""Exceptions of the pit, cage and count room: variances, slips, slip numbers, boxes and adjustments to follow up."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from typing import Final

from services.reporting.framework.figures import EntryRef, Figure
from services.reporting.read_model.adjustments import Adjustment, adjustments_of, is_over_limit
from services.reporting.read_model.boxes import Box
from services.reporting.read_model.compared import compared_boxes, compared_windows
from services.reporting.read_model.exceptions import Exceptional, Severity
from services.reporting.read_model.many_slips import compared_slips
from services.reporting.read_model.reading import Books
from services.reporting.read_model.series import missing_of
from services.reporting.read_model.shift_times import OtherShift, other_shifts
from services.reporting.read_model.slips import Slip
from services.reporting.read_model.variances import CaseKey, Cases, Level, cases_of, level_of
from services.reporting.read_model.windows import Window
from shared.contracts.exact import shown
from shared.contracts.inventory import PitRecorded, PitVoided

_SEVERITY: Final[Mapping[Level, Severity]] = {"noted": "low", "report": "medium", "authority": "high"}


async def of_desk(books: Books) -> list[Exceptional]:
    """Return the exceptions of pit, cage and count room on the queried gaming days."""
    cases = await cases_of(books)
    windows, boxes, slips = await asyncio.gather(
        compared_windows(books, cases), compared_boxes(books, cases), compared_slips(books, cases.owned_on)
    )
    return [
        *(found for window in windows.off for found in _inventory(books, cases, window)),
        *(found for box in boxes.off for found in _box(books, cases, box)),
        *(found for slip in slips.off for found in _slip(books, cases, slip)),
        *await _missing(books),
        *(found for one in await adjustments_of(books) for found in _adjustment(books, one)),
        *await _other_days(books),
        *[_other_shift(one) async for one in other_shifts(books)],
        *await _voided(books),
    ]


def _variance(
    books: Books, cases: Cases, key: CaseKey, variance: Figure, since: datetime, *parts: int
) -> Iterator[Exceptional]:
    """Yield the exception of a variance; it is open if reportable and unresolved, or if it changed after resolution."""
    day, table, kind, number = key
    case = cases.of(key)
    status = case.status(variance.value, *parts)
    if status == "none":
        return
    largest = max(parts, key=abs, default=variance.value)
    level = level_of(books.place_on(day), day, largest)
    after_seal = cases.is_open_after_seal(key, variance.value, *parts)
    is_open = status != "resolved" and (level != "noted" or status == "changed")
    said = [one.entry for one in (case.owned, case.resolved) if one is not None]
    of_entries = [one for one in variance.sources if isinstance(one, EntryRef)]
    yield Exceptional(
        kind="variance",
        status="resolved" if status == "resolved" else "open" if is_open else "noted",
        since=since,
        subject=f"{kind} {table}/{number}",
        reason=f"{level}, the day is sealed" if after_seal else level,
        entries=tuple(dict.fromkeys((*of_entries, *said))),
        gaming_day=day,
        table=table,
        cents=variance.value,
        severity="high" if after_seal and is_open else _SEVERITY[level],
        owner=case.owner,
        settled_at=case.resolved_at,
        settled_by=case.owner if status == "resolved" else None,
        resolution=case.resolved.fact.conclusion if case.resolved is not None else None,
    )


def _inventory(books: Books, cases: Cases, window: Window) -> Iterator[Exceptional]:
    if window.variance is not None:
        yield from _variance(books, cases, window.key, window.variance, window.end.at)


def _box(books: Books, cases: Cases, box: Box) -> Iterator[Exceptional]:
    fact = box.exchanged.fact
    currency, checks = box.difference("currency"), box.difference("counter_check")
    if currency is None or checks is None:
        yield Exceptional(
            kind="box_not_counted",
            status="open",
            since=box.exchanged.occurred_at,
            subject=f"{fact.table}/{fact.sequence}",
            reason=f"box {fact.data.removed_box} is not counted yet",
            entries=(box.exchanged.entry,),
            gaming_day=fact.gaming_day,
            table=fact.table,
        )
        return
    since = box.exchanged.occurred_at
    yield from _variance(books, cases, box.key, currency + checks, since, currency.value, checks.value)


def _slip(books: Books, cases: Cases, slip: Slip) -> Iterator[Exceptional]:
    begun, last = slip.begun, slip.steps[-1]
    subject = f"{slip.series} {slip.slip} {slip.number or f'request {begun.request}'}"
    here = {
        "subject": subject,
        "since": last.occurred_at,
        "entries": tuple(step.entry for step in reversed(slip.steps)),
        "gaming_day": begun.gaming_day,
        "table": getattr(begun, "table", None),
    }
    if slip.status == "void":
        said = (slip.voided or last).fact
        reason, by = (getattr(said, "void_reason", None) or said.reason), getattr(said, "voided_by", None)
        yield Exceptional(kind="slip_void", status="noted", reason=reason, by=by or said.entered_by, **here)
    elif slip.paper is not None:
        reason, by = begun.reason, begun.entered_by
        yield Exceptional(kind="slip_late", status="noted", reason=reason, by=by, cents=slip.value.value, **here)
    elif slip.arrived is None:
        reason = f"{slip.status}, and not received"
        yield Exceptional(kind="slip_open", status="open", reason=reason, cents=slip.value.value, **here)
    elif slip.number is not None:
        key = (begun.gaming_day, begun.table, slip.slip, slip.number)
        yield from _variance(books, cases, key, slip.arrived - slip.value, last.occurred_at)


async def _missing(books: Books) -> list[Exceptional]:
    """Return exceptions for unaccounted slip numbers discovered on or before the last queried gaming day."""
    found = []
    for gap in await missing_of(books):
        day = books.place.gaming_day(gap.known_at)
        if day <= books.question.last:
            numbers = f"{gap.first}" if gap.first == gap.last else f"{gap.first}-{gap.last}"
            found.append(
                Exceptional(
                    kind="slip_gap",
                    status="open",
                    since=gap.known_at,
                    subject=f"{gap.series} {gap.slip} {numbers}",
                    reason="not accounted for",
                    entries=(gap.entry,),
                    gaming_day=day,
                )
            )
    return found


def _adjustment(books: Books, one: Adjustment) -> Iterator[Exceptional]:
    """Yield an exception if an adjustment is pending, or was approved over the limit or after the seal."""
    waits = one.status == "entered"
    if not (waits or (one.status == "approved" and (one.after_seal or is_over_limit(books, one)))):
        return
    yield Exceptional(
        kind="adjustment",
        status="open" if waits else "approved",
        since=one.entered_at,
        subject=f"{one.of} {one.about or one.gaming_day}/{one.number}, {one.figure}",
        reason=one.reason,
        entries=one.entries,
        gaming_day=one.gaming_day,
        table=one.table,
        cents=None if one.change is None else shown(one.nanocents),
        by=one.entered_by,
        settled_at=one.decided_at,
        settled_by=one.decided_by,
    )


async def _other_days(books: Books) -> Iterable[Exceptional]:
    return [
        Exceptional(
            kind="other_gaming_day",
            status="noted",
            since=one.occurred_at,
            subject=f"{one.fact.table}/{one.fact.event}",
            reason=f"claimed gaming day {_claimed(one.fact)}: it is recorded under that of its moment",
            entries=(one.entry,),
            gaming_day=one.gaming_day,
            table=one.fact.table,
        )
        for one in await books.other_days()
    ]


def _other_shift(one: OtherShift) -> Exceptional:
    return Exceptional(
        kind="other_shift",
        status="noted",
        since=one.at,
        subject=f"{one.table}/{one.event}",
        reason=f"claimed shift {one.claimed}: the table was in shift {one.shift}, as it was counted",
        entries=(one.entry,),
        gaming_day=one.gaming_day,
        table=one.table,
    )


async def _voided(books: Books) -> Iterable[Exceptional]:
    """Return exceptions for the voided pit events of the queried gaming days."""
    return [
        Exceptional(
            kind="pit_voided",
            status="noted",
            since=one.recorded_at,
            subject=f"{one.fact.table}/{one.fact.sequence} {one.fact.event}",
            reason=one.fact.correction.reason,
            entries=(one.entry,),
            gaming_day=one.gaming_day,
            table=one.fact.table,
            cents=None if one.fact.moved is None else one.fact.moved.cents,
            by=f"{one.fact.correction.entered_by}, {one.fact.correction.approved_by}",
        )
        for one in await books.facts(PitVoided)
    ]


def _claimed(fact: PitRecorded) -> date:
    assert fact.claimed_day is not None, "only what claims another day is read"
    return fact.claimed_day
