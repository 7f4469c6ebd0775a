"""Read a topic again up to the service's position, for projections of data that is not in the journal."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.envelope import Event
from shared.contracts.journal_facts import RecordQuarantined
from shared.journal.event_dedup import load_digests
from shared.journal.signed_batch import BatchVerifier
from shared.journal.streams import Stream, StreamPosition
from shared.journal.tables import JournalTables
from shared.journal.topic_identity import TopicIdentity, known_input
from shared.runtime.errors import FatalServiceError
from shared.runtime.ingest.handler import Handler, InputRecord
from shared.runtime.ingest.kafka_records import record_of
from shared.runtime.ingest.signature_check import NotAuthentic, content_digest, require_authentic
from shared.runtime.kafka import TopicLog, librdkafka_log, topic_log
from shared.runtime.settings import Settings

_BATCH_RECORDS = 1000
_POLL_SECONDS = 0.2
_SILENCE_SECONDS = 30.0


async def read_again(
    connection: AsyncConnection,
    journal: JournalTables,
    handler: Handler[Any],
    settings: Settings,
    verifier: BatchVerifier | None,
) -> AsyncIterator[list[Event[Any]]]:
    """Yield the events that the service accepted from a topic, in batches, ordered within each partition.

    Its shards must not change meanwhile: they are locked, or read in one snapshot. Raises: FatalServiceError if the
    topic no longer holds everything that was read, unchanged and signed by its publisher; KafkaException if the cluster
    does not answer.
    """
    topic = handler.topic
    s = journal.shards.c
    was_read = select(s.shard).where(s.name.startswith(f"{topic}/", autoescape=True), s.next_offset > 0)
    if (await connection.execute(was_read.limit(1))).first() is None:
        return
    partitions = await _partitions(connection, journal, topic, await asyncio.to_thread(topic_log, settings, topic))
    group = f"{settings.kafka_group_prefix}-{journal.schema}-again"
    batches = _batches(settings, group, topic, {number: read.end for number, read in partitions.items()})
    streams: dict[str, Stream] = {}
    while batch := await asyncio.to_thread(partial(next, batches, None)):
        read = [record for record in batch if record.offset not in partitions[record.partition].refused]
        taken = [(record, _authentic(handler, record, verifier, journal.schema)) for record in read]
        await _require_as_read(connection, journal, handler, taken)
        events: list[Event[Any]] = []
        for _, event in taken:
            stream = streams.setdefault(event.source, Stream())
            if stream.place(event.sequence) is not StreamPosition.TAKEN:
                stream.take(event.sequence)
                events.append(event)
        yield events


def _authentic(handler: Handler[Any], record: InputRecord, verifier: BatchVerifier | None, schema: str) -> Event[Any]:
    """Return the event of a record. Raises: FatalServiceError if its publisher did not sign it."""
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
    """Raise FatalServiceError if a record differs from what the service read the first time."""
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
    """A partition up to where it was read: the offset after the last record, and the refused offsets."""

    end: int
    refused: set[int] = field(default_factory=set)


async def _partitions(
    connection: AsyncConnection, journal: JournalTables, topic: str, found: TopicLog
) -> Mapping[int, _Read]:
    shards, e = journal.shards, journal.entries.c
    there = TopicIdentity(topic, found.cluster_id, found.topic_id)
    known = await known_input(connection, journal, topic, found.cluster_id) or there
    by_number: dict[int, _Read] = {}
    by_shard: dict[int, _Read] = {}
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
        by_number[int(number)] = by_shard[row.shard] = _Read(row.next_offset)
    # As the journal says, and not quarantine, of which a row may be gone.
    for row in await connection.execute(select(e.shard, e.offset).where(e.kind.in_(RecordQuarantined.KIND.types))):
        if row.shard in by_shard:
            by_shard[row.shard].refused.add(row.offset)
    return by_number


def _require_first(topic: str, number: int, found: TopicLog) -> None:
    """Raise FatalServiceError if the first records of a partition were deleted."""
    first, _ = found.bounds.get(number, (0, 0))
    if first > 0:
        raise FatalServiceError(
            f"{topic}/{number} begins at offset {first}: what came before was deleted by retention; restore the topic"
        )


def _batches(settings: Settings, group: str, topic: str, ends: Mapping[int, int]) -> Iterator[Sequence[InputRecord]]:
    """Yield the records of the topic from its beginning to each partition's read position, in batches.

    Raises: FatalServiceError if records are deleted meanwhile, or none arrive; KafkaException.
    """
    consumer = Consumer(
        {
            **settings.librdkafka(),
            "group.id": group,
            "auto.offset.reset": "error",  # it would go on at the end, and leave out what is deleted meanwhile
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        },
        logger=librdkafka_log,
    )
    try:
        left = dict(ends)
        consumer.assign([TopicPartition(topic, number, 0) for number in ends])
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
                if error is None and offset < ends[partition]:
                    batch.append(record_of(message))
                if offset + (error is None) >= ends[partition]:
                    left.pop(partition, None)
            if batch:
                yield batch
    finally:
        consumer.close()
