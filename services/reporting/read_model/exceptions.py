"""Exceptions as of a given time: missing or refused input, changes, and the resolution of each exception."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Literal

from sqlalchemy import text

from services.reporting.framework.figures import EntryRef, Sources
from services.reporting.read_model.reading import Books, Listed
from services.reporting.read_model.statements import OF_INPUT

Severity = Literal["high", "medium", "low"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exceptional:
    """An exception, its subject, and its resolution.

    The first of `entries` reports the exception; the other entries record its follow-up. `number` distinguishes several
    exceptions of one entry. `evidence` is further provenance. `status` is `open` until the exception is resolved; an
    exception that is `noted` needs no action. `severity` and `owner` are set if they do not follow from the `kind`.
    """

    kind: str
    status: str
    since: datetime
    subject: str
    reason: str
    entries: tuple[EntryRef, ...]
    number: int = 0
    evidence: Sources = ()
    gaming_day: date | None = None
    table: str | None = None
    cents: int | None = None
    severity: Severity | None = None
    owner: str | None = None
    by: str | None = None
    settled_at: datetime | None = None
    settled_by: str | None = None
    resolution: str | None = None


async def of_input(books: Books) -> list[Exceptional]:
    """Return exceptions for missing or refused input, and for rounds that were changed or have a notice.

    An exception without a gaming day belongs to the day on which it was found, and to every later day while it is open.
    """
    asked = books.question
    begins = books.place_on(asked.first).begins_at(asked.first)
    ends = books.place_on(asked.last).begins_at(asked.last + timedelta(days=1))
    days = {"first": asked.first, "last": asked.last, "begins": begins, "ends": ends, "table": asked.table}
    return [_of_input(row) for row in await books.read(text(OF_INPUT), **days)]


def _of_input(row: Any) -> Exceptional:
    entry = EntryRef(row.service, row.shard, row.seq)
    settled = () if row.settled_seq is None else (EntryRef(row.service, row.settled_shard, row.settled_seq),)
    status = _status(row)
    # The upper bound of a range in a multirange is exclusive.
    missing = [(one.lower, one.upper - 1) for one in row.missing or ()]
    return Exceptional(
        kind=row.kind,
        status=status,
        since=row.since,
        subject=_subject(row),
        reason=_reason(row, missing),
        entries=(entry, *settled),
        number=row.number,
        gaming_day=row.gaming_day,
        table=None if row.anybodys else row.table_name,
        by=_people(row.entered_by, row.approved_by),
        settled_at=None if status in ("open", "noted") else row.settled_at,
        settled_by=_people(row.settled_by, row.settled_approved_by),
        resolution=row.settled_reason,
    )


def _status(row: Any) -> str:
    match row.kind:
        case "gap":
            return "open" if row.missing else "filled"
        case "quarantined":
            return row.settled or "open"
        case _:
            return row.settled or "noted"


def _subject(row: Any) -> str:
    match row.kind:
        case "gap" | "late":
            return f"{row.stream} {_range(row.first, row.last)}"
        case "quarantined":
            return f"{row.topic}/{row.partition}/{row.offset}"
        case _ if row.round_id is None:
            return f"{row.stream} {_range(row.first, row.last)}"
        case _:
            return f"{row.round_id}" if row.revision is None else f"{row.round_id}, revision {row.revision}"


def _reason(row: Any, missing: Sequence[tuple[int, int]]) -> str:
    if row.kind == "notice":
        seat = f"seat {row.seat}: " if row.seat else ""
        return f"{seat}{row.detail} ({row.paragraph})"
    if row.kind == "gap" and missing:
        return f"have not come: {', '.join(_range(*one) for one in missing)}{whose(row)}"
    return f"{row.reason}{whose(row)}"


def whose(row: Any) -> str:
    """Return the remark for an exception that names no known property; empty for all other exceptions."""
    return "; it names no property that is known: it is listed for every one" if row.anybodys else ""


def _range(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first}-{last}"


def _people(*names: str | None) -> str | None:
    return ", ".join(name for name in names if name is not None) or None


async def refused_commands(books: Books) -> list[Exceptional]:
    """Return exceptions for the commands that any service refused on the queried gaming days."""
    return [_refused(one) for one in await books.refusals()]


def _refused(listed: Listed) -> Exceptional:
    fact = listed.fact
    return Exceptional(
        kind="refused",
        status="noted",
        since=fact.at,
        subject=fact.command,
        reason=f"{fact.reason}: {fact.detail}",
        entries=(listed.entry,),
        gaming_day=listed.gaming_day,
        by=fact.by,
    )


async def restated_days(books: Books) -> list[Exceptional]:
    """Return exceptions for the entries that changed a queried gaming day after the day was sealed."""
    return [
        Exceptional(
            kind="restated",
            status="noted",
            since=one.recorded_at,
            subject=f"{one.gaming_day}, version {one.version}",
            reason=f"{one.kind}: {one.why}" if one.why else one.kind,
            entries=(one.entry,),
            gaming_day=one.gaming_day,
            by=one.who or None,
        )
        for one in await books.restatements()
    ]


def in_order(found: Iterable[Exceptional]) -> list[Exceptional]:
    """Return the given exceptions sorted, oldest first."""
    return sorted(found, key=lambda one: (one.since, one.kind, one.subject, one.entries[0].seq, one.number))
