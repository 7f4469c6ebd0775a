"""Record what a service notes of its callers in a shard of its own, where it never keeps commands waiting."""

from sqlalchemy import select

from shared.journal.entry import Draft
from shared.runtime.context import RuntimeContext


async def record_apart(context: RuntimeContext, shard_name: str, entry: Draft) -> None:
    """Record an entry, unless the journal has it: one at a time, in its own transaction."""
    e = context.tables.entries.c
    place = (e.source == entry.source) & (e.sequence == entry.sequence) & (e.kind == entry.kind)
    ledger, engine = context.ledger, context.engine
    async with ledger.turn(shard_name):
        async with engine.begin() as connection:
            await ledger.open_shard(connection, shard_name)
        async with engine.begin() as connection:
            shard = await ledger.lock_shard(connection, shard_name)
            if (await connection.execute(select(e.seq).where(place))).one_or_none() is not None:
                return
            entries, _ = await ledger.append(
                connection, shard, [entry], next_offset=shard.next_offset, recorded_at=context.clock()
            )
    context.metrics.entries.labels(entry.kind).inc()
    context.wake(entries)
