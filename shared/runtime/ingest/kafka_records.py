"""Records as librdkafka gives them, as ours."""

from typing import Any

from confluent_kafka import TIMESTAMP_LOG_APPEND_TIME, Message

from shared.runtime.ingest.handler import InputRecord, moment_of


def record_of(message: Message) -> InputRecord:
    """Return a message that was read of a topic, and is no error, as a record."""
    stamped, timestamp_ms = message.timestamp()
    partition, offset = message.partition(), message.offset()
    headers: Any = message.headers() or ()  # of text are only those that somebody sends
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
