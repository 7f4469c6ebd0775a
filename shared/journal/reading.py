"""Read a journal: entries as recorded, their postings, and balances by time of occurrence and of recording."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from itertools import zip_longest
from typing import Any, Final

from sqlalchemy import ARRAY, BigInteger, ColumnElement, Integer, Text, and_, any_, cast, func, literal, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.reports import Reached
from shared.contracts.topics import Topic
from shared.journal.entry import Account, Entry, EntryDraft, Posting
from shared.journal.tables import JournalTables

_PLACES: Final = 100
"""The number of positions read with one query."""
_TURN: Final = 20
"""The number of entries after which other tasks get a turn; handling an entry takes 0.1 ms or more."""


async def _go_on() -> None:
    """Do not pause: the default for `rest`."""


@dataclass(frozen=True, slots=True)
class Pacing:
    """The pacing of a journal read: entries per part, and a pause (`rest`) between parts."""

    entries: int = 500
    rest: Callable[[], Awaitable[None]] = _go_on


async def read_entries(
    connection: AsyncConnection,
    tables: JournalTables,
    shard: int,
    *,
    first: int = 1,
    last: int | None = None,
    parts: Pacing = Pacing(),
) -> AsyncIterator[Entry]:
    """Yield the entries of a shard in order, with their postings; `data` is byte for byte as stored."""
    while last is None or first <= last:
        end = first + parts.entries if last is None else min(first + parts.entries, last + 1)
        part = await _read(connection, tables, shard, range(first, end))
        for number, entry in enumerate(part, 1):
            yield entry
            if number % _TURN == 0:
                await asyncio.sleep(0)
        if len(part) < parts.entries:
            return
        first = part[-1].seq + 1
        await parts.rest()


async def read_entry(connection: AsyncConnection, tables: JournalTables, shard: int, seq: int) -> Entry:
    """Return one entry. Raises LookupError."""
    found = await _read(connection, tables, shard, range(seq, seq + 1))
    if not found:
        raise LookupError(f"there is no entry {shard}/{seq} in {tables.schema}")
    return found[0]


async def read_places(
    connection: AsyncConnection, tables: JournalTables, places: Collection[tuple[int, int]]
) -> AsyncIterator[tuple[str, Entry]]:
    """Yield the existing entries at these positions (shard, seq), in order, each with the name of its shard.

    They are read in parts, so the number of positions is not limited.
    """
    names = {
        row.shard: row.name for row in await connection.execute(select(tables.shards.c.shard, tables.shards.c.name))
    }
    wanted = sorted(places)
    for first in range(0, len(wanted), _PLACES):
        part = wanted[first : first + _PLACES]
        for entry in await _read_where(connection, tables, partial(_at, part)):
            yield names[entry.shard], entry


async def unlinked(
    connection: AsyncConnection, tables: JournalTables, places: Collection[tuple[int, int]]
) -> set[tuple[int, int]]:
    """Return the positions (shard, seq) of entries whose hash does not match the continuation of the chain.

    The continuation is `previous` of the next entry or, for the last entry, the head of the shard.
    """
    e, s, after = tables.entries, tables.shards.c, tables.entries.alias("after")
    follows = and_(after.c.shard == e.c.shard, after.c.seq == e.c.seq + 1)
    goes_on_with = func.coalesce(after.c.previous, s.head)
    query = (
        select(e.c.shard, e.c.seq)
        .join(tables.shards, s.shard == e.c.shard)
        .outerjoin(after, follows)
        .where(_at(sorted(places), e.c), e.c.hash != goes_on_with)
    )
    return {(row.shard, row.seq) for row in await connection.execute(query)} if places else set()


def _at(places: Sequence[tuple[int, int]], columns: Any) -> ColumnElement[bool]:
    shards, seqs = (literal(list(numbers), ARRAY(BigInteger)) for numbers in zip(*places, strict=True))
    wanted = func.unnest(shards, seqs).table_valued("shard", "seq").render_derived("places")
    return tuple_(columns.shard, columns.seq).in_(select(wanted.c.shard, wanted.c.seq))


async def _read(connection: AsyncConnection, tables: JournalTables, shard: int, seqs: range) -> list[Entry]:
    return await _read_where(
        connection, tables, lambda c: and_(c.shard == shard, c.seq >= seqs.start, c.seq < seqs.stop)
    )


async def _read_where(
    connection: AsyncConnection, tables: JournalTables, where: Callable[[Any], ColumnElement[bool]]
) -> list[Entry]:
    """Return the entries whose columns meet a condition, in order."""
    e, a = tables.entries, tables.accounts
    found = await connection.execute(
        select(*(column for column in e.c if column is not e.c.data), cast(e.c.data, Text).label("text"))
        .where(where(e.c))
        .order_by(e.c.shard, e.c.seq)
    )
    rows = found.all()
    used = literal(sorted({number for row in rows for number in row.accounts}), ARRAY(Integer))
    names = {
        number: Account(*names)
        for number, *names in await connection.execute(
            select(a.c.account, a.c.property, a.c.table, a.c.wager, a.c.leg).where(a.c.account == any_(used))
        )
    }
    return [_entry(row, names) for row in rows]


_NOBODYS: Final = Account("", "", "", "")


def _entry(row: Any, accounts: Mapping[int, Account]) -> Entry:
    """Return the entry of a row. A posting on a missing account gets an empty account, which verification reports."""
    lines = zip_longest(row.accounts, row.cents, fillvalue=0)
    draft = EntryDraft(
        kind=row.kind,
        source=row.source,
        sequence=row.sequence,
        event_id=row.event_id,
        offset=row.offset,
        record_hash=row.record_hash,
        gaming_day=row.gaming_day,
        occurred_at=row.occurred_at,
        data=row.text.encode(),
        postings=tuple(Posting(accounts.get(number, _NOBODYS), cents) for number, cents in lines),
    )
    return Entry(
        shard=row.shard, seq=row.seq, draft=draft, recorded_at=row.recorded_at, previous=row.previous, hash=row.hash
    )


@dataclass(frozen=True, slots=True)
class Balance:
    """The sum of an account's postings, signed cents."""

    account: Account
    cents: int


