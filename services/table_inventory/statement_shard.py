"""A shard of statements, which are derived from all other entries of the journal.

Only the process that holds the shard's lock makes statements. It derives them from one snapshot of the journal and
appends them in the same transaction, so that a statement is recorded once even if the process is killed.
"""

from collections.abc import Awaitable, Callable, Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from shared.journal.entry import Account, Entry, EntryDraft
from shared.journal.recording import recorded
from shared.journal.shard import Shard
from shared.runtime.projector import Transaction
from shared.runtime.service.service_context import ServiceContext

Draft = Callable[[AsyncConnection, Shard], Awaitable[Sequence[EntryDraft]]]
"""A function that returns drafts of the statements that are due, given the snapshot's connection and locked shard."""


class StatementShard:
    """A writer of statements to a shard of the journal that contains only statements."""

    def __init__(self, context: ServiceContext, name: str) -> None:
        self._context = context
        self._name = name
        self._accounts: set[Account] = set()
        """The accounts that are known to exist in the journal."""

    async def record(self, draft: Draft) -> int:
        """Record the statements that are due; return their number."""
        context = self._context
        async with context.ledger.turn(self._name):
            async with context.pools.background.begin() as connection:
                await context.high_water.compared()
                context.high_water.require_whole()
                await context.ledger.open_shard(connection, self._name)
            done = None
            while done is None:
                async with context.pools.background.connect() as connection:
                    await connection.execution_options(isolation_level="REPEATABLE READ")
                    async with connection.begin():
                        shard = await context.ledger.lock_shard(connection, self._name)
                        context.high_water.require(shard)
                        drafts = await draft(connection, shard)
                        unknown = {posting.account for one in drafts for posting in one.postings} - self._accounts
                        if not unknown:
                            done = await self._append(connection, shard, drafts)
                # The accounts are committed first, because the snapshot only has accounts that existed when it began.
                await context.ledger.ensure_accounts(context.pools.background, unknown)
                self._accounts |= unknown
        entries, shard = done
        context.high_water.reached([shard])
        for entry in entries:
            context.metrics.entries.labels(entry.draft.kind).inc()
        if entries:
            context.wake(entries)
        return len(entries)

    async def _append(
        self, connection: AsyncConnection, shard: Shard, drafts: Sequence[EntryDraft]
    ) -> tuple[list[Entry], Shard]:
        """Append statements; return their entries and the new head of the shard."""
        if not drafts:
            return [], shard
        context, at = self._context, self._context.clock()
        entries, after = await context.ledger.append(
            connection, shard, drafts, next_offset=shard.next_offset, recorded_at=at, held=True
        )
        await context.projector.project(Transaction(connection), recorded(entries))
        return entries, after
