"""What whoever has the whole database, and no key, can write: entries with good hashes, chains and heads."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from sqlalchemy import func, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from services.cli.database import journal_of
from shared.journal.entry import Entry, EntryDraft, Posting, seal
from shared.journal.ledger import Ledger
from shared.journal.reading import read_entries
from shared.journal.shard import Shard
from shared.journal.verification import read_shards
from shared.runtime.database import create_engine

T = TypeVar("T")


def _run(url: str, work: Callable[[AsyncEngine, AsyncConnection], Awaitable[T]]) -> T:
    async def connected() -> T:
        engine = create_engine(url, role="postgres")
        try:
            async with engine.begin() as connection:
                await connection.execute(text("SET session_replication_role = replica"))
                return await work(engine, connection)
        finally:
            await engine.dispose()

    return asyncio.run(connected())


async def _last(connection: AsyncConnection, service: str, kind: str) -> tuple[Shard, Entry]:
    """Return an entry of a kind that is the last of its stream, and its shard."""
    tables = journal_of(service)
    found = [
        (shard, entry)
        for shard in await read_shards(connection, tables)
        async for entry in read_entries(connection, tables, shard.shard)
        if entry.draft.kind == kind
    ]
    return max(found, key=lambda each: each[1].draft.sequence)  # so that the next place of its stream is free


def appended(url: str, service: str, kind: str, change: Callable[[EntryDraft], dict[str, Any]]) -> Shard:
    """Append an entry as the service does it, with all that is public: a copy of the last of its kind, changed.

    Return its shard as it stood before.
    """

    async def work(engine: AsyncEngine, connection: AsyncConnection) -> Shard:
        ledger = Ledger(journal_of(service))
        shard, last = await _last(connection, service, kind)
        draft = replace(last.draft, **change(last.draft))
        await ledger.ensure_accounts(engine, [posting.account for posting in draft.postings])
        at, after = datetime.now(UTC), shard.next_offset
        await ledger.append(connection, shard, [draft], next_offset=after, recorded_at=at)
        return shard

    return _run(url, work)


def removed(url: str, service: str, stood: Shard) -> None:
    """Take away what was appended to a shard, and put the shard back as it stood."""

    async def work(engine: AsyncEngine, connection: AsyncConnection) -> None:
        tables = journal_of(service)
        e, s, r = tables.entries, tables.shards, tables.relay
        await connection.execute(e.delete().where(e.c.shard == stood.shard, e.c.seq >= stood.next_seq))
        await connection.execute(s.update().where(s.c.shard == stood.shard).values(asdict(stood)))
        last = func.least(r.c.published_seq, stood.next_seq - 1)
        await connection.execute(r.update().where(r.c.shard == stood.shard).values(published_seq=last))

    _run(url, work)


def rewritten(url: str, service: str) -> str:
    """Double the money of the first entry of a shard, and rewrite the chain from there on, head and all."""

    async def work(engine: AsyncEngine, connection: AsyncConnection) -> str:
        tables = journal_of(service)
        shards = await read_shards(connection, tables)
        shard = max(shards, key=lambda each: each.next_seq)
        head, first = b"", True
        async for entry in read_entries(connection, tables, shard.shard):
            draft = entry.draft
            if first:
                draft = replace(draft, postings=tuple(Posting(one, 2 * cents) for one, cents in draft.postings))
            [again] = seal(
                [draft],
                shard=shard.shard,
                shard_name=shard.name,
                next_seq=entry.seq,
                head=entry.previous if first else head,
                recorded_at=entry.recorded_at,
            )
            e = tables.entries
            values = {"hash": again.hash, "previous": again.previous}
            await connection.execute(e.update().where(e.c.shard == shard.shard, e.c.seq == entry.seq).values(values))
            if first:
                twice = [2 * cents for _, cents in entry.draft.postings]
                await connection.execute(
                    e.update().where(e.c.shard == shard.shard, e.c.seq == entry.seq).values(cents=twice)
                )
            head, first = again.hash, False
        s = tables.shards
        await connection.execute(s.update().where(s.c.shard == shard.shard).values(head=head))
        return shard.name

    return _run(url, work)
