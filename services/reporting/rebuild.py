"""Computes the reports again from the topic, reporting's own journal and its copy of the rules submissions.

Run it as `python -m services.reporting.rebuild`.

The running service may stay up: it waits for the shards meanwhile, and goes on where it was.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from time import monotonic

import structlog
from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting import projection
from services.reporting.domain import Changes
from services.reporting.events import decode
from services.reporting.house_edges import count_again
from services.reporting.processing import SERVICE_NAME, add_own
from services.reporting.tables import journal
from shared.contracts.settlement_events import TOPIC
from shared.journal.reading import read_entries
from shared.journal.streams import Place, Stream
from shared.runtime.database import create_engine, role_of
from shared.runtime.errors import Stop
from shared.runtime.kafka import cluster_id, librdkafka_log
from shared.runtime.settings import Settings

log = structlog.get_logger()

_BATCH_RECORDS = 1000
_POLL_SECONDS = 0.2
_SILENCE_SECONDS = 30.0

Message = tuple[int, int, bytes]
"""(partition, offset, value) of a record."""


async def rebuild(settings: Settings) -> int:
    """Empties the reports and fills them anew, in one transaction; gives the number of settlement entries counted.

    Raises: Stop where the topic does not hold all that was ever read.
    """
    servers = settings.kafka_bootstrap_servers
    cluster = await asyncio.to_thread(cluster_id, servers)
    engine = create_engine(settings.database_url.get_secret_value(), role=role_of(SERVICE_NAME))
    try:
        async with engine.begin() as connection:
            partitions = await _locked_partitions(connection, cluster)
            await projection.clear(connection)
            await count_again(connection)
            await _add_own_journal(connection)
            return await _add_topic(connection, servers, partitions)
    finally:
        await engine.dispose()


class _Read:
    """A partition as far as it was read: its shard and the offset after the last record."""

    __slots__ = ("end", "refused", "shard")

    def __init__(self, shard: int, end: int) -> None:
        self.shard = shard
        self.end = end
        self.refused: set[int] = set()


async def _locked_partitions(connection: AsyncConnection, cluster: str) -> dict[int, _Read]:
    """The partitions that were read; their shards are ours until the end of the transaction."""
    shards, quarantine = journal.shards, journal.quarantine
    found: dict[int, _Read] = {}
    for row in (await connection.execute(select(shards).order_by(shards.c.shard).with_for_update())).all():
        place, _, of_cluster = row.name.rpartition("@")
        topic, _, number = place.rpartition("/")
        if topic != TOPIC or not row.next_offset:
            continue
        if of_cluster != cluster:
            raise Stop(
                f"shard {row.name} was read from another cluster than {cluster}, which does not hold its records: "
                "point KAFKA_BOOTSTRAP_SERVERS at a cluster that does"
            )
        found[int(number)] = _Read(row.shard, row.next_offset)
    by_shard = {read.shard: read for read in found.values()}
    for row in await connection.execute(select(quarantine.c.shard, quarantine.c.offset)):
        if row.shard in by_shard:
            by_shard[row.shard].refused.add(row.offset)
    return found


async def _add_own_journal(connection: AsyncConnection) -> None:
    for shard in (await connection.execute(select(journal.shards.c.shard))).scalars().all():
        changes = Changes()
        async for entry in read_entries(connection, journal, shard):
            add_own(changes, [entry])
        await projection.write(connection, changes)


async def _add_topic(connection: AsyncConnection, servers: str, partitions: Mapping[int, _Read]) -> int:
    streams: dict[str, Stream] = {}
    count = 0
    batches = _batches(servers, {number: read.end for number, read in partitions.items()})
    while batch := await asyncio.to_thread(partial(next, batches, None)):
        changes = Changes()
        for partition, offset, value in batch:
            if offset in partitions[partition].refused:
                continue
            event = decode(value)
            stream = streams.setdefault(event.source, Stream())
            if stream.place(event.sequence) is not Place.TAKEN:
                stream.take(event.sequence)
                changes.add(event)
                count += 1
        await projection.write(connection, changes)
    return count


def _batches(servers: str, ends: Mapping[int, int]) -> Iterator[Sequence[Message]]:
    """The records of the topic from its beginning up to where each partition was read, some at a time."""
    consumer = Consumer(
        {
            "bootstrap.servers": servers,
            "group.id": f"pitledger-{SERVICE_NAME}-rebuild",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        },
        logger=librdkafka_log,
    )
    try:
        left = dict(ends)
        for number in ends:
            first, _ = consumer.get_watermark_offsets(TopicPartition(TOPIC, number), timeout=_SILENCE_SECONDS)
            if first > 0:
                raise Stop(f"{TOPIC}/{number} begins at offset {first}: what came before was deleted by retention")
        consumer.assign([TopicPartition(TOPIC, number, 0) for number in ends])
        heard = monotonic()
        while left:
            messages = consumer.consume(_BATCH_RECORDS, timeout=_POLL_SECONDS)
            heard = monotonic() if messages else heard
            if monotonic() - heard > _SILENCE_SECONDS:
                raise Stop(f"{servers} has sent nothing of {TOPIC} for {_SILENCE_SECONDS:.0f} s")
            batch: list[Message] = []
            for message in messages:
                partition, offset, error = message.partition(), message.offset(), message.error()
                assert partition is not None
                assert offset is not None
                if error is not None and error.code() != KafkaError._PARTITION_EOF:
                    raise KafkaException(error)
                if error is None and offset < ends[partition]:
                    batch.append((partition, offset, message.value() or b""))
                if offset + (error is None) >= ends[partition]:
                    left.pop(partition, None)
            if batch:
                yield batch
    finally:
        consumer.close()


if __name__ == "__main__":
    log.info("rebuilt", entries=asyncio.run(rebuild(Settings())))
