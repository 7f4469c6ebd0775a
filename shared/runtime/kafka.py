"""What a service asks a Kafka cluster besides its records."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from confluent_kafka import Consumer, Producer

from shared.runtime.errors import Stop

ANSWER_SECONDS = 10.0

librdkafka_log = logging.getLogger("librdkafka")
"""librdkafka's own messages go here."""


def cluster_id(bootstrap_servers: str) -> str:
    """Return the id of the cluster. Raises KafkaException when it does not answer."""
    with _client(bootstrap_servers) as kafka:
        return str(kafka.list_topics(timeout=ANSWER_SECONDS).cluster_id)


def partitions_of(bootstrap_servers: str, topic: str) -> list[int]:
    """Return the partitions of a topic. Raises Stop when there is no such topic."""
    with _client(bootstrap_servers) as kafka:
        found = kafka.list_topics(topic, timeout=ANSWER_SECONDS).topics[topic]
        if found.error is not None or not found.partitions:
            raise Stop(f"there is no topic {topic} on {bootstrap_servers}; create it: pitledger topics apply")
        return sorted(found.partitions)


def new_producer(bootstrap_servers: str, service: str) -> Producer:
    """Return a producer that loses nothing and keeps order."""
    config = {
        "bootstrap.servers": bootstrap_servers,
        "client.id": f"pitledger-{service}",
        "enable.idempotence": True,
        "compression.type": "lz4",
        "linger.ms": 5,
        "message.max.bytes": 16 * 1024 * 1024,
        "queue.buffering.max.messages": 100_000,
    }
    return Producer(config, logger=librdkafka_log)


@contextmanager
def _client(bootstrap_servers: str) -> Iterator[Consumer]:
    kafka = Consumer(
        {"bootstrap.servers": bootstrap_servers, "group.id": "pitledger-inspection"}, logger=librdkafka_log
    )
    try:
        yield kafka
    finally:
        kafka.close()
