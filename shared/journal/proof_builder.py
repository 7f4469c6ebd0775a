"""Build inclusion proofs from the journal's own rows, under a checkpoint that covers the entry."""

from datetime import datetime

from sqlalchemy import and_, delete, exists, select
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.journal.checkpoint_store import TILE_ENTRIES
from shared.journal.entry import Entry, entry_record
from shared.journal.proof import prove
from shared.journal.tables import JournalTables
from shared.journal.tile_roots import new_tile_roots, path_to_root


async def prove_entry(
    connection: AsyncConnection, tables: JournalTables, entry: Entry, *, shard_name: str, size: int, note: str
) -> str:
    """Return the proof document of an entry under a signed checkpoint of its shard, which covers `size` entries.

    Raises: EvidenceError if entry and checkpoint do not match, because the shard was altered after signing.
    """
    record = entry_record(
        entry.draft, shard_name=shard_name, seq=entry.seq, recorded_at=entry.recorded_at, previous=entry.previous
    )
    path = await path_to_root(connection, tables, entry.shard, entry.seq - 1, size)
    return prove(record, entry.seq - 1, path, note)


async def covering_checkpoint(
    connection: AsyncConnection, tables: JournalTables, shard: int, seq: int
) -> tuple[int, str] | None:
    """Return size and note of the smallest listed checkpoint that covers an entry, or None.

    The result may change until the first checkpoint of a later tile is signed, and is stable from then on.
    """
    c = tables.checkpoints.c
    query = select(c.size, c.note).where(c.shard == shard, c.size >= seq).order_by(c.size).limit(1)
    row = (await connection.execute(query)).one_or_none()
    return None if row is None else (row.size, row.note)


async def list_checkpoint(
    connection: AsyncConnection, tables: JournalTables, shard: int, size: int, note: str, now: datetime
) -> None:
    """Add a stored checkpoint to the list, which keeps the first of each tile and the latest, like the store.

    The roots of the tiles that were completed since the previous checkpoint are listed with it.
    """
    table, other = tables.checkpoints, tables.checkpoints.alias("earlier")
    roots = await new_tile_roots(connection, tables, shard, size)
    values = {"shard": shard, "size": size, "note": note, "signed_at": now, "tile_roots": roots or None}
    await connection.execute(upsert(table).values(values).on_conflict_do_nothing())
    c, earlier = table.c, other.c
    same_tile = earlier.size // TILE_ENTRIES == c.size // TILE_ENTRIES
    has_first = exists().where(and_(earlier.shard == c.shard, earlier.size < c.size, same_tile))
    recent = and_(c.shard == shard, c.size < size, c.size > size - 2 * TILE_ENTRIES)
    await connection.execute(delete(table).where(recent, has_first))
