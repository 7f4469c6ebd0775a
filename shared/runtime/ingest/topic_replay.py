"""Read a topic again, up to the service's read position, for projections of data that is not in the journal."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any, Protocol

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.envelope import Event
from shared.contracts.journal_facts import RecordQuarantined
from shared.journal.event_dedup import load_digests
from shared.journal.signed_batch import BatchVerifier
from shared.journal.streams import Stream, StreamPosition
from shared.journal.tables import OF_QUARANTINE, JournalTables
from shared.journal.topic_identity import TopicIdentity, known_input
from shared.runtime.errors import FatalServiceError
from shared.runtime.ingest.handler import Handler, InputRecord
from shared.runtime.ingest.kafka_records import record_of
from shared.runtime.ingest.signature_check import NotAuthentic, content_digest, require_authentic
from shared.runtime.kafka import TopicLog, librdkafka_log, topic_log
from shared.runtime.settings import Settings
from shared.runtime.turns import in_turns

_BATCH_RECORDS = 1000
_POLL_SECONDS = 0.2
_SILENCE_SECONDS = 30.0


class ReplayedStreams(Protocol):
    """Stores the streams with the positions replayed so far, so that no stream position is yielded twice."""

    async def load(self, topic: str, sources: Sequence[str]) -> Mapping[str, Stream]:
        """Return the stored streams, by source."""
        ...

    async def store(self, topic: str, streams: Mapping[str, Stream]) -> None:
        """Store the streams, given by source."""
        ...


class InMemoryStreams:
    """Keeps the replayed streams in memory."""

    def __init__(self) -> None:
        self._streams: dict[str, Stream] = {}

    async def load(self, topic: str, sources: Sequence[str]) -> Mapping[str, Stream]:
        """Return the stored streams, by source."""
        del topic
        return {source: self._streams.setdefault(source, Stream()) for source in sources}

    async def store(self, topic: str, streams: Mapping[str, Stream]) -> None:
        """Do nothing, because `load` returned the stored objects, which were changed in place."""


@dataclass(frozen=True, slots=True)
class RecordsRead:
    """Records of a topic, ordered within each partition, and the topic's state (`found`) before they were read.

    `reached` is the offset after the last record read, by partition.
    """

    found: TopicLog
    records: Sequence[InputRecord]
    reached: Mapping[int, int]


async def read_positions(connection: AsyncConnection, journal: JournalTables, topic: str) -> Mapping[int, int]:
    """Return the offset of the next record that the service will read, by partition."""
    s = journal.shards.c
    read = select(s.name, s.next_offset).where(s.name.startswith(f"{topic}/", autoescape=True), s.next_offset > 0)
    return {
        int(name.partition("@")[0].rpartition("/")[2]): position for name, position in await connection.execute(read)
    }


@dataclass(frozen=True, slots=True)
class TopicReplay:
    """Reads a topic again, from given offsets up to the service's read position.

    There are two ways to use it. `events` does everything in the caller's transaction, which must have locked the
    shards. Alternatively, call `read` outside a transaction, so that a slow broker does not keep one open, and then
    `taken`, which uses only the database.
    """

    journal: JournalTables
    handler: Handler[Any]
    settings: Settings
    verifier: BatchVerifier | None

    async def events(self, connection: AsyncConnection, places: ReplayedStreams) -> AsyncIterator[list[Event[Any]]]:
        """Yield the events of a topic that the service has accepted, in batches, ordered within each partition.

        `places` stores the stream positions that were replayed; an event at one of them is not yielded again. Raises:
        FatalServiceError if the topic no longer holds everything that was read, unchanged and signed by its
        publisher; KafkaException if the cluster does not answer.
        """
        topic = self.handler.topic
        if not await read_positions(connection, self.journal, topic):
            return
        found = await asyncio.to_thread(topic_log, self.settings, topic)
        partitions = await _partitions(connection, self.journal, topic, found, {}, None)
        batches = self._batches({}, {number: read.end for number, read in partitions.items()}, 0, {})
        while batch := await asyncio.to_thread(partial(next, batches, None)):
            yield await self._taken(connection, batch, partitions, places)

    async def read(self, begins: Mapping[int, int], ends: Mapping[int, int], *, ahead: int = 0) -> RecordsRead:
        """Read these partitions from offsets `begins` (default 0) up to offsets `ends`, exclusive.

        With `ahead`, at most `ahead` further records per partition are included. Raises: the errors of `events`.
        """

        def work() -> RecordsRead:
            found, reached = topic_log(self.settings, self.handler.topic), dict[int, int]()
            records = [record for batch in self._batches(begins, ends, ahead, reached) for record in batch]
            return RecordsRead(found, records, reached)

        return await asyncio.to_thread(work)

    async def taken(
        self, connection: AsyncConnection, read: RecordsRead, begins: dict[int, int], places: ReplayedStreams
    ) -> list[Event[Any]]:
        """Return the events of these records that the service has accepted, up to the service's read position.

        `begins` are the offsets to begin with, by partition (default 0); they are set to the offsets after the records.
        The caller's transaction must be one snapshot. Raises: FatalServiceError for the same reasons as `events`.
        """
        partitions = await _partitions(connection, self.journal, self.handler.topic, read.found, begins, read.reached)
        ends = {number: each.end for number, each in partitions.items() if each.end > begins.get(number, 0)}
        new = [one for one in read.records if begins.get(one.partition, 0) <= one.offset < ends.get(one.partition, 0)]
        events = await self._taken(connection, new, partitions, places)
        begins |= ends
        return events

    def _batches(
        self, begins: Mapping[int, int], ends: Mapping[int, int], ahead: int, reached: dict[int, int]
    ) -> Iterator[Sequence[InputRecord]]:
        group = f"{self.settings.kafka_group_prefix}-{self.journal.schema}-again"
        return _batches(self.settings, group, self.handler.topic, begins, ends, ahead, reached) if ends else iter(())

    async def _taken(
        self,
        connection: AsyncConnection,
        batch: Sequence[InputRecord],
        partitions: Mapping[int, "_Read"],
        places: ReplayedStreams,
    ) -> list[Event[Any]]:
        """Return the events of accepted records, without events at stream positions that were already replayed."""
        read = [record for record in batch if record.offset not in partitions[record.partition].refused]
        taken: list[tuple[InputRecord, Event[Any]]] = []
        async for some in in_turns(read):
            taken += [(one, _authentic(self.handler, one, self.verifier, self.journal.schema)) for one in some]
        await _require_as_read(connection, self.journal, self.handler, taken)
        streams = await places.load(self.handler.topic, sorted({event.source for _, event in taken}))
        events: list[Event[Any]] = []
        for _, event in taken:
            stream = streams[event.source]
            if stream.place(event.sequence) is not StreamPosition.TAKEN:
                stream.take(event.sequence)
                events.append(event)
        await places.store(self.handler.topic, streams)
        return events


def _authentic(handler: Handler[Any], record: InputRecord, verifier: BatchVerifier | None, schema: str) -> Event[Any]:
    """Return the event of a record. Raises: FatalServiceError if its publisher did not sign the record."""
    try:
        require_authentic(handler.reader.topic, record, verifier, schema)
    except NotAuthentic as error:
        raise FatalServiceError(f"{record.topic}/{record.partition} at offset {record.offset}: {error}") from error
    return handler.reader.decode(record.value)


async def _require_as_read(
    connection: AsyncConnection,
    journal: JournalTables,
    handler: Handler[Any],
    taken: Sequence[tuple[InputRecord, Event[Any]]],
) -> None:
    """Raise FatalServiceError if a record's content differs from what the service recorded at its stream position."""
    places: dict[str, set[int]] = {}
    for _, event in taken:
        places.setdefault(event.source, set()).add(event.sequence)
    known = await load_digests(connection, journal, places)
    for record, event in taken:
        if known.get((event.source, event.sequence)) != content_digest(handler.reader.topic, record):
            raise FatalServiceError(
                f"{record.topic}/{record.partition} at offset {record.offset} holds other content than sequence "
                f"{event.sequence} of {event.source} had when it was read: restore the topic"
            )


