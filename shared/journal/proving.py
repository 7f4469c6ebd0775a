"""Prove entries from the journal itself: with the leaves of the shard, under a checkpoint that covers the entry."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.journal.entry import Entry, entry_record
from shared.journal.proof import prove
from shared.journal.tables import JournalTables


async def prove_entry(
    connection: AsyncConnection, tables: JournalTables, entry: Entry, *, shard_name: str, size: int, note: str
) -> str:
    """Return the proof document of an entry under a signed checkpoint of its shard, which covers `size` entries.

    Raises: EvidenceError where they do not belong together: the shard was altered after it was signed.
    """
    record = entry_record(
        entry.draft, shard_name=shard_name, seq=entry.seq, recorded_at=entry.recorded_at, previous=entry.previous
    )
    e = tables.entries.c
    query = select(e.hash).where(e.shard == entry.shard, e.seq <= size).order_by(e.seq)
    leaves = (await connection.scalars(query)).all()
    return prove(record, entry.seq - 1, leaves, note)


async def covering_checkpoint(
    connection: AsyncConnection, tables: JournalTables, shard: int, seq: int
) -> tuple[int, str] | None:
    """Return size and note of the first checkpoint that covers an entry; None where none does yet.

    The first is enough, and is the same whenever it is asked for.
    """
    c = tables.checkpoints.c
    query = select(c.size, c.note).where(c.shard == shard, c.size >= seq).order_by(c.size).limit(1)
    row = (await connection.execute(query)).one_or_none()
    return None if row is None else (row.size, row.note)
