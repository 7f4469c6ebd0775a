"""A subscription on a real broker, seen from the event loop that it shares with the rest of a service."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, closing, suppress
from functools import partial
from types import SimpleNamespace
from typing import Any, cast
from uuid import uuid4

import pytest
from confluent_kafka import Consumer as KafkaConsumer
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from sqlalchemy import MetaData

from shared.journal.ledger import Ledger
from shared.journal.tables import journal_tables
from shared.journal.topic_identity import TopicIdentity
from shared.local import Broker
from shared.local.ports import free_port
from shared.runtime.context import RuntimeContext
from shared.runtime.database import Pools, create_engine
from shared.runtime.errors import FatalServiceError
from shared.runtime.ingest.consumer import Compare, Consumer
from shared.runtime.ingest.halted_partitions import HaltedPartitions
from shared.runtime.ingest.handler import InputRecord
from shared.runtime.ingest.subscription import KafkaTopics, Subscription
from shared.runtime.kafka import TopicLog, cluster_id, topic_log
from shared.runtime.settings import Settings
from tests.support import AnyBroker
from tests.support.services import create_topics, produce

RECORDS = 5
TAKING_OVER_SECONDS = 1.0
LOOK_SECONDS = 0.01


class Reader:
    """What a subscription needs of a consumer: it takes its time to take partitions over, and counts."""

    def __init__(self, topic: str, settings: Settings) -> None:
        self.context = RuntimeContext(
            service="tests",
            settings=settings,
            pools=Pools.of_one(create_engine("postgresql://nobody@127.0.0.1:1/none", role="tests")),
            ledger=Ledger(journal_tables(MetaData(), "tests")),
        )
        self.topic = topic
        self.gather_seconds = 0.0
        self.share = 1.0
        self.looked_seconds = 0.0
        self.batch_seconds = 0.0
        self.batch_records_max = settings.batch_records_max
        self.stopped = HaltedPartitions(self.context, topic)
        self.positions: dict[int, int] = {}
        self.batches: list[int] = []
        self.values: list[bytes] = []

    async def assigned(self, partitions: Iterable[int]) -> dict[int, int]:
        self.positions = dict.fromkeys(partitions, 0)
        await asyncio.sleep(TAKING_OVER_SECONDS)
        return dict(self.positions)

    def revoked(self, partitions: Iterable[int]) -> None:
        for partition in partitions:
            self.positions.pop(partition, None)

    async def compare(self, known: TopicIdentity, found: TopicLog, positions: Mapping[int, int]) -> None:
        self.stopped.compare(known, found, positions)

    async def handle(self, records: Sequence[InputRecord], compare: Compare) -> dict[int, int]:
        del compare
        for record in records:
            self.positions[record.partition] = record.offset + 1
            self.values.append(record.value)
        self.batches.append(len(records))
        await asyncio.sleep(self.batch_seconds)
        return {}


@asynccontextmanager
async def subscribed(servers: str, topic: str, failures: list[BaseException]) -> AsyncIterator[Subscription]:
    settings = Settings(KAFKA_BOOTSTRAP_SERVERS=servers, batch_records_max=2, kafka_session_seconds=6)
    reader = Reader(topic, settings)
    found = topic_log(settings, topic)
    topics = KafkaTopics(reader.context, failures.append)
    await topics.start()
    known = TopicIdentity(topic, found.cluster_id, found.topic_id)
    subscription = Subscription(topics, cast(Consumer, reader), known, whole=False, failed=failures.append)
    await subscription.start()
    try:
        yield subscription
    finally:
        await subscription.stop()
        await topics.stop()


@pytest.fixture
def topic(broker: AnyBroker) -> str:
    name = f"subscription-{uuid4()}"
    create_topics(broker.bootstrap_servers, {name: 1})
    event: dict[str, Any] = {"source": "/test", "sequence": 1}
    produce(broker.bootstrap_servers, name, [event] * RECORDS)
    return name


def _noted(told: list[bool], made: Callable[..., Any], config: dict[str, Any], **more: Any) -> Any:
    """Make a client, and note whether it is to report statistics."""
    told.append("statistics.interval.ms" in config)
    return made(config, **more)


def test_a_broker_that_comes_later_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that is started before its broker answers waits for it; one that was answered goes on."""
    monkeypatch.setattr("shared.runtime.kafka.ANSWER_SECONDS", 0.5)
    broker = Broker(port=free_port())
    settings = Settings(KAFKA_BOOTSTRAP_SERVERS=broker.bootstrap_servers)

    async def work() -> str:
        failures: list[BaseException] = []
        topics = KafkaTopics(Reader("some.topic", settings).context, failures.append)
        await topics.start()
        asked = asyncio.create_task(topics.answer(lambda settings, _: cluster_id(settings), "some.topic"))
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(asked), 2)
        assert not asked.done()
        await asyncio.to_thread(broker.start)
        found = await asyncio.wait_for(asked, 60)
        await topics.stop()
        assert [] == failures
        return found

    with closing(broker):
        found = asyncio.run(work())
        assert cluster_id(settings) == found


