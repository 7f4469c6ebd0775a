"""Records as librdkafka gives them, as ours."""

from datetime import UTC, datetime

from confluent_kafka import Message

from shared.runtime.consume.handler import Record


def record_of(message: Message) -> Record:
    """Return a message that was read of a topic, and is no error, as a record."""
    _, milliseconds = message.timestamp()
    partition, offset = message.partition(), message.offset()
    assert partition is not None
    assert offset is not None
    return Record(
        topic=message.topic() or "",
        partition=partition,
        offset=offset,
        key=message.key(),
        value=message.value() or b"",
        taken_at=datetime.fromtimestamp(max(milliseconds, 0) / 1000, UTC),
        headers=tuple(
            (name, value.encode() if isinstance(value, str) else value)
            for name, value in dict(message.headers() or ()).items()
        ),
    )
