"""Read a whole journal with the facts of its entries, in the order in which they were recorded."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from heapq import heapify, heappop, heapreplace

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.catalog import decode_fact
from shared.contracts.facts import Fact
from shared.contracts.upcasting import kind_of_type
from shared.journal.entry import Entry, EntryDraft
from shared.journal.reading import read_entries
from shared.journal.recording import Recorded
from shared.journal.tables import JournalTables

_BATCH_ENTRIES = 1000


def with_fact(entry: Entry) -> Recorded:
    """Return an entry with its decoded fact."""
    return (entry, decode_fact(entry.draft.kind, entry.draft.data))


class Unreadable(Fact):
    """A placeholder for the fact of an entry whose data cannot be decoded; `why` is the reason."""

    why: str


def with_fact_or_why(entry: Entry) -> Recorded:
    """Return an entry with its fact, or with `Unreadable`, so that later entries are still read."""
    try:
        return with_fact(entry)
    except (ValueError, LookupError) as error:
        return entry, Unreadable(why=str(error))


def as_of_today(draft: EntryDraft) -> EntryDraft:
    """Return a draft with its fact upgraded to the current version; everything else is unchanged."""
    if kind_of_type(draft.kind).type == draft.kind:
        return draft
    fact = decode_fact(draft.kind, draft.data)
    return replace(draft, kind=fact.KIND.type, data=fact.encode())


async def read_recorded(
    connection: AsyncConnection, tables: JournalTables, after: Mapping[int, int]
) -> AsyncIterator[Sequence[Recorded]]:
    """Yield the entries of a journal with their facts, or `Unreadable`, in batches.

    `after` is shard -> sequence; entries up to that sequence are skipped. Entries of a shard are in order; shards are
    merged by time of recording.
    """
    batch: list[Recorded] = []
    async for entry in _merged(connection, tables, after):
        batch.append(with_fact_or_why(entry))
        if len(batch) == _BATCH_ENTRIES:
            yield batch
            batch = []
    if batch:
        yield batch


async def _merged(connection: AsyncConnection, tables: JournalTables, after: Mapping[int, int]) -> AsyncIterator[Entry]:
    shards = (await connection.execute(select(tables.shards.c.shard).order_by(tables.shards.c.shard))).scalars().all()
    heads: list[tuple[datetime, int, Entry, AsyncIterator[Entry]]] = []
    for shard in shards:
        entries = read_entries(connection, tables, shard, first=after.get(shard, 0) + 1)
        first = await anext(entries, None)
        if first is not None:
            heads.append((first.recorded_at, shard, first, entries))
    heapify(heads)
    while heads:
        _, shard, entry, entries = heads[0]
        yield entry
        following = await anext(entries, None)
        if following is None:
            heappop(heads)
        else:
            heapreplace(heads, (following.recorded_at, shard, following, entries))
