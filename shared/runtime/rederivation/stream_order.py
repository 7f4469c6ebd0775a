"""The order in which to re-derive records of streams that came over several partitions.

If a stream came over one partition, that partition orders it. For other streams, the database records which positions
each shard recorded, and in which version of the stream. The entries that are re-derived in this order are compared with
the journal as usual.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple, Self

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.envelope import position
from shared.journal.entry import Entry
from shared.journal.streams import Stream, StreamPosition
from shared.journal.tables import JournalTables
from shared.runtime.ingest.handler import InputRecord


class TakenStream(NamedTuple):
    """The range of positions, `first` to `last`, that a shard recorded in one version of a stream."""

    first: int
    last: int
    shard: int
    version: int


class _Order:
    """The recorded positions of one stream; `before` is version -> number of positions recorded before it."""

    def __init__(self, took: Iterable[TakenStream]) -> None:
        self._took = sorted(took)
        self._firsts = [one.first for one in self._took]
        self.before: dict[int, int] = {}
        count = 0
        for version, of_version in groupby(sorted(self._took, key=attrgetter("version")), key=attrgetter("version")):
            self.before[version] = count
            count += sum(one.last - one.first + 1 for one in of_version)

    def took(self, sequence: int) -> TakenStream | None:
        """Return the range that contains a position; None if the position was not recorded."""
        at = bisect_right(self._firsts, sequence) - 1
        return self._took[at] if at >= 0 and sequence <= self._took[at].last else None


class StreamOrder:
    """The order of records across partitions: a record waits for earlier records of its stream from other partitions.

    `orders` are the recorded positions of the streams that several partitions recorded, or one partition recorded while
    another refused some of their records. `homes` is the single shard of every other stream. Both are by source.
    `stream` returns the re-derived state of a stream.
    """

    def __init__(self, orders: Mapping[str, _Order], homes: Mapping[str, int], stream: Callable[[str], Stream]) -> None:
        self._orders = orders
        self._homes = homes
        self._stream = stream
        self.steps = 0
        """The number of batches re-derived so far."""
        self.may_take = False
        """Whether one record may go ahead of refused records that may precede it, because no other record is ready."""
        self.broken = False
        """Whether the order cannot be followed. Records then no longer wait, so differences are reported."""

    @classmethod
    async def read(cls, connection: AsyncConnection, tables: JournalTables, stream: Callable[[str], Stream]) -> Self:
        """Return the order for a journal, as recorded in its database."""
        s, t, q = tables.sources.c, tables.taken.c, tables.quarantine.c
        refused = select(q.id).where(q.source == s.source, q.shard != s.shard).exists()
        several = select(s.source).where(s.shard > 0, s.spread | refused)
        query = select(t.source, t.first, t.last, t.shard, t.version).where(t.source.in_(several))
        found: defaultdict[str, list[TakenStream]] = defaultdict(list)
        for source, *row in await connection.execute(query):
            found[source].append(TakenStream(*row))
        homes = {
            row.source: row.shard for row in await connection.execute(select(s.source, s.shard).where(s.shard > 0))
        }
        return cls({source: _Order(took) for source, took in found.items()}, homes, stream)

    def concern(self, record: InputRecord, shard: int) -> bool:
        """Return whether a record claims a position in a stream that other shards have extended as well."""
        return self._place(record, shard) is not None

    def is_ready(self, record: InputRecord, shard: int, entries: Sequence[Entry]) -> bool:
        """Return whether all records before this one are re-derived; `entries` are the journal's entries for it."""
        place = self._place(record, shard)
        if place is None or self.broken:
            return True
        source, sequence = place
        order, stream = self._orders.get(source), self._stream(source)
        took = None if order is None else order.took(sequence)
        if order is not None and took is not None and took.shard in (shard, 0):  # 0: from an older release
            is_ready = self.may_take and stream.taken() >= order.before[took.version]
            self.may_take = self.may_take and not is_ready
            return is_ready
        return bool(entries) or stream.place(sequence) is StreamPosition.TAKEN

    def _place(self, record: InputRecord, shard: int) -> tuple[str, int] | None:
        claimed = position(record.value)
        if claimed is None:
            return None
        is_shared = claimed.source in self._orders or self._homes.get(claimed.source, shard) != shard
        return (claimed.source, claimed.sequence) if is_shared else None
