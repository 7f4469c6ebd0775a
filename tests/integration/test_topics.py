"""The topics on real brokers: created, left alone the second time, mended, and refused where mending would harm."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # it has no `__all__`
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewTopic,
)

from infra.topics import BrokerUnreachableError, Outcome, TopicRefusedError, apply
from infra.wanted_topics import wanted
from shared.local.ports import free_port
from shared.runtime.ingest.kafka_records import record_of
from shared.runtime.kafka_settings import KafkaSettings
from shared.runtime.rederivation import independent_reader as records_of_topics
from shared.runtime.rederivation.independent_reader import Records
from shared.runtime.rederivation.replay_spec import TopicLacks
from tests.support import AnyBroker

pytestmark = pytest.mark.broker

PARTITIONS = {"table.events": 3, "settlements": 2}
WANTED = {topic.name: topic.partitions for topic in wanted(partitions=PARTITIONS)}


def partitions_of(broker: AnyBroker) -> dict[str, int]:
    """The number of partitions of each topic of the broker."""
    topics = AdminClient({"bootstrap.servers": broker.bootstrap_servers}).list_topics(timeout=10).topics
    return {name: len(topic.partitions) for name, topic in topics.items() if not name.startswith("__")}


def outcomes(broker: AnyBroker, **options: Any) -> list[str]:
    """What applying the topics says of each."""
    return [str(change) for change in apply(broker.bootstrap_servers, **options)]


def test_the_second_time_nothing_changes(fresh_broker: AnyBroker) -> None:
    """Topics are created as asked for, and applying them again changes nothing."""
    changes = apply(fresh_broker.bootstrap_servers, partitions=PARTITIONS)
    assert {Outcome.CREATED} == {change.outcome for change in changes}
    assert WANTED == partitions_of(fresh_broker)
    assert [f"{name}: unchanged" for name in WANTED] == outcomes(fresh_broker, partitions=PARTITIONS)


def test_a_dry_run_says_but_does_not(fresh_broker: AnyBroker) -> None:
    """A dry run reports what would be created and leaves the broker without topics."""
    said = outcomes(fresh_broker, partitions=PARTITIONS, dry_run=True)
    assert "table.events: created, 3 partitions" == said[0]
    assert {} == partitions_of(fresh_broker)


def test_two_at_once_both_succeed(fresh_broker: AnyBroker) -> None:
    """Two processes that apply the topics at the same time do not stumble over each other."""
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda _: apply(fresh_broker.bootstrap_servers, partitions=PARTITIONS), range(2)))
    assert WANTED == partitions_of(fresh_broker)


@pytest.mark.on_kafka
def test_drift_is_set_back(fresh_broker: AnyBroker) -> None:
    """A value that somebody has changed is set back to what the file says."""
    apply(fresh_broker.bootstrap_servers, partitions=PARTITIONS)
    drift = ConfigEntry("retention.ms", "3600000", incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ConfigResource.Type.TOPIC, "settlements", incremental_configs=[drift])
    admin = AdminClient({"bootstrap.servers": fresh_broker.bootstrap_servers})
    admin.incremental_alter_configs([resource])[resource].result(timeout=10)
    assert "settlements: changed, retention.ms=-1" in outcomes(fresh_broker, partitions=PARTITIONS)
    assert "settlements: unchanged" in outcomes(fresh_broker, partitions=PARTITIONS)


def test_a_topic_with_messages_keeps_its_partitions(fresh_broker: AnyBroker) -> None:
    """A topic with messages is refused more partitions, and nothing else is changed either."""
    servers = fresh_broker.bootstrap_servers
    admin = AdminClient({"bootstrap.servers": servers})
    admin.create_topics([NewTopic("settlements", 2, 1)])["settlements"].result(timeout=10)
    producer = Producer({"bootstrap.servers": servers})
    producer.produce("settlements", b"{}", key=b"/round-settlement/shards/0")
    assert 0 == producer.flush(20)
    with pytest.raises(TopicRefusedError, match="settlements: has 2 partitions and messages in them, 3 partitions"):
        apply(servers, partitions={"settlements": 3})
    assert {"settlements": 2} == partitions_of(fresh_broker)


@pytest.mark.on_kafka
def test_apache_kafka_adds_partitions_to_an_unused_topic(real_kafka: AnyBroker) -> None:
    """Apache Kafka gives an unused topic the partitions that it lacks."""
    apply(real_kafka.bootstrap_servers, partitions=PARTITIONS)
    assert (
        "table.events: changed, 5 partitions" == outcomes(real_kafka, partitions={**PARTITIONS, "table.events": 5})[0]
    )
    assert 5 == partitions_of(real_kafka)["table.events"]
    assert "table.events: unchanged, keeps its 5 partitions" in outcomes(real_kafka, partitions=PARTITIONS)[0]
    assert 5 == partitions_of(real_kafka)["table.events"]


@pytest.mark.on_kafka
def test_apache_kafka_says_when_it_took_what_comes_from_outside(real_kafka: AnyBroker) -> None:
    """Whatever its sender says, and to both clients; of what services publish the sender says it."""
    servers = real_kafka.bootstrap_servers
    apply(servers, partitions=dict.fromkeys(PARTITIONS, 1))
    began, lie_ms = datetime.now(UTC), 253_402_300_800_000  # January 1 of the year 10000
    producer = Producer({"bootstrap.servers": servers})
    for topic in ("table.events", "settlements"):
        producer.produce(topic, b"{}", partition=0, timestamp=lie_ms if topic == "table.events" else 1)
    assert 0 == producer.flush(30)
    for topic, is_by_broker in (("table.events", True), ("settlements", False)):
        consumer = Consumer({"bootstrap.servers": servers, "group.id": "test-reader", "enable.auto.commit": False})
        consumer.assign([TopicPartition(topic, 0, 0)])
        message = consumer.poll(30)
        consumer.close()
        assert message is not None
        with Records(KafkaSettings(kafka_bootstrap_servers=servers)) as records:
            [[again]] = records.read(topic, 0, 0, 1)
        found = record_of(message)
        assert (is_by_broker, is_by_broker) == (found.by_broker, again.by_broker)
        assert found.taken_at == again.taken_at
        if is_by_broker:
            assert abs(found.taken_at - began) < timedelta(minutes=5)


def test_a_topic_that_ends_too_early_says_so_without_waiting(
    fresh_broker: AnyBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that was created again has fewer records than were read: what is there is given, nothing is waited for."""
    monkeypatch.setattr(records_of_topics, "_SILENCE_SECONDS", 10_000)
    servers = fresh_broker.bootstrap_servers
    apply(servers, partitions=dict.fromkeys(PARTITIONS, 1))
    producer = Producer({"bootstrap.servers": servers})
    producer.produce("settlements", b"{}", partition=0)
    assert 0 == producer.flush(30)
    with Records(KafkaSettings(kafka_bootstrap_servers=servers)) as records:
        reading = records.read("settlements", 0, 0, 3)
        assert 1 == len(next(reading))
        with pytest.raises(TopicLacks, match="read up to offset 3, and has nothing from 1 on"):
            next(reading)
        with pytest.raises(TopicLacks, match="has nothing from 2 on"):
            next(records.read("settlements", 0, 2, 3))


def test_a_broker_that_is_not_there_is_named() -> None:
    """Where no broker answers, the error names the address and what to check."""
    address = f"127.0.0.1:{free_port()}"
    with pytest.raises(BrokerUnreachableError, match=f"{address}.*check KAFKA_BOOTSTRAP_SERVERS"):
        apply(address, timeout_seconds=0.2)
