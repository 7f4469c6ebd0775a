"""Load what the journal holds about a batch: streams, digests at resent positions, open quarantined records."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.journal.bulk import Statement, keyed
from shared.journal.bulk import select as select_rows
from shared.journal.ledger import StreamTaken
from shared.journal.shard import Shard, Unsealed
from shared.journal.streams import Stream
from shared.journal.tables import JournalTables
from shared.runtime.context import RuntimeContext
from shared.runtime.ingest.batch import Derived, OpenQuarantine, claimed


@dataclass(slots=True)
class StreamPositions:
    """The streams of a partition, each with its row version as last read or written.

    They are cached while the partition is assigned. A stream normally comes from one partition. Every write checks the
    version that it replaces, so that a concurrent change by another partition is detected before anything is recorded.
    A stream that another partition has extended, for example because keys have changed, is read again for each batch.
    """

    shard: Shard
    streams: dict[str, Stream] = field(default_factory=dict)
    elsewhere: dict[str, str] = field(default_factory=dict)
    """The name of the shard that last extended a stream, by source, if it is not the partition's own shard."""
    _versions: dict[str, int] = field(default_factory=dict)

    async def load(self, connection: AsyncConnection, tables: JournalTables, names: Iterable[str]) -> None:
        """Load the streams that are not cached yet; on failure, cache none of them.

        Otherwise a retry would use a stream whose gaps have not been read, and would treat the positions in a gap as
        taken.
        """
        for source in self.elsewhere:
            self.streams.pop(source, None)
        unknown = set(names) - self.streams.keys()
        if not unknown:
            return
        sources, gaps, shards = tables.sources, tables.gaps, tables.shards
        found = {source: Stream() for source in unknown}
        versions = dict.fromkeys(unknown, 0)
        elsewhere: dict[str, str] = {}
        bound = sources.join(shards, shards.c.shard == sources.c.shard, isouter=True)
        query = select(sources, shards.c.name).select_from(bound).where(sources.c.source.in_(unknown))
        for row in await connection.execute(query):
            found[row.source].last = row.last_sequence
            versions[row.source] = row.version
            if row.name not in (None, self.shard.name):  # None: written by an older release
                elsewhere[row.source] = row.name
        for row in await connection.execute(select(gaps).where(gaps.c.source.in_(unknown))):
            found[row.source].gaps[row.first] = row.last
        self.streams.update(found)
        self._versions.update(versions)
        self.elsewhere = elsewhere

    async def require_unmoved(self, connection: AsyncConnection, tables: JournalTables, names: Iterable[str]) -> None:
        """Raise StreamTaken if a stream's version in the database differs from its cached version.

        Then a record may have been refused only because another partition has extended the stream meanwhile.
        """
        wanted = {source: self._versions[source] for source in names if source in self._versions}
        if not wanted:
            return
        s = tables.sources.c
        rows = await connection.execute(select(s.source, s.version).where(s.source.in_(wanted)))
        if wanted != dict.fromkeys(wanted, 0) | {row.source: row.version for row in rows}:
            raise StreamTaken(self.shard)

    def next_version(self, source: str) -> int:
        """Return the row version that a stream will have after the next commit."""
        return self._versions[source] + 1

    def committed(self, after: Mapping[str, Stream]) -> None:
        """Cache the streams as they are after a commit."""
        self.streams.update(after)
        for source in after:
            self._versions[source] += 1


async def stopped_by(connection: AsyncConnection, context: RuntimeContext, shard: Shard) -> str | None:
    """Return why the partition of a locked shard is halted, or None if it is not.

    The reasons are that the shard's seal is invalid, that the database is behind its high-water marks, or that a
    quarantined record must be dismissed first.
    """
    try:
        context.ledger.require_sealed(shard)
    except Unsealed as error:
        return str(error)
    if (set_back := context.high_water.found_set_back(shard)) is not None:
        return set_back
    q = context.tables.quarantine.c
    query = (
        select(q.id, q.reason).where(q.shard == shard.shard, q.stops, q.resolved_at.is_(None)).order_by(q.id).limit(1)
    )
    row = (await connection.execute(query)).one_or_none()
    if row is None:
        return None
    return f"{row.reason}; find out why, dismiss record {row.id} in quarantine, and start the service again"


async def open_quarantine(
    connection: AsyncConnection, tables: JournalTables, derived: Iterable[Derived]
) -> OpenQuarantine:
    """Return the open quarantined records that accepted records replace, by stream position or by quarantine number.

    Only records that the batch closes are read, however many records of a stream are in quarantine.
    """
    by_place, by_number = _open(tables)
    places, replaced = claimed(derived, tables.schema)
    rows: list[Any] = []
    if places:
        rows += await by_place.read(connection, keyed(by_place, places))
    if replaced:
        rows += await by_number.read(connection, [{"id": number} for number in replaced])
    found: OpenQuarantine = {}
    for row in {row.id: row for row in rows}.values():
        for key in ((row.source, row.sequence), row.id):
            found.setdefault(key, []).append((row.id, row.shard, row.seq))
    return found


@cache
def _open(tables: JournalTables) -> tuple[Statement, Statement]:
    """Return the statements that read open quarantined records by stream position and by number."""
    table, said = tables.quarantine, ("id", "shard", "seq", "source", "sequence")
    is_open = table.c.resolved_at.is_(None)
    by_place = select_rows(table, said, by=("source", "sequence"), where=is_open)
    return by_place, select_rows(table, said, by=("id",), where=is_open)
