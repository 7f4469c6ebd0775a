"""What senders' clients do on a bad day: each line of the table in docs/integrate.md, on a real broker."""

import asyncio
import logging
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from typing import Any, Final
from uuid import uuid4

import pytest
from confluent_kafka import Consumer, Message, Producer, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # it has no `__all__`
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)
from faststream.confluent import KafkaBroker, KafkaPublishMessage
from faststream.confluent.parser import AsyncConfluentParser
from kafka import KafkaProducer
from kafka.errors import KafkaError as KafkaPythonError
from kafka.errors import MessageSizeTooLargeError, UnknownError

from shared.local import Broker
from tests.support import AnyBroker, Databases
from tests.support.lost_answer import LostAnswer
from tests.support.node_packages import locked_version, node
from tests.support.rounds import TABLES, completed, encoded, source
from tests.support.services import ROOT, create_topics, query, read_topic, settled_database
from tests.support.table import POSTED, Table, play_at, quarantine

_KafkaProducer: Any = KafkaProducer  # kafka-python carries no types
SIZE_MAX: Final = 20_000
"""The most bytes that the broker takes as one batch here."""
WAIT_SECONDS: Final = 30
PAGE: Final = (ROOT / "docs" / "integrate.md").read_text()
TABLE: Final = PAGE.partition("### Clients on a bad day")[2].partition("\n## ")[0].partition("\n### ")[0]
VERSIONS: Final = {
    "kafka-python": version("kafka-python"),
    "confluent-kafka": version("confluent-kafka"),
    "FastStream": version("faststream"),
    "@platformatic/kafka": locked_version("@platformatic/kafka"),
}


@pytest.fixture(autouse=True)
def quiet_kafka_python() -> Iterator[None]:
    """What kafka-python logs of what happens here is no failure."""
    logger = logging.getLogger("kafka")
    before, logger.disabled = logger.level, False
    logger.setLevel(logging.CRITICAL + 1)
    yield
    logger.setLevel(before)


def made(broker: AnyBroker, partitions: int = 1, configuration: Mapping[str, str] | None = None) -> str:
    """A topic of the test's own."""
    topic = f"clients-{uuid4()}"
    create_topics(broker.bootstrap_servers, {topic: partitions})
    if configuration:
        admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers, "log_level": 0})
        change = AlterConfigOpType.SET
        entries = [ConfigEntry(name, value, incremental_operation=change) for name, value in configuration.items()]
        resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=entries)
        for done in admin.incremental_alter_configs([resource]).values():
            done.result(timeout=WAIT_SECONDS)
    return topic


@contextmanager
def kafka_python(broker: AnyBroker, **options: Any) -> Iterator[Any]:
    """A producer of kafka-python as the page says to make one."""
    made_with = {"enable_idempotence": True, "acks": "all", "max_request_size": 10_000_000, **options}
    producer: Any = _KafkaProducer(bootstrap_servers=[broker.bootstrap_servers], **made_with)
    try:
        yield producer
    finally:
        producer.close(timeout=5)


def librdkafka(servers: str, topic: str, records: Sequence[tuple[str | None, bytes]], **options: Any) -> list[Any]:
    """Send records in one batch; return of each the name of the error (None: it arrived), and the offset told."""
    told: list[tuple[str | None, int | None]] = []

    def delivered(error: Any, message: Message) -> None:
        told.append((error and error.name(), message.offset()))

    settings = {"enable.idempotence": True, "linger.ms": 200, "batch.size": 1_000_000, "message.max.bytes": 10_000_000}
    producer = Producer({"bootstrap.servers": servers, "log_level": 0, **settings, **options})
    for key, value in records:
        producer.produce(topic, key=key, value=value, on_delivery=delivered)
    assert 0 == producer.flush(WAIT_SECONDS)
    return told


def rounds(many: int) -> Sequence[Mapping[str, Any]]:
    """Rounds of one table, which are too much for one batch, and each of them is not."""
    found = [completed(TABLES[0], number, f"r{number}") for number in range(1, many + 1)]
    size = len(encoded(found[0]))
    assert size < SIZE_MAX < size * many
    return found


def assert_counted_once(databases: Databases, broker: AnyBroker, topic: str, sent: Sequence[Mapping[str, Any]]) -> None:
    """Whoever settles what is on the topic has each of the events once, and refuses none."""
    url = settled_database(databases, "round-settlement")

    async def play(table: Table) -> None:
        owner = await table.owner()
        there = read_topic(broker.bootstrap_servers, topic)
        await owner.handle([replace(record, topic="table.events") for record in there])

    try:
        play_at(url, play)
        kept = query(url, "SELECT kind, sequence FROM round_settlement.entries ORDER BY sequence")
        assert [] == quarantine(url)
        assert [(POSTED, event["sequence"]) for event in sent] == kept
    finally:
        databases.drop(url)


