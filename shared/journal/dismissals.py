"""Read requested bulk dismissals, and the quarantined records that they select."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.journal_facts import EntryRange, QuarantineFilter
from shared.journal.tables import JournalTables


class RecordEntry(NamedTuple):
    """The number of a quarantined record, and the position of the entry that recorded its refusal."""

    quarantine: int
    shard: int
    seq: int


@dataclass(frozen=True, slots=True)
class Dismissal:
    """A requested bulk dismissal: its filter, the number of records that it selects, and the decision.

    `digest` covers the numbers and positions of these records at the time of the request.
    """

    dismissal: int
    until: int
    topic: str | None
    reason_contains: str | None
    property: str | None
    before: datetime | None
    records: int
    digest: str
    reason: str
    asked_by: str
    asked_at: datetime
    decision: str
    decided_by: str | None
    decided_at: datetime | None
    decided_reason: str | None


def filter_of(said: object) -> QuarantineFilter:
    """Return a filter made from an object that has the filter's fields as attributes."""
    return QuarantineFilter.model_validate({name: getattr(said, name) for name in QuarantineFilter.model_fields})


def properties_of(one: Dismissal) -> Sequence[str]:
    """Return the property to which a dismissal is limited, as a sequence of one; empty if it is not limited."""
    return () if one.property is None else (one.property,)


def digest_of(records: Iterable[RecordEntry]) -> str:
    """Return the SHA-256 over number, shard and seq of each record, in hexadecimal.

    >>> digest_of([RecordEntry(1, 2, 3)]) == sha256(b"1 2 3\\n").hexdigest()
    True
    """
    found = sha256()
    for one in records:
        found.update(b"%d %d %d\n" % one)
    return found.hexdigest()


def ranges_of(records: Iterable[RecordEntry]) -> tuple[EntryRange, ...]:
    """Return the entries of quarantined records as ranges of consecutive sequences, ordered by position.

    >>> [(one.shard, one.first, one.last) for one in ranges_of([RecordEntry(1, 2, 8), RecordEntry(2, 2, 9)])]
    [(2, 8, 9)]
    """
    ranges: list[list[int]] = []
    for shard, seq in sorted((one.shard, one.seq) for one in records):
        if ranges and ranges[-1][0] == shard and ranges[-1][2] == seq - 1:
            ranges[-1][2] = seq
        else:
            ranges.append([shard, seq, seq])
    return tuple(EntryRange(shard=shard, first=first, last=last) for shard, first, last in ranges)


def matching(tables: JournalTables, wanted: QuarantineFilter) -> ColumnElement[bool]:
    """Return the SQL condition that selects the open records of a filter."""
    q = tables.quarantine.c
    conditions = [q.resolved_at.is_(None), q.id <= wanted.until]
    if wanted.topic is not None:
        conditions.append(q.topic == wanted.topic)
    if wanted.reason_contains is not None:
        conditions.append(q.reason.contains(wanted.reason_contains, autoescape=True))
    if wanted.property is not None:
        conditions.append(q.listed_under == [wanted.property])
    if wanted.before is not None:
        conditions.append(q.quarantined_at < wanted.before)
    return and_(*conditions)


async def read_matching(
    connection: AsyncConnection,
    tables: JournalTables,
    wanted: QuarantineFilter,
    *,
    limit: int,
    lock: bool = False,
) -> Sequence[RecordEntry]:
    """Return the open records that a filter selects, oldest first, at most `limit`; `lock` locks them for closing."""
    q = tables.quarantine
    query = select(q.c.id, q.c.shard, q.c.seq).where(matching(tables, wanted)).order_by(q.c.id).limit(limit)
    rows = await connection.execute(query.with_for_update() if lock else query)
    return [RecordEntry(*row) for row in rows]


async def read_dismissal(
    connection: AsyncConnection, tables: JournalTables, number: int, *, lock: bool = False
) -> Dismissal | None:
    """Return a requested dismissal by number, or None; `lock` locks it for a decision."""
    d = tables.quarantine_dismissals
    query = select(d).where(d.c.dismissal == number)
    row = (await connection.execute(query.with_for_update() if lock else query)).one_or_none()
    return None if row is None else _dismissal(row)


async def list_dismissals(
    connection: AsyncConnection,
    tables: JournalTables,
    *,
    properties: Collection[str] | None = None,
    after: int = 0,
    limit: int,
) -> Sequence[Dismissal]:
    """Return requested dismissals, oldest first; with `properties`, only dismissals limited to one of these."""
    d = tables.quarantine_dismissals
    query = select(d).where(d.c.dismissal > after).order_by(d.c.dismissal).limit(limit)
    if properties is not None:
        query = query.where(d.c.property.in_(sorted(properties)))
    return [_dismissal(row) for row in await connection.execute(query)]


def _dismissal(row: Any) -> Dismissal:
    return Dismissal(**row._mapping)
