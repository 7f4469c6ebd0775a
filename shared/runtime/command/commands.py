"""Facts that a person states over HTTP or the command line: recorded one at a time, in a shard of their own."""

from collections.abc import Awaitable, Callable, Sequence

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from shared.journal.entry import Draft, Entry
from shared.journal.ledger import Fenced, Ledger
from shared.runtime.consume.consumer import Clock

SHARD = "commands"
_ATTEMPTS_MAX = 20

Derive = Callable[[AsyncConnection, int], Awaitable[Sequence[Draft]]]
"""Reads what it needs and gives the entries; told the sequence that the first of them will have."""

Save = Callable[[AsyncConnection, Sequence[Entry]], Awaitable[None]]


async def record_command(
    *, engine: AsyncEngine, ledger: Ledger, clock: Clock, derive: Derive, save: Save, shard_name: str = SHARD
) -> Sequence[Entry]:
    """Records the entries of a command and the service's own rows in one transaction.

    Commands wait for their turn. Where another process takes it, the command is derived again from what that left
    behind. It is derived from one state of the database: read piece by piece, a command that was just done could be
    refused as contradicting itself.
    Raises: whatever `derive` raises; Fenced after many attempts.
    """
    async with ledger.turn(shard_name):
        async with engine.begin() as connection:
            await ledger.open_shard(connection, shard_name)
        for attempt in range(1, _ATTEMPTS_MAX + 1):
            async with engine.connect() as connection:  # one state of the books, whatever is recorded meanwhile
                await connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
                shard = await ledger.open_shard(connection, shard_name)
                drafts = await derive(connection, shard.next_seq)
            await ledger.know_accounts(engine, {posting.account for draft in drafts for posting in draft.postings})
            try:
                async with engine.begin() as connection:
                    entries, _ = await ledger.append(
                        connection, shard, drafts, next_offset=shard.next_offset, recorded_at=clock()
                    )
                    await save(connection, entries)
            except Fenced:
                if attempt == _ATTEMPTS_MAX:
                    raise
                continue
            return entries
    raise AssertionError("unreachable")
