"""Queries of a Kafka cluster, producers, and consumers that are independent of the services' groups."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from types import MappingProxyType
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicCollection, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec  # type: ignore[attr-defined]  # it has no `__all__`

from shared.runtime.errors import FatalServiceError
from shared.runtime.kafka_settings import KafkaSettings

ANSWER_SECONDS = 10.0
_POLL_SECONDS = 0.2

librdkafka_log = logging.getLogger("librdkafka")
"""Logger for librdkafka's own messages."""


def cluster_id(settings: KafkaSettings) -> str:
    """Return the id of the cluster. Raises: KafkaException if it does not answer."""
    with inspecting(settings) as kafka:
        return str(kafka.list_topics(timeout=ANSWER_SECONDS).cluster_id)


@dataclass(frozen=True, slots=True)
class TopicLog:
    """A topic in a cluster: ids of cluster and topic, and (first offset, end offset) by partition."""

    cluster_id: str
    topic_id: str
    bounds: Mapping[int, tuple[int, int]]


def topic_log(settings: KafkaSettings, topic: str) -> TopicLog:
    """Return the current state of a topic. Raises: the errors of `topic_logs`."""
    return topic_logs(settings, topic)[topic]


def topic_logs(settings: KafkaSettings, *topics: str) -> dict[str, TopicLog]:
    """Return the current state of topics by name, all queried at once, because each client takes long to connect.

    Raises: FatalServiceError if a topic does not exist; KafkaException if the cluster does not answer.
    """
    admin = AdminClient(settings.librdkafka(), logger=librdkafka_log)
    asked = admin.describe_topics(TopicCollection(list(topics)), request_timeout=ANSWER_SECONDS)
    cluster = admin.describe_cluster(request_timeout=ANSWER_SECONDS)  # concurrently: a batch waits for it
    described = {}
    for topic in topics:
        try:
            described[topic] = asked[topic].result()
        except KafkaException as error:
            if error.args[0].code() != KafkaError.UNKNOWN_TOPIC_OR_PART:
                raise
            servers = settings.kafka_bootstrap_servers
            raise FatalServiceError(
                f"there is no topic {topic} on {servers}; create it: pitledger topics apply"
            ) from error
    places = [TopicPartition(topic, partition.id) for topic in topics for partition in described[topic].partitions]
    specs: list[OffsetSpec] = [OffsetSpec.earliest(), OffsetSpec.latest()]  # type: ignore[no-untyped-call]
    ends = [admin.list_offsets(dict.fromkeys(places, spec), request_timeout=ANSWER_SECONDS) for spec in specs]
    bounds: dict[str, dict[int, tuple[int, int]]] = {topic: {} for topic in topics}
    for place in places:
        first, end = (found[place].result().offset for found in ends)
        bounds[place.topic][place.partition] = first, end
    known = str(cluster.result().cluster_id)
    return {topic: TopicLog(known, str(described[topic].topic_id), bounds[topic]) for topic in topics}


def partitions_holding(settings: KafkaSettings, topic: str, offsets: Mapping[int, int]) -> set[int]:
    """Return the partitions that hold a record at the given offset, determined by reading it.

    Raises: KafkaException if a partition does not answer in time.
    """
    held: dict[int, bool] = {}
    with inspecting(settings, {"auto.offset.reset": "error"}) as kafka:
        kafka.assign([TopicPartition(topic, number, offset) for number, offset in offsets.items()])
        until = monotonic() + ANSWER_SECONDS
        while held.keys() != offsets.keys():
            message = kafka.poll(_POLL_SECONDS)
            if message is not None and (number := message.partition()) is not None:
                held.setdefault(number, message.error() is None and message.offset() == offsets[number])
            elif monotonic() > until:
                raise KafkaException(KafkaError(KafkaError._TIMED_OUT, f"{topic} does not answer"))
    return {number for number, is_held in held.items() if is_held}


def new_producer(settings: KafkaSettings, service: str) -> Producer:
    """Return an idempotent producer. It does not lose, duplicate or reorder records."""
    config = {
        **settings.librdkafka(),
        "client.id": f"pitledger-{service}",
        "enable.idempotence": True,
        "compression.type": "lz4",
        "linger.ms": 5,
        "message.max.bytes": 16 * 1024 * 1024,
        "queue.buffering.max.messages": 100_000,
    }
    return Producer(config, logger=librdkafka_log)


@contextmanager
def inspecting(settings: KafkaSettings, options: Mapping[str, Any] = MappingProxyType({})) -> Iterator[Consumer]:
    """Yield a consumer outside the services' consumer groups. It commits nothing, and reports partition ends."""
    config = {
        **settings.librdkafka(),
        "group.id": "pitledger-inspection",
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "enable.partition.eof": True,
        **options,
    }
    kafka = Consumer(config, logger=librdkafka_log)
    try:
        yield kafka
    finally:
        kafka.close()
