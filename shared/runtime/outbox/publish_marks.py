"""Up to where the shards of a journal are published: signed, so that nobody else moves a mark."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import structlog
from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.journal.bulk import Statement, compiled, given, update
from shared.journal.ledger import Ledger
from shared.journal.shard import Shard
from shared.journal.signed_rows import not_signed, signed_rows
from shared.journal.tables import JournalTables

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class PublishMark:
    """A shard, and up to which entry it is published; `is_found`: that is what the database says."""

    shard: Shard
    published: int
    is_found: bool

    @property
    def behind(self) -> int:
        """Return how many entries are not published."""
        return max(0, self.shard.next_seq - 1 - self.published)


class PublishMarks:
    """Reads and writes how far shards are published.

    A mark that the service did not sign is not believed: what the shard has is published again from where this process
    knows that it was, else from its first entry on. Consumers drop what they have seen.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._table = ledger.tables.relay
        self._find = _found(ledger.tables)
        self._write = update(self._table)
        self._known: dict[int, int] = {}

    async def read(self, connection: AsyncConnection) -> list[PublishMark]:
        """Return the marks, locked, behind which something waits, or that are not as this process knows them."""
        known = [{"shard": shard, "published_seq": seq} for shard, seq in self._known.items()]
        return [self._mark(row) for row in await self._find.read(connection, known)]

    def _mark(self, row: Any) -> PublishMark:
        shard, said, known = Shard(*tuple(row)[:-2]), row.published_seq, self._known.get(row.shard)
        if said != known:
            forged = not_signed(self._ledger.seals, self._table, row._asdict())
            if forged is not None:
                log.error(
                    "publish mark invalid, publishing again",
                    shard=shard.name,
                    published=said,
                    again_from=known or 0,
                    error=forged,
                )
                return PublishMark(shard, known or 0, is_found=False)
            self._known[row.shard] = said
        return PublishMark(shard, said, is_found=True)

    async def write(self, connection: AsyncConnection, reached: Mapping[int, int]) -> None:
        """Note up to which entries shards are published, by their numbers."""
        rows = [{"shard": shard, "published_seq": seq} for shard, seq in reached.items()]
        await self._write.write(connection, signed_rows(self._ledger.seals, self._table, rows))

    def written(self, reached: Mapping[int, int]) -> None:
        """Take notice that what was written is committed."""
        self._known |= reached


def _found(tables: JournalTables) -> Statement:
    """Return what reads the marks of shards that are not published whole, or are not as those that are given."""
    shards, relay, key = tables.shards, tables.relay, ("shard", "published_seq")
    known = given(relay, key)
    query = select(shards, relay.c.published_seq, relay.c.signature).select_from(
        relay.join(shards, shards.c.shard == relay.c.shard).outerjoin(known, known.c.shard == relay.c.shard)
    )
    waits = shards.c.next_seq - 1 > relay.c.published_seq
    other = relay.c.published_seq.is_distinct_from(known.c.published_seq)
    return compiled(query.where(or_(waits, other)).with_for_update(of=relay, skip_locked=True), key)