def test_kafka_python_fails_all_that_follows_a_refusal(real_kafka: AnyBroker) -> None:
    """Once a record is refused an idempotent producer fails every later one; a new producer sends them."""
    topic, other = made(real_kafka, configuration={"max.message.bytes": str(SIZE_MAX)}), made(real_kafka)
    with kafka_python(real_kafka) as producer:
        assert 0 == producer.send(topic, key=b"k", value=b"good").get(timeout=WAIT_SECONDS).offset
        for name, value in ((topic, b"x" * 2 * SIZE_MAX), (topic, b"good"), (other, b"good")):
            with pytest.raises(MessageSizeTooLargeError):
                producer.send(name, key=b"k", value=value).get(timeout=WAIT_SECONDS)
    with kafka_python(real_kafka) as producer:
        assert 1 == producer.send(topic, key=b"k", value=b"good").get(timeout=WAIT_SECONDS).offset
    with kafka_python(real_kafka, enable_idempotence=False) as producer:
        with pytest.raises(MessageSizeTooLargeError):
            producer.send(topic, key=b"k", value=b"x" * 2 * SIZE_MAX).get(timeout=WAIT_SECONDS)
        assert 2 == producer.send(topic, key=b"k", value=b"good").get(timeout=WAIT_SECONDS).offset


def test_kafka_python_says_nothing_of_what_a_split_batch_became(real_kafka: AnyBroker, databases: Databases) -> None:
    """`flush` raises though all arrived; to send all of it again is safe: each event counts once, by its sequence."""
    topic, sent = made(real_kafka, configuration={"max.message.bytes": str(SIZE_MAX)}), rounds(40)
    for attempt in (1, 2):
        with kafka_python(real_kafka, batch_size=1_000_000, linger_ms=500) as producer:
            waiting = [producer.send(topic, key=event["source"].encode(), value=encoded(event)) for event in sent]
            with pytest.raises(UnknownError, match="Future not done"):
                producer.flush(timeout=WAIT_SECONDS)
            places = [one.get(timeout=WAIT_SECONDS).offset for one in waiting]  # what says the truth
            assert list(range(len(sent) * (attempt - 1), len(sent) * attempt)) == places
    assert 2 * len(sent) == len(read_topic(real_kafka.bootstrap_servers, topic))
    assert_counted_once(databases, real_kafka, topic, sent)


def test_one_record_that_is_refused_refuses_its_batch(real_kafka: AnyBroker) -> None:
    """librdkafka reports the refusal of one record for all of its batch, of which none arrived; it goes on."""
    topic = made(real_kafka, configuration={"cleanup.policy": "compact"})  # so that a record without a key is refused
    servers = real_kafka.bootstrap_servers
    told = librdkafka(servers, topic, [("a", b"1"), (None, b"2"), ("b", b"3")])
    assert ["INVALID_RECORD"] * 3 == [error for error, _ in told]
    assert [] == read_topic(servers, topic)
    told = [librdkafka(servers, topic, [record])[0] for record in [("a", b"1"), (None, b"2"), ("b", b"3")]]
    assert [None, "INVALID_RECORD", None] == [error for error, _ in told]
    with kafka_python(real_kafka, linger_ms=500) as producer:  # this one says which it was, and fails from then on
        waiting = [producer.send(topic, key=key, value=b"v") for key in (b"a", None, b"b")]
        said = [str(_refused(one.get)) for one in waiting]
    assert ["one more more invalid" in said[0], "without key" in said[1]] == [True, True]
    assert "one more more invalid" in said[2]


def _refused(get: Callable[..., Any]) -> KafkaPythonError:
    with pytest.raises(KafkaPythonError) as refused:
        get(timeout=WAIT_SECONDS)
    return refused.value