async def balances(
    connection: AsyncConnection,
    tables: JournalTables,
    *,
    as_of: date | datetime | None = None,
    known_at: datetime | None = None,
) -> Sequence[Balance]:
    """Return the balance of every account, from entries that occurred by `as_of` and were recorded by `known_at`.

    An `as_of` date includes gaming days through that date; a moment includes entries that occurred by that moment; None
    includes all entries.
    """
    e, p, a = tables.entries, tables.postings, tables.accounts
    query = (
        select(a.c.property, a.c.table, a.c.wager, a.c.leg, func.sum(p.c.cents).label("cents"))
        .join(p, p.c.account == a.c.account)
        .join(e, (e.c.shard == p.c.shard) & (e.c.seq == p.c.seq))
        .group_by(a.c.property, a.c.table, a.c.wager, a.c.leg)
        .order_by(a.c.property, a.c.table, a.c.wager, a.c.leg)
    )
    if isinstance(as_of, datetime):
        query = query.where(e.c.occurred_at <= as_of)
    elif as_of is not None:
        query = query.where(e.c.gaming_day <= as_of)
    if known_at is not None:
        query = query.where(e.c.recorded_at <= known_at)
    rows = await connection.execute(query)
    return [Balance(Account(row.property, row.table, row.wager, row.leg), int(row.cents)) for row in rows]


async def reached(connection: AsyncConnection, tables: JournalTables, topic: Topic) -> list[Reached]:
    """Return this service's read position in each shard of the service that publishes a topic."""
    s, g = tables.sources.c, tables.gaps.c
    prefix = f"/{topic.publisher}/shards/"
    query = (
        select(s.source, s.last_sequence, func.coalesce(func.sum(g.last - g.first + 1), 0))
        .join_from(tables.sources, tables.gaps, s.source == g.source, isouter=True)
        .where(s.source.startswith(prefix))
        .group_by(s.source, s.last_sequence)
    )
    found = [
        Reached(service=str(topic.publisher), shard=int(source.removeprefix(prefix)), seq=seq, missing=missing)
        for source, seq, missing in await connection.execute(query)
    ]
    return sorted(found, key=lambda one: one.shard)


async def input_open(connection: AsyncConnection, tables: JournalTables) -> int:
    """Return the number of missing events (gaps) and open quarantined records, over all properties."""
    gaps, quarantine = tables.gaps.c, tables.quarantine.c
    missing = select(func.coalesce(func.sum(gaps.last - gaps.first + 1), 0)).scalar_subquery()
    refused = select(func.count()).where(quarantine.resolved_at.is_(None)).scalar_subquery()
    row = (await connection.execute(select(missing.label("missing"), refused.label("refused")))).one()
    return int(row.missing) + int(row.refused)
