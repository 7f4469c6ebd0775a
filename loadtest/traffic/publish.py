"""Send messages to a topic (by default table events) in order, keyed by stream, as a table system must."""

import time
from types import TracebackType
from typing import Any, Final, Protocol, Self

from confluent_kafka import KafkaError, Producer
from confluent_kafka import Message as Delivered

from loadtest.floor.devices import Devices
from shared.contracts.envelope import CONTENT_TYPE
from shared.contracts.topics import TABLE_EVENTS

_HEADERS: Final[list[tuple[str, str | bytes | None]]] = [("content-type", CONTENT_TYPE)]
CLIENT_ID: Final = "pitledger-floor"
_ANSWER_SECONDS: Final = 60.0
_DELIVERY_SECONDS: Final = 300.0
"""The time for which librdkafka retries a message."""
_WAIT_SECONDS: Final = 0.1
_ANY: Final = -1
"""The partition number that makes librdkafka choose the partition by the key."""


class Record(Protocol):
    """A record to send: a key and bytes."""

    @property
    def key(self) -> str:
        """Return the stream, which is the key of the message."""

    @property
    def value(self) -> bytes:
        """Return the bytes of the event."""


class NotDelivered(Exception):
    """The broker did not accept all messages."""


class Publisher:
    """A Kafka producer for a `with` block, which ends only after the broker has accepted every message.

    `devices` sign the messages, if given. `partition` receives all messages, if given. A message may wait `linger_ms`
    for others to be batched with it. At the end, the producer waits at most `answer_seconds_max` for acknowledgments.
    `delivered` is the number of acknowledged messages. Raises: NotDelivered.
    """

    def __init__(
        self,
        bootstrap_servers: str,
        topic: str = TABLE_EVENTS.name,
        *,
        devices: Devices | None = None,
        partition: int | None = None,
        linger_ms: int = 5,
        answer_seconds_max: float = _ANSWER_SECONDS,
    ) -> None:
        self.delivered = 0
        self._answer_seconds_max = answer_seconds_max
        self._topic = topic
        self._partition = _ANY if partition is None else partition
        self._devices = devices
        self._failed: list[KafkaError] = []
        self._producer = Producer(
            {
                "bootstrap.servers": bootstrap_servers,
                "client.id": CLIENT_ID,
                "log_level": 3,  # undelivered messages are raised as an error
                "enable.idempotence": True,
                "compression.type": "lz4",
                "linger.ms": linger_ms,
                "message.timeout.ms": int(1000 * max(_DELIVERY_SECONDS, answer_seconds_max)),
                "queue.buffering.max.messages": 100_000,
            }
        )

    def send(self, message: Record) -> float:
        """Hand a message to the producer; return the time of the handover (seconds since the epoch)."""
        headers = _HEADERS
        if self._devices is not None:
            headers = _HEADERS + self._devices.headers(self._topic, message.key, message.value)
        while True:
            try:
                moment = time.time()
                self._producer.produce(
                    self._topic,
                    key=message.key,
                    value=message.value,
                    headers=headers,
                    partition=self._partition,
                    on_delivery=self._on_delivery,
                )
            except BufferError:
                self._producer.poll(_WAIT_SECONDS)
            else:
                self._producer.poll(0)
                return moment

    def flush(self) -> None:
        """Wait until the broker has accepted all messages. Raises: NotDelivered."""
        left = self._producer.flush(self._answer_seconds_max)
        if left or self._failed:
            reason = self._failed[0].str() if self._failed else f"no answer within {self._answer_seconds_max:.0f} s"
            raise NotDelivered(f"{left + len(self._failed)} messages did not reach {self._topic}: {reason}")

    def poll(self) -> None:
        """Process the broker's acknowledgments."""
        self._producer.poll(0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.flush()
            else:
                self._producer.purge()
        finally:
            # An open producer reconnects to its address, and would create its topic on the next broker that starts
            # there.
            self._producer.close()

    def _on_delivery(self, error: KafkaError | None, message: Delivered) -> Any:
        del message
        if error is None:
            self.delivered += 1
        else:
            self._failed.append(error)
