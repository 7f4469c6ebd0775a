"""Publish marks: up to which entry each shard of a journal is published, signed against tampering."""

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
    """The publish mark of a shard: its last published entry. `is_found`: the database holds a valid mark."""

    shard: Shard
    published: int
    is_found: bool

    @property
    def behind(self) -> int:
        """Return the number of entries of the shard that are not published yet."""
        return max(0, self.shard.next_seq - 1 - self.published)


class PublishMarks:
    """Reads and writes the publish marks of shards.

    A mark without the service's signature is ignored. The shard is then published again from the last entry that this
    process knows to be published, or from its first entry; consumers drop duplicates.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._table = ledger.tables.relay
        self._find = _found(ledger.tables)
        self._write = update(self._table)
        self._known: dict[int, int] = {}

    async def read(self, connection: AsyncConnection) -> list[PublishMark]:
        """Lock and return the marks of shards with unpublished entries, and marks unlike those remembered here."""
        known = [{"shard": shard, "published_seq": seq} for shard, seq in self._known.items()]
        return [self._mark(row) for row in await self._find.read(connection, known)]

    def _mark(self, row: Any) -> PublishMark:
        shard, said, known = Shard(*tuple(row)[:-2]), row.published_seq, self._known.get(row.shard)
        if said != known:
            forged = not_signed(self._ledger.seals, self._table, row._asdict())
            if forged is not None:
                log.error(
                    "stored publish position has no valid signature, republishing entries",
                    shard=shard.name,
                    published=said,
                    again_from=known or 0,
                    error=forged,
                )
                return PublishMark(shard, known or 0, is_found=False)
            self._known[row.shard] = said
        return PublishMark(shard, said, is_found=True)

    async def write(self, connection: AsyncConnection, reached: Mapping[int, int]) -> None:
        """Write signed marks; `reached` is the last published sequence by shard number."""
        rows = [{"shard": shard, "published_seq": seq} for shard, seq in reached.items()]
        await self._write.write(connection, signed_rows(self._ledger.seals, self._table, rows))

    def written(self, reached: Mapping[int, int]) -> None:
        """Remember the marks that have been committed; `reached` is the last published sequence by shard number."""
        self._known |= reached


def _found(tables: JournalTables) -> Statement:
    """Return the statement that locks and reads marks: of shards with unpublished entries, or unlike the given ones."""
    shards, relay, key = tables.shards, tables.relay, ("shard", "published_seq")
    known = given(relay, key)
    query = select(shards, relay.c.published_seq, relay.c.signature).select_from(
        relay.join(shards, shards.c.shard == relay.c.shard).outerjoin(known, known.c.shard == relay.c.shard)
    )
    waits = shards.c.next_seq - 1 > relay.c.published_seq
    other = relay.c.published_seq.is_distinct_from(known.c.published_seq)
    return compiled(query.where(or_(waits, other)).with_for_update(of=relay, skip_locked=True), key)
