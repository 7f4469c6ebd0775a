"""Services for tests: topics and schemas made, workers run as processes of their own, journals read back."""

import multiprocessing
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic, OffsetSpec  # type: ignore[attr-defined]  # it has no `__all__`
from sqlalchemy import make_url

from infra.topics import apply
from services.cli.services import NAMES
from shared.journal.signed_batch import HEADER, message_bytes, sign_batch
from shared.journal.signed_note import Signer
from shared.runtime.ingest.handler import InputRecord
from shared.runtime.process.migrations import upgrade
from tests.support.databases import Databases
from tests.support.polling import eventually
from tests.support.rounds import encoded
from tests.support.worker import Orders, run

ROOT = Path(__file__).parents[2]

_forked = multiprocessing.get_context("forkserver")
_forked.set_forkserver_preload([run.__module__, *(f"services.{name.replace('-', '_')}.manifest" for name in NAMES)])

_KEYED = (
    "table.events",
    "settlements",
    "pit.events",
    "inventory",
    "inventory.rounds",
    "vigorish",
    "meters",
    "accounts",
)
PARTITIONS = dict.fromkeys(_KEYED, 4)


def create_topics(bootstrap_servers: str, more: Mapping[str, int] | None = None) -> None:
    """Creates the topics of the services, with few partitions, or others with these numbers of partitions."""
    if more is None:
        apply(bootstrap_servers, partitions=PARTITIONS)
        return
    admin = AdminClient({"bootstrap.servers": bootstrap_servers, "log_level": 0})
    for creation in admin.create_topics([NewTopic(name, count, 1) for name, count in more.items()]).values():
        creation.result(timeout=30)
    spec: Any = OffsetSpec.latest()  # type: ignore[no-untyped-call]
    ends = {TopicPartition(name, number): spec for name, count in more.items() for number in range(count)}
    because = f"the partitions of {set(more)} have leaders that know it"
    eventually(lambda: _answered(admin.list_offsets(ends)), because=because, retry_on=KafkaException)


def _answered(asked: Mapping[TopicPartition, Any]) -> bool:
    """Wait for the answer about each partition. Raises: KafkaException for one that has none."""
    return all(future.result(timeout=20).offset >= 0 for future in asked.values())


def produce(
    bootstrap_servers: str,
    topic: str,
    messages: Iterable[Mapping[str, Any] | tuple[bytes | None, bytes]],
    *,
    signer: Signer | None = None,
    header: Callable[[bytes], tuple[str, bytes]] | None = None,
) -> None:
    """Sends events (keyed by their source) or raw keys and values, in order, and waits until the broker has them.

    With a signer, each is signed; `header` makes one of the value.
    """
    failed: list[Any] = []
    producer = Producer(
        {
            "bootstrap.servers": bootstrap_servers,
            "max.in.flight.requests.per.connection": 1,  # in order; idempotence would cost half a second a call
            "log_level": 0,
            "message.max.bytes": 20_000_000,
        }
    )
    for message in messages:
        key, value = message if isinstance(message, tuple) else (message["source"].encode(), encoded(message))
        producer.produce(
            topic,
            key=key,
            value=value,
            headers=[
                *(() if signer is None else signed(signer, topic, key, value)),
                *(() if header is None else (header(value),)),
            ],
            on_delivery=lambda error, _: failed.append(error) if error else None,
        )
        producer.poll(0)
    left = producer.flush(60)
    assert (0, []) == (left, failed)


def signed(signer: Signer, topic: str, key: bytes | None, value: bytes) -> list[tuple[str, str | bytes | None]]:
    """The header of a message that a service signed by itself."""
    [proof] = sign_batch(signer, [message_bytes(topic, key, value)])
    return [(HEADER, proof)]