@dataclass(slots=True)
class _Read:
    """The extent of a partition's replay: the offset after its last record, and the offsets of refused records."""

    end: int
    refused: set[int] = field(default_factory=set)


async def _partitions(
    connection: AsyncConnection,
    journal: JournalTables,
    topic: str,
    found: TopicLog,
    begins: Mapping[int, int],
    reached: Mapping[int, int] | None,
) -> Mapping[int, _Read]:
    """Return the extent of each partition's replay: to the service's read position, but at most to `reached` if given.

    Raises: FatalServiceError if the topic is not the log that the service has read, or if its first records are
    deleted.
    """
    shards, e = journal.shards, journal.entries.c
    there = TopicIdentity(topic, found.cluster_id, found.topic_id)
    known = await known_input(connection, journal, topic, found.cluster_id) or there
    by_number: dict[int, _Read] = {}
    for row in (await connection.execute(select(shards).order_by(shards.c.shard))).all():
        place, _, log = row.name.rpartition("@")
        of_topic, _, number = place.rpartition("/")
        if of_topic != topic or not row.next_offset:
            continue
        if log != known.log or known.topic_id != found.topic_id:
            raise FatalServiceError(
                f"shard {row.name} was read from another {topic} than that of {found.cluster_id}, which does not "
                "hold its records: point KAFKA_BOOTSTRAP_SERVERS at a cluster that does"
            )
        _require_first(topic, int(number), found)
        begin = begins.get(int(number), 0)
        end = row.next_offset if reached is None else min(row.next_offset, reached.get(int(number), begin))
        # Refusals are read from the journal, because a quarantine row may have been deleted.
        of_shard = (e.shard == row.shard, e.offset >= begin, e.offset < end)
        refused = select(e.offset).where(
            *of_shard, text(f"kind IN ({OF_QUARANTINE})"), e.kind.in_(RecordQuarantined.KIND.types)
        )
        by_number[int(number)] = _Read(end, set((await connection.scalars(refused)).all()))
    return by_number


