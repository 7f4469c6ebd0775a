"""Append audit entries about callers to a shard of their own, so that they never delay commands."""

from sqlalchemy import select

from shared.journal.entry import EntryDraft
from shared.runtime.context import RuntimeContext


async def append_audit_entry(context: RuntimeContext, shard_name: str, *drafts: EntryDraft) -> None:
    """Append the entries that the journal does not contain yet, in a separate transaction.

    Concurrent calls for the same shard run one after the other. Raises: Unsealed; Rejected if the journal has a
    problem.
    """
    e = context.tables.entries.c
    ledger, engine = context.ledger, context.pools.commands
    async with ledger.turn(shard_name):
        async with engine.begin() as connection:
            await context.high_water.compared()
            context.high_water.require_whole()
            await ledger.open_shard(connection, shard_name)
        async with engine.begin() as connection:
            shard = await ledger.lock_shard(connection, shard_name)
            context.high_water.require(shard)
            new = []
            for draft in drafts:
                place = (e.source == draft.source) & (e.sequence == draft.sequence) & (e.kind == draft.kind)
                if (await connection.execute(select(e.seq).where(place))).one_or_none() is None:
                    new.append(draft)
            if not new:
                return
            entries, shard = await ledger.append(
                connection, shard, new, next_offset=shard.next_offset, recorded_at=context.clock()
            )
    context.high_water.reached([shard])
    for draft in new:
        context.metrics.entries.labels(draft.kind).inc()
    context.wake(entries)
