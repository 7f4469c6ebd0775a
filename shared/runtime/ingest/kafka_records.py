"""Convert librdkafka's messages to input records."""

from typing import Any

from confluent_kafka import TIMESTAMP_LOG_APPEND_TIME, Message

from shared.runtime.ingest.handler import InputRecord, moment_of


def record_of(message: Message) -> InputRecord:
    """Return the input record of a Kafka message that is not an error."""
    stamped, timestamp_ms = message.timestamp()
    partition, offset = message.partition(), message.offset()
    headers: Any = message.headers() or ()  # only headers to be sent may be text
    assert partition is not None
    assert offset is not None
    return InputRecord(
        topic=message.topic() or "",
        partition=partition,
        offset=offset,
        key=message.key(),
        value=message.value() or b"",
        taken_at=moment_of(timestamp_ms),
        headers=tuple(dict(headers).items()),
        by_broker=stamped == TIMESTAMP_LOG_APPEND_TIME,
    )
