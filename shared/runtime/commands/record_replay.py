"""Send approved replays of quarantined records to their topics, repaired or unchanged."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from confluent_kafka import KafkaException
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.envelope import CONTENT_TYPE
from shared.journal.quarantine import partition_of, read_quarantined, requests_about
from shared.journal.signed_batch import HEADER, replay_bytes, sign_batch
from shared.journal.signed_note import Signer
from shared.runtime.context import RuntimeContext
from shared.runtime.ingest import ingest_facts as facts
from shared.runtime.ingest.handler import Handler
from shared.runtime.kafka import cluster_id, new_producer
from shared.runtime.kafka_settings import KafkaSettings

_SEND_SECONDS_MAX = 30.0
_BY_KEY = -1

Headers = Sequence[tuple[str, str | bytes | None]]


class NotSent(ConnectionError):
    """The cluster did not confirm a record. The caller should retry the command under the same key."""


@dataclass(frozen=True, slots=True)
class Replay:
    """The record to send in place of a quarantined record. If `partition` is None, its key determines the partition."""

    topic: str
    partition: int | None
    key: bytes | None
    value: bytes
    headers: Headers


class ReplayOutbox(Protocol):
    """Sends replayed records to a Kafka cluster."""

    async def cluster_id(self) -> str:
        """Return the id of the cluster. Raises: NotSent if it does not answer."""

    async def send(self, replay: Replay) -> tuple[int, int]:
        """Send a record; return its partition and offset. Raises: NotSent."""


class KafkaOutbox:
    """Sends records to Kafka, in a thread with a short-lived client, because replays are rare."""

    def __init__(self, settings: KafkaSettings, service: str) -> None:
        self._settings = settings
        self._servers = settings.kafka_bootstrap_servers
        self._service = service

    async def cluster_id(self) -> str:
        try:
            return await asyncio.to_thread(cluster_id, self._settings)
        except KafkaException as error:
            raise NotSent(f"Kafka at {self._servers} does not answer: {error.args[0]}") from error

    async def send(self, replay: Replay) -> tuple[int, int]:
        return await asyncio.to_thread(self._send, replay)

    def _send(self, replay: Replay) -> tuple[int, int]:
        answers: list[tuple[Any, Any]] = []
        producer = new_producer(self._settings, self._service)
        try:
            producer.produce(
                replay.topic,
                key=replay.key,
                value=replay.value,
                headers=list(replay.headers),
                on_delivery=lambda error, message: answers.append((error, message)),
                partition=_BY_KEY if replay.partition is None else replay.partition,
            )
            left = producer.flush(_SEND_SECONDS_MAX)
        except KafkaException as error:
            raise NotSent(f"{replay.topic} on {self._servers}: {error}") from error
        if left or not answers or answers[0][0] is not None:
            why = answers[0][0] if answers else f"no answer within {_SEND_SECONDS_MAX:.0f} s"
            raise NotSent(f"{replay.topic} on {self._servers}: {why}")
        partition, offset = answers[0][1].partition(), answers[0][1].offset()
        if offset is None:  # the first acknowledgment was lost and the client sent it twice; sending again does no harm
            raise NotSent(f"{replay.topic} on {self._servers}: the broker has it and did not say where")
        return partition, offset


class ReplaySender:
    """Sends the approved replays of a service's quarantined records."""

    def __init__(
        self,
        context: RuntimeContext,
        readers: Sequence[type[Handler[Any]]],
        outbox: ReplayOutbox,
        signer: Signer | None = None,
    ) -> None:
        """Send through `outbox`; sign each record if `signer` is given."""
        self._signer = signer
        self._engine = context.pools.commands
        self._tables = context.tables
        self._handlers = {handler.reader.topic.name: handler for handler in readers}
        self._outbox = outbox

    async def send(self, quarantine: int, request: int) -> tuple[int, int]:
        """Send the replay of an approved request; return the record's new partition and offset. Raises: NotSent."""
        cluster = await self._outbox.cluster_id()
        async with self._engine.connect() as connection:
            replay = await self._replay(connection, quarantine, request, cluster)
        return await self._outbox.send(replay)

    async def _replay(self, connection: AsyncConnection, quarantine: int, request: int, cluster: str) -> Replay:
        record = await read_quarantined(connection, self._tables, quarantine)
        assert record is not None, f"a replay of record {quarantine} was approved"
        asked = (await requests_about(connection, self._tables, quarantine))[request - 1]
        value = record.value if asked.mended is None else asked.mended.encode()
        handler = self._handlers[record.topic]
        stream = handler.key_of(handler.reader.decode(value))
        key = stream.encode() if handler.keyed_by_source else record.key
        partition: int | None = None  # on another cluster the key decides the partition
        if record.cluster == cluster:
            partition = record.partition
            if key != record.key:
                partition = await partition_of(connection, self._tables, record.topic, stream, cluster)
        said = {
            facts.QUARANTINE_ID: f"{self._tables.schema}/{record.id}",
            facts.MENDED_BY: asked.asked_by,
            facts.MENDED_REASON: asked.reason,
        }
        headers: list[tuple[str, str | bytes | None]] = [("content-type", CONTENT_TYPE), *said.items()]
        if self._signer is not None:
            replayed = replay_bytes(record.topic, key, value, [text.encode() for text in said.values()])
            [proof] = sign_batch(self._signer, [replayed])
            headers.append((facts.REPLAY_SIGNATURE, proof))
        if record.signature is not None and handler.reader.topic.publisher is not None:
            headers.append((HEADER, record.signature))
        return Replay(record.topic, partition, key, value, headers)
