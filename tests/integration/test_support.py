"""The servers of the tests: fresh for each test, and Apache Kafka keeps what a restart must not lose."""

from collections.abc import Callable

import psycopg
import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]  # it has no `__all__`
from sqlalchemy import make_url

from shared.local import KafkaServer
from tests.support import AnyBroker, Databases, eventually
from tests.support.brokers import empty, topics_of

TOPIC = "settlements"


def connect(url: str) -> psycopg.Connection[tuple[object, ...]]:
    """A connection to the database of a SQLAlchemy URL."""
    return psycopg.connect(url.replace("+psycopg", ""), connect_timeout=10)


def fill(url: str) -> None:
    """What a service's migrations stand for."""
    with connect(url) as connection:
        connection.execute("CREATE TABLE entries AS SELECT 1 AS seq")


def create(broker: AnyBroker) -> None:
    """The topic of these tests, with one message in it."""
    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    admin.create_topics([NewTopic(TOPIC, 1, 1)])[TOPIC].result(timeout=20)
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers})
    producer.produce(TOPIC, b"one")
    assert 0 == producer.flush(20)


def read(broker: AnyBroker) -> list[bytes | None]:
    """All messages of the topic."""
    consumer = Consumer(
        {
            "bootstrap.servers": broker.bootstrap_servers,
            "group.id": "reading",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        }
    )
    try:
        consumer.assign([TopicPartition(TOPIC, 0, 0)])
        values = []
        message = eventually(lambda: consumer.poll(1), because="a message or the end of the partition")
        while not message.error():
            values.append(message.value())
            message = eventually(lambda: consumer.poll(1), because="a message or the end of the partition")
        return values
    finally:
        consumer.close()


def test_databases_are_each_a_test_s_own(databases: Databases) -> None:
    """What one test creates is not in the database of the next."""
    first, second = databases.create(), databases.create()
    fill(first)
    with connect(second) as connection:
        assert (None,) == connection.execute("SELECT to_regclass('entries')::text").fetchone()


def test_a_database_is_copied_from_a_template(databases: Databases) -> None:
    """A template is filled once, and every database made from it has what it holds."""
    filled: list[str] = []

    def prepare(url: str) -> None:
        filled.append(url)
        fill(url)

    for _ in range(2):
        databases.prepare("filled", prepare)
    with connect(databases.create("filled")) as connection:
        assert [(1,)] == connection.execute("SELECT seq FROM entries").fetchall()
    assert 1 == len(filled)


def test_a_database_is_dropped_whoever_uses_it(databases: Databases) -> None:
    """A database goes away although a session still has it open."""
    url = databases.create()
    with connect(url) as connection:
        databases.drop(url)
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
    with pytest.raises(psycopg.OperationalError, match=str(make_url(url).database)):
        connect(url)


@pytest.mark.broker
@pytest.mark.parametrize("turn", ["first", "second"])
def test_a_fresh_broker_has_no_topics(turn: str, fresh_broker: AnyBroker) -> None:
    """What a test leaves on a broker is not there for the next."""
    assert set() == topics_of(fresh_broker.bootstrap_servers)
    create(fresh_broker)


@pytest.mark.broker
def test_a_broker_is_emptied(fresh_broker: AnyBroker) -> None:
    """Topics are deleted with their messages: under the same name they begin again at 0."""
    create(fresh_broker)
    empty(fresh_broker.bootstrap_servers)
    create(fresh_broker)
    assert [b"one"] == read(fresh_broker)


@pytest.mark.parametrize("interrupt", [KafkaServer.stop, KafkaServer.kill], ids=["stop", "kill"])
def test_apache_kafka_keeps_its_messages(interrupt: Callable[[KafkaServer], None], apache_kafka: KafkaServer) -> None:
    """A message that was acknowledged is there after a stop and after a crash, at the same address."""
    create(apache_kafka)
    interrupt(apache_kafka)
    apache_kafka.start()
    assert [b"one"] == read(apache_kafka)