def test_only_clients_that_are_polled_report_statistics(
    broker: AnyBroker, topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that nobody polls keeps every report: 6 KB a second, for each service, for ever."""
    told: dict[str, list[bool]] = {"Producer": [], "AdminClient": [], "Consumer": []}
    for module, made in (("client", Producer), ("admin", AdminClient), ("client", KafkaConsumer)):
        name = made.__name__
        place = f"faststream.confluent.helpers.{module}.{name}"
        monkeypatch.setattr(place, partial(_noted, told[name], made))

    async def work() -> None:
        failures: list[BaseException] = []
        async with subscribed(broker.bootstrap_servers, topic, failures) as subscription, asyncio.timeout(60):
            while not (subscription.joined and subscription.is_caught_up()):  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(LOOK_SECONDS)
        assert [] == failures

    asyncio.run(work())
    assert {"Producer": [False], "AdminClient": [False], "Consumer": [True]} == told


def test_looking_at_the_lag_keeps_nobody_from_taking_over(broker: AnyBroker, topic: str) -> None:
    """While partitions are taken over the event loop is needed: a look at the lag, then and later, must not wait."""

    async def work() -> None:
        failures: list[BaseException] = []
        async with subscribed(broker.bootstrap_servers, topic, failures) as subscription, asyncio.timeout(60):
            while not (subscription.joined and subscription.is_caught_up()):
                assert [] == failures
                subscription.observe()
                await asyncio.sleep(LOOK_SECONDS)
            subscription.observe()
            assert {0: RECORDS} == subscription.consumer.positions
            assert 0 == subscription.lag_records
            registry = cast(Reader, subscription.consumer).context.metrics.registry
            for name in ("topic_partitions", "partitions_read"):
                assert 1 == registry.get_sample_value(f"pitledger_{name}", {"topic": topic})

    asyncio.run(work())


def test_the_lag_of_a_partition_that_was_taken_away_is_not_told(broker: AnyBroker, topic: str) -> None:
    """Another process reads it now, or nobody can where the broker says nothing: it has no lag of 0 here."""

    async def work() -> None:
        failures: list[BaseException] = []
        async with subscribed(broker.bootstrap_servers, topic, failures) as subscription, asyncio.timeout(60):
            while not (subscription.joined and subscription.is_caught_up()):
                subscription.observe()
                await asyncio.sleep(LOOK_SECONDS)
            registry = cast(Reader, subscription.consumer).context.metrics.registry
            lag = partial(
                registry.get_sample_value, "pitledger_consumer_lag_records", {"topic": topic, "partition": "0"}
            )
            subscription.observe()
            assert 0 == lag()
            subscription.consumer.revoked([0])
            subscription.observe()
            assert lag() is None
        assert [] == failures

    asyncio.run(work())


def test_a_header_that_is_no_text_keeps_no_record_out(broker: AnyBroker, topic: str) -> None:
    """Whoever may send a record may send it with any header; nothing of its batch is left out for that."""
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers, "log_level": 0})
    producer.produce(topic, key=b"k", value=b"{}", headers=[("trace", b"\xff\xfe")])
    assert 0 == producer.flush(20)

    async def work() -> None:
        failures: list[BaseException] = []
        async with subscribed(broker.bootstrap_servers, topic, failures) as subscription, asyncio.timeout(60):
            reader = cast(Reader, subscription.consumer)
            while sum(reader.positions.values()) < RECORDS + 1:
                assert [] == failures
                await asyncio.sleep(LOOK_SECONDS)
            assert RECORDS + 1 == sum(reader.batches)

    asyncio.run(work())


@pytest.mark.parametrize("resting", [{"share": 0.001}, {"looked_seconds": 1.0}], ids=str)
def test_what_nobody_waits_for_is_gathered_while_the_reader_rests(
    broker: AnyBroker, topic: str, resting: Mapping[str, Any]
) -> None:
    """No batch is shorter than it could be, but after one that leaves less than a full batch the reader rests.

    So it does where a batch had to ask what the broker holds, as sparse offsets have it: it must not ask all the time.
    """

    async def work() -> None:
        failures: list[BaseException] = []
        async with subscribed(broker.bootstrap_servers, topic, failures) as subscription, asyncio.timeout(60):
            reader = cast(Reader, subscription.consumer)
            reader.batch_seconds = 0.01
            for name, value in resting.items():
                setattr(reader, name, value)
            for count in (RECORDS, RECORDS + 2):
                while sum(reader.positions.values()) < count:
                    assert [] == failures
                    await asyncio.sleep(LOOK_SECONDS)
                if count == RECORDS:
                    for sequence in (RECORDS + 1, RECORDS + 2):
                        event = {"source": "/test", "sequence": sequence}
                        await asyncio.to_thread(produce, broker.bootstrap_servers, topic, [event])
            assert 2 == reader.batches[-1], "both came while it rested"

    asyncio.run(work())


def message(partition: int, offset: int) -> Any:
    """Return what librdkafka gives of a record, as far as it is looked at."""
    said = {"topic": "t", "partition": partition, "offset": offset, "key": None, "value": b"{}", "headers": None}
    return SimpleNamespace(
        timestamp=lambda: (1, 0), **{name: partial(lambda value: value, it) for name, it in said.items()}
    )


class Taking:
    """A consumer of Kafka that has more records at hand, and whose partitions may be revoked while it gives them."""

    def __init__(self, more: Sequence[Any], meanwhile: Callable[[], None]) -> None:
        self._more, self._meanwhile = more, meanwhile
        self.asked: list[dict[str, Any]] = []

    async def getmany(self, **asked: Any) -> Sequence[Any]:
        self.asked.append(asked)
        self._meanwhile()
        return self._more


def test_tools_are_told_what_was_read(broker: AnyBroker, topic: str) -> None:
    """The group's offsets, by which Kafka's own tools tell a lag, follow; at the latest when the reader stops."""

    async def work() -> None:
        failures: list[BaseException] = []
        async with subscribed(broker.bootstrap_servers, topic, failures) as subscription, asyncio.timeout(60):
            while sum(cast(Reader, subscription.consumer).positions.values()) < RECORDS:
                assert [] == failures
                await asyncio.sleep(LOOK_SECONDS)

    asyncio.run(work())
    client = KafkaConsumer({"bootstrap.servers": broker.bootstrap_servers, "group.id": f"pitledger-tests-{topic}"})
    with closing(client):
        [found] = client.committed([TopicPartition(topic, 0)], timeout=10)
    assert RECORDS == found.offset


@pytest.mark.parametrize(
    ("revoked", "expected"),
    [([], [(0, 7), (0, 8), (1, 3)]), ([1], [(0, 7), (0, 8), (1, 3)]), ([0, 1], [(0, 8), (1, 3)])],
)
def test_what_comes_is_handed_over_with_what_is_there(revoked: list[int], expected: list[tuple[int, int]]) -> None:
    """Nobody waits for a batch to fill, but after a pause a tenth of the gathering time: for what was sent together.

    A record whose partition is revoked meanwhile is read by its next owner.
    """

    async def work() -> tuple[list[tuple[int, int]], list[dict[str, Any]]]:
        reader = Reader("t", Settings(batch_records_max=500))
        reader.gather_seconds = 0.5
        subscription = Subscription(
            cast(KafkaTopics, None),
            cast(Consumer, reader),
            TopicIdentity("t", "c", "i"),
            whole=False,
            failed=lambda _: None,
        )
        let_go = [TopicPartition("t", number) for number in revoked]
        taking = Taking([message(0, 8), message(1, 3)], lambda: subscription._on_revoke(cast(Any, None), let_go))
        subscription._subscriber = SimpleNamespace(consumer=taking)
        records = await subscription._batch(message(0, 7))
        return [(record.partition, record.offset) for record in records], taking.asked

    assert (expected, [{"timeout": 0.05, "max_records": 499}]) == asyncio.run(work())


def _statistics(client: str, *told: str) -> str:
    """Return what librdkafka tells: each broker by its source, its state, and since when it is in it, milliseconds."""
    seen = [one.split() for one in told]
    brokers = {
        f"broker-{number}": {"source": source, "state": state, "stateage": 1000 * int(age), "nodeid": number}
        for number, (source, state, age) in enumerate(seen)
    }
    return json.dumps({"name": client, "topics": {}, "brokers": brokers})


def test_a_client_that_has_lost_every_broker_ends_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of librdkafka's own, such as the coordinator's, some are left, and some that it does not look for."""
    now = 0.0
    monkeypatch.setattr("shared.runtime.ingest.subscription.monotonic", lambda: now)

    async def work() -> None:
        nonlocal now
        failures: list[BaseException] = []
        context = Reader("t", Settings()).context
        topics = KafkaTopics(context, failures.append)

        async def told(at: float, client: str, *brokers: str) -> None:
            nonlocal now
            now = at
            with suppress(FatalServiceError):
                topics.note(_statistics(client, *brokers))
            await asyncio.sleep(0)

        await told(0, "a", "logical UP 9000")
        await told(0, "b", "logical TRY_CONNECT 9000", "learned UP 9000")
        await told(9, "a", "logical UP 9000", "configured INIT 900", "learned INIT 9000")
        await told(12, "a", "logical TRY_CONNECT 9000", "learned INIT 2100")
        await told(12, "b", "learned TRY_CONNECT 9000")
        await told(21, "a", "logical UP 9000")
        await told(22, "b", "logical INIT 0")
        assert [] == failures
        await told(23, "a", "logical TRY_CONNECT 0", "learned INIT 13000")
        assert ["a has no broker, and does not look for one: start the service again"] == [
            str(failure) for failure in failures
        ]

    asyncio.run(work())