def test_librdkafka_splits_no_batch_and_tells_offsets_of_nothing(real_kafka: AnyBroker) -> None:
    """A batch that is too large is refused as a whole, its records are given offsets, and none of them is there."""
    topic, sent = made(real_kafka, configuration={"max.message.bytes": str(SIZE_MAX)}), rounds(40)
    servers = real_kafka.bootstrap_servers
    records = [(event["source"], encoded(event)) for event in sent]
    told = librdkafka(servers, topic, records)
    assert {"MSG_SIZE_TOO_LARGE"} == {error for error, _ in told}
    assert [None, 0, 1] == [offset for _, offset in told[:3]]
    assert [] == read_topic(servers, topic)
    told = librdkafka(servers, topic, records, **{"batch.size": SIZE_MAX // 2})
    assert [(None, offset) for offset in range(len(sent))] == told


def sent_with_a_lost_answer(broker: AnyBroker) -> tuple[list[Any], list[tuple[int, bytes]]]:
    """What librdkafka is told of three records in one batch that it sends twice, and what is there."""
    topic = made(broker)
    with LostAnswer(broker.bootstrap_servers) as line:
        told = librdkafka(line.bootstrap_servers, topic, [("k", b"0"), ("k", b"1"), ("k", b"2")])
        assert 1 == line.lost
    return told, [(record.offset, record.value) for record in read_topic(broker.bootstrap_servers, topic)]


def test_what_is_sent_twice_as_its_answer_was_lost_is_there_once(real_kafka: AnyBroker) -> None:
    """An idempotent producer sends it again by itself, and Apache Kafka says again where it is."""
    told, there = sent_with_a_lost_answer(real_kafka)
    assert ([(None, 0), (None, 1), (None, 2)], [(0, b"0"), (1, b"1"), (2, b"2")]) == (told, there)


def test_tansu_does_not_say_again_where_it_is() -> None:
    """It answers success without an offset: the client counts from -1, so that the offsets told are wrong."""
    with Broker() as broker:
        told, there = sent_with_a_lost_answer(broker)
    assert ([(None, None), (None, 0), (None, 1)], [(0, b"0"), (1, b"1"), (2, b"2")]) == (told, there)


def test_faststream_moves_keys_after_a_tombstone(real_kafka: AnyBroker) -> None:
    """A batch whose first record has no value loses that record, and each key goes to the record after its own."""
    topic = made(real_kafka, 12)

    async def publish() -> None:
        async with KafkaBroker(real_kafka.bootstrap_servers, logger=None) as broker:
            batch = [
                KafkaPublishMessage(None, key=b"k1"),
                *(KafkaPublishMessage(f"v{n}", key=b"k%d" % n) for n in (2, 3)),
            ]
            await broker.publish_batch(*batch, topic=topic)
            await broker.publish_batch(*batch[1:], topic=topic)

    asyncio.run(publish())
    there = Counter((record.key, record.value) for record in read_topic(real_kafka.bootstrap_servers, topic))
    moved, right = [(b"k1", b"v2"), (b"k2", b"v3")], [(b"k2", b"v2"), (b"k3", b"v3")]
    assert Counter([*moved, *right]) == there


def test_faststream_gives_one_id_to_several_messages(real_kafka: AnyBroker) -> None:
    """Its message id is offset and time without the partition: it tells no messages apart."""
    topic = made(real_kafka, 12)

    async def publish() -> None:
        async with KafkaBroker(real_kafka.bootstrap_servers, logger=None) as broker:
            for number in range(1, 9):
                await broker.publish("v", key=b"k%d" % number, topic=topic, timestamp_ms=1_795_861_700_629)

    asyncio.run(publish())
    parser = AsyncConfluentParser()
    ids = defaultdict(list)
    for message in messages(real_kafka.bootstrap_servers, topic):
        parsed = asyncio.run(parser.parse_message(message))
        ids[parsed.message_id].append((message.partition(), message.offset()))
    assert 8 == sum(map(len, ids.values()))
    assert 1 < max(map(len, ids.values()))


def messages(servers: str, topic: str) -> list[Message]:
    """The messages of a topic as librdkafka hands them over."""
    consumer = Consumer({"bootstrap.servers": servers, "group.id": topic, "enable.auto.commit": False, "log_level": 0})
    try:
        partitions = consumer.list_topics(topic, timeout=WAIT_SECONDS).topics[topic].partitions
        consumer.assign([TopicPartition(topic, number, 0) for number in partitions])
        there = len(read_topic(servers, topic))
        found: list[Message] = []
        while len(found) < there:
            found += consumer.consume(there - len(found), timeout=WAIT_SECONDS)
        return found
    finally:
        consumer.close()


@pytest.mark.nightly
def test_platformatic_places_keys_otherwise_unless_told(real_kafka: AnyBroker) -> None:
    """Over twelve partitions its default differs from Java's client for some tables; `compatibilityPartitioner` not."""
    topic, servers = made(real_kafka, 12), real_kafka.bootstrap_servers
    keys = [source(f"BJ-{number:02}") for number in range(1, 25)]
    librdkafka(servers, topic, [(key, b"java") for key in keys], partitioner="murmur2_random")
    placed = {record.key.decode(): record.partition for record in read_topic(servers, topic) if record.key}
    for which, agrees in (("compatibility", len(keys)), ("default", 11)):
        said = dict(line.rsplit(" ", 1) for line in node("send.mjs", servers, topic, which, *keys).splitlines())
        assert keys == list(said)
        assert agrees == sum(int(said[key]) == placed[key] for key in keys), which


def test_the_page_names_the_versions_that_are_tried_here() -> None:
    """Each client of the table has its version, and each line a test of this file."""
    lines = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in TABLE.splitlines() if line.startswith("| ")
    ]
    lines = lines[1:]
    assert lines
    for client, *_, test in lines:
        named = re.findall(r"(@platformatic/kafka|kafka-python|confluent-kafka|FastStream) (\d[\d.]*)", client)
        assert named or client.startswith("any"), client
        for name, number in named:
            assert VERSIONS[name] == number, client
        assert re.search(r"`(test_\w+)`", test), client
    assert set(VERSIONS) == {name for line in lines for name in VERSIONS if line[0].startswith(name)}
    tests = {name for name in globals() if name.startswith("test_")} - {
        "test_the_page_names_the_versions_that_are_tried_here"
    }
    assert tests == {name for *_, test in lines for name in re.findall(r"`(test_\w+)`", test) if name in tests}
