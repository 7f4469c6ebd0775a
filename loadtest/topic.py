"""Reads a topic from its first message to its last, whoever else reads it."""

import time
from collections.abc import Iterator
from typing import Final, NamedTuple

from confluent_kafka import Consumer, KafkaError, Message, TopicPartition

_SECONDS: Final = 10.0
_TURN_SECONDS: Final = 0.1
"""So long is waited for as many messages as are asked for at once."""
_AT_ONCE: Final = 1000


class NotRead(Exception):
    """The broker did not give what it has."""


class Stored(NamedTuple):
    """A message as the broker has it."""

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
            "group.id": "pitledger-loadtest",  # nothing is committed under it
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
        }
    )
    try:
        partitions = consumer.list_topics(topic, timeout=_SECONDS).topics[topic].partitions
        left: dict[int, int] = {}
        for number in partitions:
            first, end = consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=_SECONDS)
            if end > first:
                left[number] = end
        consumer.assign([TopicPartition(topic, number, 0) for number in left])
        deadline = time.monotonic() + _SECONDS
        while left:
            messages = consumer.consume(_AT_ONCE, timeout=_TURN_SECONDS)
            if messages:
                deadline = time.monotonic() + _SECONDS
            elif time.monotonic() > deadline:
                raise NotRead(f"{topic}: nothing of partitions {sorted(left)} within {_SECONDS:.0f} s")
            for message in messages:
                error: KafkaError | None = message.error()
                if error is not None:
                    raise NotRead(f"{topic}: {error.str()}")
                one = _stored(message)
                yield one
                if one.offset + 1 >= left.get(one.partition, 0):
                    left.pop(one.partition, None)
    finally:
        consumer.close()
