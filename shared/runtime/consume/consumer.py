"""The loop of a topic: records in, entries and position committed together.

For each partition: drop what was seen, decode, find the place of each event in its stream, derive its entries, and
commit entries, streams, the service's own tables and the shard in one transaction. The database says where to read on;
what Kafka remembers of offsets is only for its own lag tools.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import groupby
from time import perf_counter
from typing import Any

import structlog
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from shared.contracts.envelope import Event
from shared.journal.entry import Entry
from shared.journal.ledger import Ledger, Shard
from shared.journal.pipeline import Pipeline
from shared.journal.streams import Stream
from shared.rules.errors import Refused
from shared.runtime.consume import facts
from shared.runtime.consume.batch import Batch, OpenQuarantine, PlaceOf, claimed_again, replaces
from shared.runtime.consume.processing import Processor, Record
from shared.runtime.errors import Kind, Stop, kind_of
from shared.runtime.metrics import Metrics

log = structlog.get_logger()

Clock = Callable[[], datetime]
Step = Callable[[str], None]
"""Told each durable step as it is reached; tests end the process there."""

RETRY_SECONDS = 0.25


def no_step(name: str) -> None:
    """Goes on."""
    del name


@dataclass(slots=True)
class _Partition:
    """What is known of a partition while it is ours."""

    shard: Shard
    fetched: int
    """The offset after the last record that was handed over, or to which the consumer was sent."""
    streams: dict[str, Stream] = field(default_factory=dict)


class Consumer:
    """Processes the partitions of one topic for one service."""

    def __init__(
        self,
        *,
        processor: Processor[Any],
        ledger: Ledger,
        engine: AsyncEngine,
        metrics: Metrics,
        clock: Clock,
        cluster_id: str,
        retry_seconds_max: float,
        committed: Callable[[], None] = lambda: None,
        step: Step = no_step,
    ) -> None:
        self.topic = processor.topic
        self._processor = processor
        self._ledger = ledger
        self._engine = engine
        self._metrics = metrics
        self._clock = clock
        self.cluster_id = cluster_id
        self._retry_seconds_max = retry_seconds_max
        self._committed = committed
        self._step = step
        self._partitions: dict[int, _Partition] = {}

    # --- partitions ---

    def shard_name(self, partition: int) -> str:
        """Positions belong to a cluster: the same topic on another cluster is another input."""
        return f"{self.topic}/{partition}@{self.cluster_id}"

    async def assigned(self, partitions: Iterable[int]) -> dict[int, int]:
        """Takes over partitions; gives the offset from which each is to be read."""
        offsets: dict[int, int] = {}
        for partition in partitions:
            shard = await self._retrying(partial(self._open, partition))
            self._partitions[partition] = _Partition(shard, fetched=shard.next_offset)
            offsets[partition] = shard.next_offset
        return offsets

    def revoked(self, partitions: Iterable[int]) -> None:
        """Lets partitions go."""
        for partition in partitions:
            self._partitions.pop(partition, None)

    @property
    def positions(self) -> dict[int, int]:
        """The next offset of each partition that is ours."""
        return {number: partition.shard.next_offset for number, partition in self._partitions.items()}

    async def _open(self, partition: int) -> Shard:
        async with self._engine.begin() as connection:
            return await self._ledger.open_shard(connection, self.shard_name(partition))

    # --- batches ---

    async def handle(self, records: Sequence[Record]) -> dict[int, int]:
        """Processes a batch, which may mix partitions.

        Returns the partitions that must be read again from another offset, with that offset.
        Raises: Stop when the database stays away; any bug as it is.
        """
        rewind: dict[int, int] = {}
        by_partition = sorted(records, key=lambda record: record.partition)
        for partition, group in groupby(by_partition, key=lambda record: record.partition):
            if partition not in self._partitions:
                continue  # revoked while the batch was under way: its next owner reads it again
            offset = await self._partition(partition, list(group))
            if offset is not None:
                rewind[partition] = offset
        return rewind

    async def _partition(self, number: int, records: list[Record]) -> int | None:
        """Commits the records of a partition, whatever it takes; gives an offset to rewind to, if that is needed."""
        fetched = self._partitions[number].fetched
        if records[0].offset < fetched:
            raise Stop(
                f"{self.topic}/{number} was to be read from offset {fetched}, but the broker starts again at "
                f"{records[0].offset}: it lost records, or the topic was created anew; restore the topic, or start a "
                "new cluster with another cluster id"
            )
        self._partitions[number].fetched = records[-1].offset + 1
        deadline: float | None = None
        while True:
            partition = self._partitions[number]
            fresh = [record for record in records if record.offset >= partition.shard.next_offset]
            if len(fresh) < len(records):
                self._metrics.duplicates.labels(self.topic).inc(len(records) - len(fresh))
            if not fresh:
                return None
            if fetched > partition.shard.next_offset:
                partition.fetched = partition.shard.next_offset
                return partition.shard.next_offset  # records between the shard and this batch were not seen
            try:
                await self._bisect(number, fresh)
            except Exception as error:
                kind = kind_of(error)
                if kind in (Kind.BUG, Kind.REFUSED):
                    raise
                if kind is Kind.FENCED:
                    self._metrics.fenced.labels(self.topic).inc()
                else:
                    await asyncio.sleep(RETRY_SECONDS)
                log.warning("batch given up", topic=self.topic, partition=number, kind=kind.value, error=str(error))
                now = asyncio.get_running_loop().time()
                deadline = deadline or now + self._retry_seconds_max
                if now > deadline:
                    raise Stop(
                        f"the database has not been usable for {self._retry_seconds_max:.0f} s: {error}"
                    ) from error
                shard = await self._retrying(partial(self._open, number))
                self._partitions[number] = _Partition(shard, fetched=partition.fetched)
                records = fresh
            else:
                return None

    async def _bisect(self, number: int, records: Sequence[Record]) -> None:
        """Commits records together; where the database refuses them, in halves, down to the one that it refuses."""
        try:
            await self._commit(number, records, refusal=None)
        except Exception as error:
            if kind_of(error) is not Kind.REFUSED:
                raise
            if len(records) == 1:
                await self._commit(number, records, refusal=f"the database refuses it: {_first_line(error)}")
                return
            middle = len(records) // 2
            await self._bisect(number, records[:middle])
            await self._bisect(number, records[middle:])

    async def _commit(self, number: int, records: Sequence[Record], *, refusal: str | None) -> None:
        started = perf_counter()
        partition = self._partitions[number]
        decoded = [(record, self._decode(record) if refusal is None else Refused(refusal)) for record in records]
        async with self._engine.connect() as connection:
            events = [event for _, event in decoded if isinstance(event, Event)]
            await self._load_streams(connection, partition, events)
            batch = Batch(
                shard_name=partition.shard.name,
                unit=await self._processor.open(connection, events),
                known=partition.streams,
                taken=await self._taken_ids(connection, partition, events),
                quarantine=await self._open_quarantine(connection, decoded),
            )
            for record, event in decoded:
                batch.add(record, event)
            await connection.rollback()  # reading is done; what follows is one short transaction
            accounts = {posting.account for draft in batch.drafts for posting in draft.postings}
            await self._ledger.know_accounts(self._engine, accounts)
            moment = self._clock()
            self._step("derived")
            async with connection.begin():
                entries, shard = await self._ledger.append(
                    connection,
                    partition.shard,
                    batch.drafts,
                    next_offset=records[-1].offset + 1,
                    recorded_at=moment,
                    write=partial(self._save_streams, batch),
                )
                await batch.unit.save(connection, entries)
                await self._save(connection, partition, batch, entries[0].seq if entries else 0, moment)
                self._step("before commit")
        self._step("after commit")
        partition.shard = shard
        partition.streams.update(batch.streams)
        self._count(batch, len(records), perf_counter() - started)
        self._committed()

    def _decode(self, record: Record) -> Event[Any] | Refused:
        try:
            event: Event[Any] = self._processor.decode(record)
        except Refused as refused:
            return refused
        return event

    # --- what a batch needs to know, and leaves behind ---

    async def _load_streams(
        self, connection: AsyncConnection, partition: _Partition, events: Sequence[Event[Any]]
    ) -> None:
        unknown = {event.source for event in events} - partition.streams.keys()
        if not unknown:
            return
        sources, gaps = self._ledger.tables.sources, self._ledger.tables.gaps
        partition.streams.update((source, Stream()) for source in unknown)
        for row in await connection.execute(select(sources).where(sources.c.source.in_(unknown))):
            partition.streams[row.source].last = row.last_sequence
        for row in await connection.execute(select(gaps).where(gaps.c.source.in_(unknown))):
            partition.streams[row.source].gaps[row.first] = row.last

    async def _taken_ids(
        self, connection: AsyncConnection, partition: _Partition, events: Sequence[Event[Any]]
    ) -> dict[PlaceOf, str]:
        """The ids of the recorded events whose places are claimed again."""
        table = self._ledger.tables.entries
        found: dict[PlaceOf, str] = {}
        for source, sequences in claimed_again(events, partition.streams).items():
            query = select(table.c.sequence, table.c.event_id).where(
                table.c.source == source,
                table.c.sequence.in_(sequences),
                table.c.kind.not_in((facts.GAP_OPENED, facts.GAP_FILLED, facts.MENDED)),
            )
            found.update(((source, row.sequence), row.event_id) for row in await connection.execute(query))
        return found

    async def _open_quarantine(
        self, connection: AsyncConnection, decoded: Sequence[tuple[Record, Event[Any] | Refused]]
    ) -> OpenQuarantine:
        """The open quarantined records whose places in a stream these events take, or which these records replace."""
        table = self._ledger.tables.quarantine
        sources = {event.source for _, event in decoded if isinstance(event, Event)}
        replaced = {number for record, _ in decoded if (number := replaces(record)) is not None}
        query = select(table.c.id, table.c.shard, table.c.seq, table.c.source, table.c.sequence).where(
            table.c.resolved_at.is_(None), table.c.source.in_(sources) | table.c.id.in_(replaced)
        )
        found: OpenQuarantine = {}
        for row in await connection.execute(query):
            for key in ((row.source, row.sequence), row.id):
                found.setdefault(key, []).append((row.id, row.shard, row.seq))
        return found

    async def _save_streams(self, batch: Batch, sent: Pipeline, entries: Sequence[Entry]) -> None:
        del entries
        await self._ledger.save_streams(sent, {source: stream.last for source, stream in batch.streams.items()})

    async def _save(
        self, connection: AsyncConnection, partition: _Partition, batch: Batch, first_seq: int, moment: datetime
    ) -> None:
        for source in sorted(batch.changed_gaps):
            await self._ledger.save_gaps(connection, source, list(batch.streams[source].missing()), moment)
        table = self._ledger.tables.quarantine
        await self._ledger.quarantine(
            connection,
            [
                {
                    "shard": partition.shard.shard,
                    "seq": first_seq + refusal.index,
                    "topic": refusal.record.topic,
                    "partition": refusal.record.partition,
                    "offset": refusal.record.offset,
                    "key": refusal.record.key,
                    "value": refusal.record.value,
                    "source": refusal.source,
                    "sequence": refusal.sequence,
                    "reason": refusal.reason,
                    "quarantined_at": moment,
                }
                for refusal in batch.refused
            ],
        )
        if batch.mended:
            await connection.execute(
                update(table)
                .where(table.c.id.in_(batch.mended), table.c.resolved_at.is_(None))
                .values(resolved_at=moment)
            )

    def _count(self, batch: Batch, records: int, seconds: float) -> None:
        self._metrics.batch.observe(records)
        self._metrics.commit.observe(seconds)
        if batch.duplicates:
            self._metrics.duplicates.labels(self.topic).inc(batch.duplicates)
        if batch.refused:
            self._metrics.quarantined.labels(self.topic).inc(len(batch.refused))
            for refusal in batch.refused:
                log.warning(
                    "record quarantined",
                    topic=refusal.record.topic,
                    partition=refusal.record.partition,
                    offset=refusal.record.offset,
                    source=refusal.source,
                    sequence=refusal.sequence,
                    reason=refusal.reason,
                )
        for draft in batch.drafts:
            self._metrics.entries.labels(draft.kind).inc()
            if draft.kind == facts.GAP_OPENED:
                self._metrics.gaps.inc()

    async def _retrying(self, attempt: Callable[[], Any]) -> Any:
        """Tries until the database answers; gives up after the deadline."""
        deadline = asyncio.get_running_loop().time() + self._retry_seconds_max
        while True:
            try:
                return await attempt()
            except Exception as error:
                if kind_of(error) not in (Kind.TRANSIENT, Kind.AMBIGUOUS):
                    raise
                if asyncio.get_running_loop().time() > deadline:
                    raise Stop(f"the database has not answered for {self._retry_seconds_max:.0f} s: {error}") from error
                log.warning("database unavailable", error=str(error))
                await asyncio.sleep(RETRY_SECONDS)


def _first_line(error: BaseException) -> str:
    with contextlib.suppress(IndexError):
        return str(getattr(error, "orig", None) or error).splitlines()[0]
    return type(error).__name__
