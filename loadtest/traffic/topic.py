"""Read a topic from its first message to its last, independently of other readers."""

import time
from collections.abc import Iterator
from typing import Final, NamedTuple

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Message, TopicPartition

_SECONDS: Final = 10.0
_TURN_SECONDS: Final = 0.1
"""The time to wait for a batch of messages."""
_AT_ONCE: Final = 1000


class NotRead(Exception):
    """The broker did not return all messages of a topic."""


class Stored(NamedTuple):
    """A message as stored by the broker."""

    partition: int
    offset: int
    key: bytes
    value: bytes
    headers: tuple[tuple[str, bytes | None], ...]


def _stored(message: Message) -> Stored:
    number, offset, key, value = message.partition(), message.offset(), message.key(), message.value()
    assert number is not None, "it was consumed"
    assert offset is not None, "it was consumed"
    headers = message.headers() or []
    pairs = headers.items() if isinstance(headers, dict) else headers
    return Stored(number, offset, key or b"", value or b"", tuple((name, _bytes(said)) for name, said in pairs))


def _bytes(said: str | bytes | None) -> bytes | None:
    return said.encode() if isinstance(said, str) else said


def stored(bootstrap_servers: str, topic: str) -> Iterator[Stored]:
    """Yield every message of a topic, in the order of each partition. Raises: NotRead."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap_servers,
            "group.id": "pitledger-loadtest",  # nothing is committed for this group
            "enable.auto.commit": False,
            "enable.partition.eof": True,  # the embedded broker reports the end of a partition only this way
        }
    )
    try:
        left = set(consumer.list_topics(topic, timeout=_SECONDS).topics[topic].partitions)
        consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for number in left])
        deadline = time.monotonic() + _SECONDS
        while left:
            messages = consumer.consume(_AT_ONCE, timeout=_TURN_SECONDS)
            if messages:
                deadline = time.monotonic() + _SECONDS
            elif time.monotonic() > deadline:
                raise NotRead(f"{topic}: nothing of partitions {sorted(left)} within {_SECONDS:.0f} s")
            for message in messages:
                error: KafkaError | None = message.error()
                if error is None:
                    yield _stored(message)
                elif error.code() == KafkaError._PARTITION_EOF:
                    left.discard(message.partition() or 0)
                else:
                    raise NotRead(f"{topic}: {error.str()}")
    finally:
        consumer.close()