def read_topic(bootstrap_servers: str, topic: str) -> list[InputRecord]:
    """Everything that a topic holds now, partition by partition."""
    config = {
        "bootstrap.servers": bootstrap_servers,
        "group.id": "test-reader",
        "log_level": 0,
        "enable.auto.commit": False,
        "enable.partition.eof": True,
        "fetch.wait.max.ms": 10,
    }
    consumer = Consumer(config)
    try:
        partitions = consumer.list_topics(topic, timeout=20).topics[topic].partitions
        consumer.assign([TopicPartition(topic, partition, 0) for partition in partitions])
        found: list[InputRecord] = []
        ended: set[int | None] = set()
        while len(ended) < len(partitions):
            message = consumer.poll(20)
            assert message is not None, f"{topic} did not come to its end"
            error = message.error()
            if error is not None:
                assert error.code() == KafkaError._PARTITION_EOF, error
                ended.add(message.partition())
            else:
                place, value = (message.partition() or 0, message.offset() or 0), message.value() or b""
                taken_at = datetime.fromtimestamp(message.timestamp()[1] / 1000, UTC)
                found.append(InputRecord(topic, *place, message.key(), value, taken_at))
        return sorted(found, key=lambda record: (record.partition, record.offset))
    finally:
        consumer.close()


def consume_all(bootstrap_servers: str, topic: str) -> list[tuple[bytes | None, bytes]]:
    """Everything that a topic holds now, as keys and values, partition by partition."""
    return [(record.key, record.value) for record in read_topic(bootstrap_servers, topic)]


def migrate(url: str, service: str) -> None:
    """Makes the schema and the role of a service."""
    upgrade(service, ROOT / "services" / service.replace("-", "_") / "migrations", url)


def settled_database(databases: Databases, *services: str) -> str:
    """A fresh database with the schemas of these services."""
    name = " ".join(services)

    def fill(url: str) -> None:
        for service in services:
            migrate(url, service)

    databases.prepare(name, fill)
    return databases.create(name)


class Worker:
    """A service in a process of its own, forked from one that has imported all services."""

    def __init__(
        self,
        service: str,
        *,
        database_url: str,
        bootstrap_servers: str,
        orders: Orders | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        descriptor, name = tempfile.mkstemp(prefix=f"pitledger-{service}-", suffix=".log")
        os.close(descriptor)
        self._log = Path(name)
        environment = {
            "DATABASE_URL": database_url,
            "KAFKA_BOOTSTRAP_SERVERS": bootstrap_servers,
            "PITLEDGER_HTTP_PORT": "0",
            "PITLEDGER_BATCH_RECORDS_MAX": "20",
            "PITLEDGER_KAFKA_SESSION_SECONDS": "1",
        } | dict(settings or {})
        arguments = (service, environment, name, orders or Orders())
        self._process = _forked.Process(target=run, args=arguments, daemon=True)
        self._process.start()

    @property
    def pid(self) -> int:
        """The process id."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """None while it runs; negative after a signal."""
        return self._process.exitcode

    def wait(self, seconds: float = 60) -> int | None:
        """Waits for the end of the process; gives its exit code."""
        self._process.join(seconds)
        return self.exit_code

    def log(self) -> str:
        """What it wrote to stderr."""
        return self._log.read_text() if self._log.exists() else ""

    def stop(self) -> None:
        """Ends it in good order."""
        if self.exit_code is None:
            self._process.terminate()
            code = self.wait()
            assert code == 0, f"exit code {code}:\n{self.log()[-4000:]}"

    def kill(self) -> None:
        """Ends it at once, and its log with it."""
        if self.exit_code is None:
            self._process.kill()
            self._process.join(30)
        self._log.unlink(missing_ok=True)


@contextmanager
def running(service: str, **options: Any) -> Iterator[Worker]:
    """A worker that is stopped in good order, or killed after a failure."""
    worker = Worker(service, **options)
    try:
        yield worker
        worker.stop()
    finally:
        worker.kill()


def query(url: str, statement: str) -> list[tuple[Any, ...]]:
    """The rows of a query."""
    conninfo = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(conninfo) as connection:
        return connection.execute(statement).fetchall()


_OF_CLIENTS = "datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"


def states_of_others(url: str) -> list[str]:
    """Return the states of the database's other client sessions; a vacuum that the server runs is none."""
    return [state for (state,) in query(url, f"SELECT state FROM pg_stat_activity WHERE {_OF_CLIENTS}")]


def waiting_for_locks(url: str) -> int:
    """Return how many of the database's client sessions wait for a lock; what the server does by itself is none."""
    return len(query(url, f"SELECT 1 FROM pg_stat_activity WHERE {_OF_CLIENTS} AND wait_event_type = 'Lock'"))
