"""Read topics with kafka-python, which shares no code with the client that the services use.

To hide a record, an attacker would have to deceive both clients.
"""

import socket
from collections.abc import Iterator
from contextlib import AbstractContextManager
from time import monotonic
from typing import Any, Final, Self

from kafka import KafkaConsumer, TopicPartition
from kafka.admin import KafkaAdminClient
from kafka.errors import KafkaError

from shared.runtime.ingest.handler import InputRecord, moment_of
from shared.runtime.kafka_settings import KafkaSettings
from shared.runtime.rederivation.replay_spec import TopicLacks

_POLL_MILLISECONDS: Final = 500
_SILENCE_SECONDS: Final = 30.0
"""Maximum silence of a broker that still has records to deliver."""
_ENDED_SECONDS: Final = 2.0
"""Maximum silence of a broker that reports the end of the records; some in-memory brokers report it too early."""
_CONNECT_SECONDS: Final = 3.0
_BYTES_MAX: Final = 32 * 1024 * 1024
_BY_BROKER: Final = 1
"""Kafka's timestamp type for timestamps set by the broker (`LogAppendTime`)."""

# kafka-python carries no types.
_Consumer: Any = KafkaConsumer
_Admin: Any = KafkaAdminClient


class Records(AbstractContextManager["Records"]):
    """The records of a cluster, over one connection. Raises: ConnectionError if no broker answers."""

    def __init__(self, settings: KafkaSettings, *, at_once: int = 500) -> None:
        _require_listening(settings.kafka_bootstrap_servers)
        connection = settings.kafka_python()
        try:
            admin = _Admin(**connection)
            self.cluster_id = str(admin.describe_cluster()["cluster_id"])
            admin.close()
            # The hash in its entries verifies a record. The CRC of its batch is not checked, because that takes Python
            # longer than everything else.
            self._consumer = _Consumer(
                **connection,
                group_id=None,
                enable_auto_commit=False,
                isolation_level="read_committed",
                check_crcs=False,
                max_poll_records=at_once,
                fetch_max_bytes=_BYTES_MAX,
                max_partition_fetch_bytes=_BYTES_MAX,
            )
        except KafkaError as error:
            raise ConnectionError(f"{settings.kafka_bootstrap_servers} does not answer: {error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self._consumer.close(autocommit=False)

    def read(self, topic: str, partition: int, first: int, end: int) -> Iterator[list[InputRecord]]:
        """Yield records as `Topics.read` does."""
        if first >= end:
            return
        place = TopicPartition(topic, partition)
        try:
            self._consumer.assign([place])
            begins = self._consumer.beginning_offsets([place])[place]
            if begins > first:
                raise TopicLacks(
                    f"{topic}/{partition} begins at offset {begins}, not {first}: retention deleted the rest"
                )
            has_more = self._consumer.end_offsets([place])[place] >= end
            self._consumer.seek(place, first)
            heard = monotonic()
            while self._consumer.position(place) < end:
                found = self._consumer.poll(timeout_ms=_POLL_MILLISECONDS).get(place, ())
                if found:
                    heard = monotonic()
                    yield [_record(one) for one in found if one.offset < end]
                elif monotonic() - heard > (_SILENCE_SECONDS if has_more else _ENDED_SECONDS):
                    at = max(first, self._consumer.position(place))
                    raise TopicLacks(f"{topic}/{partition} was read up to offset {end}, and has nothing from {at} on")
        except KafkaError as error:
            raise ConnectionError(f"{topic}/{partition} cannot be read: {error}") from error


def _require_listening(bootstrap_servers: str) -> None:
    """Raise ConnectionError unless a broker listens. A client that finds no broker would leak sockets."""
    for address in bootstrap_servers.split(","):
        host, _, port = address.strip().rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_SECONDS).close()
        except OSError:
            continue
        return
    raise ConnectionError(f"{bootstrap_servers} does not answer")


def _record(found: Any) -> InputRecord:
    return InputRecord(
        topic=found.topic,
        partition=found.partition,
        offset=found.offset,
        key=found.key,
        value=found.value or b"",
        taken_at=moment_of(found.timestamp),
        headers=tuple(dict(found.headers).items()),
        by_broker=found.timestamp_type == _BY_BROKER,
    )