def _require_first(topic: str, number: int, found: TopicLog) -> None:
    """Raise FatalServiceError if the first records of a partition were deleted."""
    first, _ = found.bounds.get(number, (0, 0))
    if first > 0:
        raise FatalServiceError(
            f"{topic}/{number} begins at offset {first}: what came before was deleted by retention; restore the topic"
        )


def _batches(
    settings: Settings,
    group: str,
    topic: str,
    begins: Mapping[int, int],
    ends: Mapping[int, int],
    ahead: int,
    reached: dict[int, int],
) -> Iterator[Sequence[InputRecord]]:
    """Yield the records of partitions from offsets `begins` up to offsets `ends`, exclusive, in batches.

    With `ahead`, at most `ahead` further records per partition are included. `reached` is set to the offset after the
    last record read, by partition. Raises: FatalServiceError if records are deleted meanwhile, or if none arrive;
    KafkaException.
    """
    consumer = Consumer(
        {
            **settings.librdkafka(),
            "group.id": group,
            "auto.offset.reset": "error",  # "earliest" or "latest" would skip deleted records silently
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        },
        logger=librdkafka_log,
    )
    try:
        left = dict(ends)
        consumer.assign([TopicPartition(topic, number, begins.get(number, 0)) for number in ends])
        heard = monotonic()
        while left:
            messages = consumer.consume(_BATCH_RECORDS, timeout=_POLL_SECONDS)
            heard = monotonic() if messages else heard
            if monotonic() - heard > _SILENCE_SECONDS:
                servers = settings.kafka_bootstrap_servers
                raise FatalServiceError(f"{servers} has sent nothing of {topic} for {_SILENCE_SECONDS:.0f} s")
            batch: list[InputRecord] = []
            for message in messages:
                partition, offset, error = message.partition(), message.offset(), message.error()
                if error is not None and error.code() == KafkaError._AUTO_OFFSET_RESET:
                    raise FatalServiceError(
                        f"{topic}/{partition}: retention deleted records while it was read; restore the topic"
                    )
                if error is not None and error.code() != KafkaError._PARTITION_EOF:
                    raise KafkaException(error)
                assert partition is not None
                assert offset is not None
                last = ends[partition] + ahead
                if error is None and offset < last:
                    batch.append(record_of(message))
                read_to = offset + (error is None)
                reached[partition] = max(reached.get(partition, 0), min(read_to, last))
                if read_to >= last or (error is not None and read_to >= ends[partition]):
                    left.pop(partition, None)
            if batch:
                yield batch
    finally:
        consumer.close()
