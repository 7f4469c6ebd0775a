"""The loop of a topic: records in, entries and position committed together.

For each partition: drop what was seen, decode, find the place of each event in its stream, derive its entries, and
commit entries, streams, the service's own tables and the shard in one transaction. The database says where to read on;
what Kafka remembers of offsets is only for its own lag tools.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from time import perf_counter
from typing import Any

import structlog

from shared.contracts.envelope import Event
from shared.contracts.journal_facts import GapOpened
from shared.journal.entry import Entry
from shared.journal.ledger import Shard
from shared.journal.pipeline import Pipeline
from shared.journal.recording import recorded
from shared.journal.streams import Stream
from shared.rules.errors import Refused
from shared.runtime.consume.batch import (
    Decoded,
    Derived,
    Known,
    claimed_again,
    derive,
    quarantined,
    streams_after,
)
from shared.runtime.consume.handler import Handler, Record
from shared.runtime.consume.known import load_streams, open_quarantine, taken_ids
from shared.runtime.consume.quarantine import keep_quarantined
from shared.runtime.context import RuntimeContext
from shared.runtime.errors import Kind, Stop, kind_of
from shared.runtime.projector import Transaction

log = structlog.get_logger()

RETRY_SECONDS = 0.25
"""Pause before a batch that the database did not take is tried again."""


@dataclass(slots=True)
class _Partition:
    """What is known of a partition while it is ours."""

    shard: Shard
    fetched: int
    """The offset after the last record that was handed over, or to which the consumer was sent."""
    streams: dict[str, Stream] = field(default_factory=dict)


class Consumer:
    """Process the partitions of one topic for one service."""

    def __init__(self, context: RuntimeContext, handler: Handler[Any], cluster_id: str) -> None:
        self.topic = handler.topic
        self.gather_seconds = max(context.settings.poll_seconds, handler.gather_seconds)
        self.rest = handler.rest
        self.batch_records_max = context.settings.batch_records_max * handler.batch_scale
        self.context = context
        self.cluster_id = cluster_id
        self._handler = handler
        self._partitions: dict[int, _Partition] = {}

    # --- partitions ---

    def shard_name(self, partition: int) -> str:
        """Return the name of a partition's shard; the same topic on another cluster is another input."""
        return f"{self.topic}/{partition}@{self.cluster_id}"

    async def assigned(self, partitions: Iterable[int]) -> dict[int, int]:
        """Take over partitions; return the offset from which each is to be read."""
        offsets: dict[int, int] = {}
        for partition in partitions:
            shard = await self._retrying(partial(self._open, partition))
            self._partitions[partition] = _Partition(shard, fetched=shard.next_offset)
            offsets[partition] = shard.next_offset
        return offsets

    def revoked(self, partitions: Iterable[int]) -> None:
        """Let partitions go."""
        for partition in partitions:
            self._partitions.pop(partition, None)

    @property
    def positions(self) -> dict[int, int]:
        """Return the next offset of each partition that is ours."""
        return {number: partition.shard.next_offset for number, partition in self._partitions.items()}

    async def _open(self, partition: int) -> Shard:
        async with self.context.engine.begin() as connection:
            return await self.context.ledger.open_shard(connection, self.shard_name(partition))

    # --- batches ---

    async def handle(self, records: Sequence[Record]) -> dict[int, int]:
        """Process a batch, which may mix partitions.

        Return the partitions that must be read again from another offset, with that offset.
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
        """Commit the records of a partition, whatever it takes; return an offset to rewind to, if that is needed."""
        fetched = self._partitions[number].fetched
        if records[0].offset < fetched:
            raise Stop(
                f"{self.topic}/{number} was to be read from offset {fetched}, but the broker starts again at "
                f"{records[0].offset}: it lost records, or the topic was deleted and created again; restore "
                "the topic, or start a new cluster with another cluster id"
            )
        self._partitions[number].fetched = records[-1].offset + 1
        started = perf_counter()
        left = self._unseen(number, [Decoded(record, self._decode(record)) for record in records])
        derived: list[Derived] = []
        deadline: float | None = None
        while left:
            partition = self._partitions[number]
            if fetched > partition.shard.next_offset:
                partition.fetched = partition.shard.next_offset
                return partition.shard.next_offset  # records between the shard and this batch were not seen
            try:
                if not derived:
                    derived = await self._derive(partition, left)
                if await self._write(number, derived):
                    break
                derived = []  # the database refused a record: what follows it is derived without it
                left = _behind(partition.shard, left)
            except Exception as error:  # noqa: BLE001 - _given_up raises what is no reason to try again
                deadline = await self._given_up(error, number, deadline)
                left = _behind(partition.shard, left)
                shard = await self._retrying(partial(self._open, number))
                if kind_of(error) is Kind.FENCED or shard != partition.shard:
                    self._partitions[number] = _Partition(shard, fetched=partition.fetched)
                    left, derived = self._unseen(number, left), []
                else:
                    derived = [one for one in derived if one.record.offset >= shard.next_offset]
        self.context.metrics.commit.observe(perf_counter() - started)
        return None

    def _unseen(self, number: int, decoded: list[Decoded]) -> list[Decoded]:
        """Drop the records that were recorded before, by us or by another process."""
        left = _behind(self._partitions[number].shard, decoded)
        if len(left) < len(decoded):
            self.context.metrics.duplicates.labels(self.topic).inc(len(decoded) - len(left))
        return left

    async def _given_up(self, error: Exception, number: int, deadline: float | None) -> float:
        """Wait before a batch is tried again; return until when. Raises: Stop after it; a bug as it is."""
        kind = kind_of(error)
        if kind in (Kind.BUG, Kind.REFUSED):
            raise error
        if kind is Kind.FENCED:
            self.context.metrics.fenced.labels(self.topic).inc()
        else:
            await asyncio.sleep(RETRY_SECONDS)
        log.warning("batch given up", topic=self.topic, partition=number, kind=kind.value, error=str(error))
        now = asyncio.get_running_loop().time()
        if deadline is not None and now > deadline:
            raise Stop(
                f"the database has not been usable for {self.context.settings.retry_seconds_max:.0f} s: {error}"
            ) from error
        return deadline or now + self.context.settings.retry_seconds_max

    async def _derive(self, partition: _Partition, decoded: Sequence[Decoded]) -> list[Derived]:
        """Read what the events need, and say what each record comes to."""
        events = [one.event for one in decoded if not isinstance(one.event, Refused)]
        await self._handler.prepare(events)
        async with self.context.engine.connect() as connection:
            tables = self.context.tables
            await load_streams(connection, tables, partition.streams, {event.source for event in events})
            known = Known(
                schema=tables.schema,
                shard_name=partition.shard.name,
                streams=partition.streams,
                taken=await taken_ids(connection, tables, claimed_again(events, partition.streams)),
                quarantine=await open_quarantine(connection, tables, decoded),
                state=await self._handler.load(connection, events),
            )
        return derive(self._handler, decoded, known)

    async def _write(self, number: int, derived: Sequence[Derived]) -> bool:
        """Commit records together; where the database refuses them, in halves, down to the one that it refuses.

        Return whether all are committed as they were derived. False: the last that was committed is now in quarantine,
        and what comes after it must be derived without it. Nothing is derived again before that is known.
        """
        try:
            await self._commit(number, derived)
        except Exception as error:
            if kind_of(error) is not Kind.REFUSED:
                raise
            if len(derived) == 1:
                reason = f"the database refuses it: {_first_line(error)}"
                shard_name = self._partitions[number].shard.name
                await self._commit(number, [quarantined(derived[0].record, shard_name, reason)])
                return False
            middle = len(derived) // 2
            return await self._write(number, derived[:middle]) and await self._write(number, derived[middle:])
        return True

    async def _commit(self, number: int, derived: Sequence[Derived]) -> None:
        partition = self._partitions[number]
        drafts = [draft for one in derived for draft in one.drafts]
        accounts = {posting.account for draft in drafts for posting in draft.postings}
        await self.context.ledger.know_accounts(self.context.engine, accounts)
        moment = self.context.clock()
        streams = streams_after(derived)
        self.context.step("derived")
        async with self.context.engine.begin() as connection:
            entries, shard = await self.context.ledger.append(
                connection,
                partition.shard,
                drafts,
                next_offset=derived[-1].record.offset + 1,
                recorded_at=moment,
                write=partial(self._save_streams, streams),
            )
            if entries:
                await self.context.projector.project(Transaction(connection), recorded(entries))
            await self._handler.keep(connection, [one.event for one in derived if one.event is not None], moment)
            gaps = {one.event.source for one in derived if one.gaps_changed and one.event is not None}
            for source in sorted(gaps):
                await self.context.ledger.save_gaps(connection, source, list(streams[source].missing()), moment)
            await keep_quarantined(connection, self.context.tables.quarantine, entries, derived, moment)
            self.context.step("before commit")
        self.context.step("after commit")
        partition.shard = shard
        partition.streams.update(streams)
        self._count(derived)
        self.context.wake()

    def _decode(self, record: Record) -> Event[Any] | Refused:
        try:
            return self._handler.decode(record)
        except Refused as refused:
            return refused

    async def _save_streams(self, streams: dict[str, Stream], sent: Pipeline, entries: Sequence[Entry]) -> None:
        del entries
        await self.context.ledger.save_streams(sent, {source: stream.last for source, stream in streams.items()})

    def _count(self, derived: Sequence[Derived]) -> None:
        metrics = self.context.metrics
        metrics.batch.observe(len(derived))
        for one in derived:
            if one.duplicate:
                metrics.duplicates.labels(self.topic).inc()
            if one.unknown_kind:
                metrics.skipped.labels(self.topic).inc()
            if one.refusal is not None:
                metrics.quarantined.labels(self.topic).inc()
                log.warning(
                    "record quarantined",
                    topic=one.record.topic,
                    partition=one.record.partition,
                    offset=one.record.offset,
                    source=one.refusal.source,
                    sequence=one.refusal.sequence,
                    reason=one.refusal.reason,
                )
            for draft in one.drafts:
                metrics.entries.labels(draft.kind).inc()
                if draft.kind == GapOpened.KIND.name:
                    metrics.gaps.inc()

    async def _retrying(self, attempt: Callable[[], Any]) -> Any:
        """Try until the database answers; give up after the deadline."""
        deadline = asyncio.get_running_loop().time() + self.context.settings.retry_seconds_max
        while True:
            try:
                return await attempt()
            except Exception as error:
                if kind_of(error) not in (Kind.TRANSIENT, Kind.AMBIGUOUS):
                    raise
                if asyncio.get_running_loop().time() > deadline:
                    raise Stop(
                        f"the database has not answered for {self.context.settings.retry_seconds_max:.0f} s: {error}"
                    ) from error
                log.warning("database unavailable", error=str(error))
                await asyncio.sleep(RETRY_SECONDS)


def _behind(shard: Shard, decoded: list[Decoded]) -> list[Decoded]:
    """Return the records that a shard has not reached."""
    return [one for one in decoded if one.record.offset >= shard.next_offset]


def _first_line(error: BaseException) -> str:
    lines = str(getattr(error, "orig", None) or error).splitlines()
    return lines[0] if lines else type(error).__name__
