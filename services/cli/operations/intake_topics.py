"""The intake's access to Kafka: find each stream's last event, and send the following events in order."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from services.cli.exits import NotFound
from shared.contracts.device_signatures import HEADER as SIGNATURE
from shared.contracts.envelope import CONTENT_TYPE, position
from shared.contracts.topics import PIT_EVENTS, TABLE_EVENTS
from shared.runtime.errors import FatalServiceError
from shared.runtime.kafka import librdkafka_log, topic_log
from shared.runtime.settings import Settings

TOPICS: Final = (TABLE_EVENTS.name, PIT_EVENTS.name)
_JUMP_MAX: Final = 10_000
"""The largest valid jump of a stream's sequence: services refuse a larger jump, and the stream does not advance."""
_SILENCE_SECONDS_MAX: Final = 30.0
_POLL_SECONDS: Final = 0.2
_BY_KEY: Final = -1
"""The partition number for a new stream, which makes the producer choose a partition by key."""
_END: Final = KafkaError._PARTITION_EOF


@dataclass(slots=True)
class Known:
    """Progress in reading the topics: topic ids, next offsets, and each stream's last sequence and partition."""

    topic_ids: dict[str, str] = field(default_factory=dict)
    offsets: dict[str, dict[int, int]] = field(default_factory=dict)
    last: dict[str, int] = field(default_factory=dict)
    partitions: dict[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the progress as a JSON document."""
        return {
            "topic_ids": self.topic_ids,
            "offsets": {topic: {str(n): at for n, at in found.items()} for topic, found in self.offsets.items()},
            "last": self.last,
            "partitions": self.partitions,
        }

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "Known":
        """Return the state from a document that `as_json` returned, copying its dictionaries."""
        offsets = {topic: {int(n): at for n, at in found.items()} for topic, found in document["offsets"].items()}
        return cls(dict(document["topic_ids"]), offsets, dict(document["last"]), dict(document["partitions"]))


@dataclass(frozen=True, slots=True)
class Outgoing:
    """An event to send; its bytes and header are the same on every attempt."""

    line: int
    topic: str
    source: str
    sequence: int
    value: str
    signature: str | None = None

    @property
    def place(self) -> tuple[str, int]:
        """Return the event's stream position."""
        return self.source, self.sequence


@dataclass(frozen=True, slots=True)
class Kept:
    """The position of an event on the broker."""

    partition: int
    offset: int


class Topics:
    """The topics of table events and of pit events on a Kafka cluster."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def read_on(self, known: Known, wanted: Sequence[Outgoing] = ()) -> tuple[dict[tuple[str, int], Kept], list[str]]:
        """Read the topics to their ends, and add what was read to `known`.

        Return the partition and offset of each `wanted` event that is on the topics, by stream position, and a message
        for each wanted stream position that holds a different event. Raises: NotFound.
        """
        bytes_of = {each.place: each.value.encode() for each in wanted}
        found: dict[tuple[str, int], Kept] = {}
        taken: list[str] = []
        for topic in TOPICS:
            for message in self._new(topic, known):
                raw = message.value() or b""
                there = position(raw)
                if there is None:
                    continue
                place, partition, offset = (there.source, there.sequence), message.partition(), message.offset()
                assert partition is not None
                assert offset is not None
                last = known.last.get(there.source, 0)
                if last < there.sequence <= last + _JUMP_MAX:
                    known.last[there.source] = there.sequence
                    known.partitions[there.source] = partition
                if place in bytes_of and bytes_of[place] == raw:
                    found.setdefault(place, Kept(partition, offset))
                elif place in bytes_of:
                    taken.append(f"{there.source} {there.sequence} at {topic}/{partition}, offset {offset}")
        return found, taken

    def _new(self, topic: str, known: Known) -> Iterator[Message]:
        """Yield the new records of a topic; `known` is updated once all have been consumed."""
        try:
            log = topic_log(self._settings, topic)
            if known.topic_ids.get(topic) != log.topic_id:  # a re-created or unread topic: from its first record
                known.topic_ids[topic], known.offsets[topic] = log.topic_id, {}
            offsets = known.offsets[topic]
            ends: dict[int, int] = {}
            starts = {n: max(offsets.get(n, 0), first) for n, (first, _) in log.bounds.items()}
            yield from self._read(topic, starts, ends)
        except (KafkaException, FatalServiceError) as error:
            raise NotFound(f"{topic} on {self._settings.kafka_bootstrap_servers}: {error}") from error
        offsets.update(ends)

    def _read(self, topic: str, starts: Mapping[int, int], ends: dict[int, int]) -> Iterator[Message]:
        """Yield the records up to each partition's reported end, and store the ends in `ends`.

        Some brokers report the end before they deliver the last batch; the next call yields that batch.
        """
        consumer = Consumer(
            {
                **self._settings.librdkafka(),
                "group.id": "pitledger-intake",  # librdkafka requires a group; it never commits
                "enable.auto.commit": False,
                "auto.offset.reset": "error",
                "enable.partition.eof": True,
                "fetch.wait.max.ms": 10,
            },
            logger=librdkafka_log,
        )
        try:
            consumer.assign([TopicPartition(topic, number, start) for number, start in starts.items()])
            until = time.monotonic() + _SILENCE_SECONDS_MAX
            while ends.keys() != starts.keys():
                message = consumer.poll(_POLL_SECONDS)
                if message is None:
                    if time.monotonic() > until:
                        raise NotFound(f"{topic}: the broker does not answer")
                    continue
                until = time.monotonic() + _SILENCE_SECONDS_MAX
                number, offset, error = message.partition(), message.offset(), message.error()
                if error is not None and error.code() != _END:
                    raise KafkaException(error)
                assert number is not None
                assert offset is not None
                if error is not None:
                    ends[number] = offset
                elif number not in ends:
                    yield message
        finally:
            consumer.close()

    def send(self, events: Sequence[Outgoing], known: Known) -> dict[tuple[str, int], Kept]:
        """Send events in order, each to the partition of its stream; return their positions. Raises: NotFound.

        Events acknowledged before an error stay on the topic; call `read_on` before resuming.
        """
        producer = Producer(
            {
                **self._settings.librdkafka(),
                "client.id": "pitledger-intake",
                "enable.idempotence": True,
                "compression.type": "lz4",
                "message.max.bytes": 16 * 1024 * 1024,
                "partitioner": "murmur2_random",  # as the Java clients do
            },
            logger=librdkafka_log,
        )
        kept: dict[tuple[str, int], Kept | None] = {}
        failed: list[str] = []
        for event in events:
            self._produce(producer, event, known, kept, failed)
        left, until = len(producer), time.monotonic() + _SILENCE_SECONDS_MAX
        while left and not failed and time.monotonic() < until:
            now = producer.flush(_POLL_SECONDS)
            if now < left:
                left, until = now, time.monotonic() + _SILENCE_SECONDS_MAX
        if failed or left:
            producer.purge()
            raise NotFound(f"{failed[0] if failed else 'the broker does not answer'}: {left} events wait to be sent")
        told = {place: there for place, there in kept.items() if there is not None}
        return told if len(told) == len(events) else self._look_up(events, known)

    def _look_up(self, events: Sequence[Outgoing], known: Known) -> dict[tuple[str, int], Kept]:
        """Return the positions of acknowledged events, found by reading the topics. Raises: NotFound.

        Offsets reported by the client are not reliable: if a broker received a batch twice, because its first response
        was lost, it may acknowledge the batch without an offset, and the client then counts up from -1.
        """
        found, _ = self.read_on(Known.of(known.as_json()), events)
        if missing := [event for event in events if event.place not in found]:
            first = missing[0]
            raise NotFound(f"{first.topic}: {first.source} {first.sequence} was acknowledged and is not there")
        return found

    @staticmethod
    def _produce(
        producer: Producer, event: Outgoing, known: Known, kept: dict[tuple[str, int], Kept | None], failed: list[str]
    ) -> None:
        def delivered(error: Any, message: Message) -> None:
            if error is not None:
                failed.append(str(error))
                return
            partition, offset = message.partition(), message.offset()
            kept[event.place] = None if partition is None or offset is None else Kept(partition, offset)

        headers: list[tuple[str, str | bytes | None]] = [("content-type", CONTENT_TYPE)]
        if event.signature is not None:
            headers.append((SIGNATURE, event.signature.encode()))
        while True:
            try:
                producer.produce(
                    event.topic,
                    key=event.source.encode(),
                    value=event.value.encode(),
                    headers=headers,
                    on_delivery=delivered,
                    partition=known.partitions.get(event.source, _BY_KEY),
                )
            except BufferError:
                producer.poll(_POLL_SECONDS)
                continue
            producer.poll(0)
            return


def digest_of(event: Outgoing) -> str:
    """Return the hexadecimal SHA-256 of an event's bytes, by which services identify the event."""
    return sha256(event.value.encode()).hexdigest()
