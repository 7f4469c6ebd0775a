"""A topic that is another one than that which was read, or has lost records, is read no further until it is adopted."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from services.cli.exits import ExitCode
from services.round_settlement.handlers import TableEvents
from services.round_settlement.manifest import MANIFEST
from services.round_settlement.projector import PROJECTOR
from services.round_settlement.tables import journal
from shared.journal.ledger import Ledger
from shared.journal.topic_identity import TopicIdentity, first_input
from shared.runtime.audit.journal_verifier import JournalVerifier
from shared.runtime.context import RuntimeContext
from shared.runtime.database import Pools, create_engine
from shared.runtime.ingest.consumer import Compare, Consumer
from shared.runtime.ingest.handler import InputRecord
from shared.runtime.ingest.subscription import KafkaTopics, Subscription
from shared.runtime.kafka import TopicLog, topic_log
from shared.runtime.kafka_settings import KafkaSettings
from shared.runtime.process.health import Health
from shared.runtime.projections.drift_monitor import DriftMonitor
from shared.runtime.settings import Settings
from tests.support import AnyBroker, Databases, eventually
from tests.support.rebuilding import named
from tests.support.rounds import TABLES, completed, encoded
from tests.support.services import create_topics, produce, query, settled_database
from tests.support.table import NOON, POSTED, play_at
from tests.support.tampering import as_superuser
from tests.unit.cli.calling import Caller

TOPIC = "table.events"
T1, T2 = TABLES[:2]


@pytest.fixture
def url(databases: Databases, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A database of round settlement that has property and submission."""
    url = settled_database(databases, "round-settlement")

    async def nothing(table: object) -> None:
        del table

    play_at(url, nothing)
    monkeypatch.setenv("DATABASE_URL", url)
    yield url
    databases.drop(url)


@pytest.fixture
def servers(fresh_broker: AnyBroker, monkeypatch: pytest.MonkeyPatch) -> str:
    """A broker with an empty topic of one partition."""
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", fresh_broker.bootstrap_servers)
    create_topics(fresh_broker.bootstrap_servers, {TOPIC: 1})
    return fresh_broker.bootstrap_servers


@pytest.fixture
def pitledger(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Caller:
    """Calls `pitledger`."""
    return Caller(capsys, monkeypatch)


def delete(servers: str) -> None:
    """Delete the topic, and make one of the same name."""
    admin = AdminClient({"bootstrap.servers": servers, "log_level": 0})
    admin.delete_topics([TOPIC])[TOPIC].result(timeout=20)
    eventually(lambda: TOPIC not in admin.list_topics(timeout=10).topics, because="the topic is gone")
    create_topics(servers, {TOPIC: 1})


@asynccontextmanager
async def reading(url: str, servers: str) -> AsyncIterator[tuple[Subscription, Health]]:
    """Round settlement reads the topic, as one process does."""
    context = RuntimeContext(
        service="round-settlement",
        settings=Settings(KAFKA_BOOTSTRAP_SERVERS=servers, kafka_session_seconds=1),
        pools=Pools.of_one(create_engine(url, role="round_settlement")),
        ledger=Ledger(journal),
        projector=PROJECTOR,
        clock=lambda: NOON,
    )
    failures: list[BaseException] = []
    found = topic_log(context.settings, TOPIC)
    async with context.pools.background.begin() as connection:
        known = await first_input(connection, journal, TopicIdentity(TOPIC, found.cluster_id, found.topic_id), NOON)
    topics = KafkaTopics(context, failures.append)
    await topics.start()
    consumer = Consumer(context, TableEvents(), known.log)
    subscription = Subscription(topics, consumer, known, whole=False, failed=failures.append)
    await subscription.start()
    try:
        yield subscription, Health(context, JournalVerifier(context), DriftMonitor(context, MANIFEST), [subscription])
        assert [] == failures
    finally:
        await subscription.stop()
        await topics.stop()
        await context.pools.background.dispose()


async def until(done: Callable[[], bool]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(60):
        while not done():  # noqa: ASYNC110 - librdkafka tells nobody
            await asyncio.sleep(0.02)


async def read_all(url: str, servers: str, count: int) -> None:
    """Read until so many rounds are posted."""
    async with reading(url, servers):
        await until(lambda: len(posted(url)) >= count)


async def why_stopped(url: str, servers: str) -> str:
    """Read until the partition is stopped; return why, as readiness says it."""
    async with reading(url, servers) as (subscription, health):
        await until(lambda: bool(subscription.consumer.stopped.reasons))
        assert 1 == health.context.metrics.partitions_stopped.labels(TOPIC)._value.get()
        assert not subscription.is_caught_up()
        return str(await health.checks["input"]())


async def is_read(url: str, servers: str) -> bool:
    """Take the partition over, and look at what the broker holds again; return whether it is read on."""
    async with reading(url, servers) as (subscription, _):
        await until(lambda: bool(subscription.consumer.positions))
        await subscription.compare_with_topic()
        return not subscription.consumer.stopped.reasons


def posted(url: str) -> list[tuple[str, int]]:
    """The events of the rounds that are posted, in order."""
    rows = query(
        url, f"SELECT source, sequence FROM round_settlement.entries WHERE kind = '{POSTED}' ORDER BY shard, seq"
    )
    return [(source.rpartition("/")[2], sequence) for source, sequence in rows]


def play(servers: str, table: str, sequences: Sequence[int]) -> None:
    """Send rounds of a table."""
    produce(servers, TOPIC, [completed(table, number) for number in sequences])


def test_a_topic_created_again_is_not_read_on_but_whole_once_it_is_adopted(
    url: str, servers: str, pitledger: Caller
) -> None:
    """Its offsets are of other records: those before the position would be left out without a word."""
    play(servers, T1, range(1, 4))
    asyncio.run(read_all(url, servers, 3))
    delete(servers)
    play(servers, T2, range(1, 4))  # where the position is beyond
    play(servers, T1, range(1, 6))

    why = asyncio.run(why_stopped(url, servers))

    assert "table.events was deleted and created again" in why
    assert "pitledger topics adopt table.events" in why
    assert [(T1, n) for n in range(1, 4)] == posted(url)
    called = pitledger("topics", "adopt", TOPIC, "--service", "round-settlement")
    assert ExitCode.FINE == called.code, called.stderr
    asyncio.run(read_all(url, servers, 8))
    assert [*((T1, n) for n in range(1, 4)), *((T2, n) for n in range(1, 4)), (T1, 4), (T1, 5)] == posted(url)


def test_a_topic_created_again_while_it_is_read_is_noticed(
    url: str, servers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The topics are compared every so often, and not only when the service starts.

    Nothing is deleted here: librdkafka 2.16 may crash when a topic that it reads changes its id.
    """
    play(servers, T1, [1])

    def another(settings: KafkaSettings, topic: str) -> TopicLog:
        return replace(topic_log(settings, topic), topic_id="another")

    async def work() -> str:
        async with reading(url, servers) as (subscription, health):
            await until(lambda: len(posted(url)) >= 1)
            monkeypatch.setattr("shared.runtime.ingest.subscription.topic_log", another)
            await subscription.compare_with_topic()
            await asyncio.to_thread(play, servers, T1, [2])
            return str(await health.checks["input"]())

    assert "was deleted and created again" in asyncio.run(work())
    assert [(T1, 1)] == posted(url)


def test_what_transactions_leave_out_is_asked_about_once_a_batch(
    url: str, real_kafka: AnyBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each leaves out an offset, for its marker: everything is read, and the broker is asked as often as is needed."""
    servers = real_kafka.bootstrap_servers
    create_topics(servers, {TOPIC: 1})
    asked, handled = [], []

    def counted(settings: KafkaSettings, topic: str) -> TopicLog:
        asked.append(topic)
        return topic_log(settings, topic)

    def send(sequences: Sequence[int]) -> None:
        for number in sequences:
            event = completed(T1, number)
            sender.begin_transaction()
            sender.produce(TOPIC, key=event["source"], value=encoded(event))
            sender.commit_transaction(30)

    sender = Producer({"bootstrap.servers": servers, "transactional.id": "pit", "log_level": 0})
    sender.init_transactions(60)
    send(range(1, 21))
    monkeypatch.setattr("shared.runtime.ingest.subscription.topic_log", counted)

    async def work() -> None:
        async with reading(url, servers) as (subscription, _):
            consumer = subscription.consumer
            inner = consumer.handle

            async def handle(records: Sequence[InputRecord], compare: Compare) -> dict[int, int]:
                rewind = await inner(records, compare)
                handled.append(consumer.looked_seconds)
                return rewind

            monkeypatch.setattr(consumer, "handle", handle)
            await until(lambda: len(posted(url)) >= 20)
            await asyncio.to_thread(send, range(21, 41))
            await until(lambda: len(posted(url)) == 40 and subscription.is_caught_up())
            assert {} == consumer.stopped.reasons

    asyncio.run(work())
    batches_that_asked = sum(seconds > 0 for seconds in handled)
    assert 0 < batches_that_asked < len(asked) <= batches_that_asked + 2  # and when the partition is taken over
    assert len(handled) < 40


def test_a_topic_of_which_it_is_not_known_which_it_was_is_not_read_on(
    url: str, servers: str, pitledger: Caller
) -> None:
    """Whatever has its name now may be another one: somebody says so who has looked."""
    play(servers, T1, [1])
    asyncio.run(read_all(url, servers, 1))
    assert "inputs" not in named("round-settlement", url)
    as_superuser(url, f"DELETE FROM round_settlement.inputs WHERE topic = '{TOPIC}'")
    play(servers, T1, [2])
    assert "is not in the database any more" in asyncio.run(why_stopped(url, servers))
    assert [(T1, 1)] == posted(url)
    assert "inputs" in named("round-settlement", url)
    called = pitledger("topics", "adopt", TOPIC, "--service", "round-settlement")
    assert ExitCode.FINE == called.code, called.stderr
    asyncio.run(read_all(url, servers, 2))
    assert [(T1, 1), (T1, 2)] == posted(url)
    assert "inputs" not in named("round-settlement", url)


def test_records_deleted_before_they_were_read_stop_the_partition(
    url: str, servers: str, pitledger: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is missing is known before what comes after it is counted; once adopted, it is an open gap."""
    play(servers, T1, [1])
    asyncio.run(read_all(url, servers, 1))
    play(servers, T1, [2, 3, 4])

    def begins_at_three(settings: KafkaSettings, topic: str) -> TopicLog:
        return replace(topic_log(settings, topic), bounds={0: (3, 4)})

    for module in ("shared.runtime.ingest.subscription", "services.cli.operations.topics"):
        monkeypatch.setattr(f"{module}.topic_log", begins_at_three)

    why = asyncio.run(why_stopped(url, servers))

    assert "table.events/0 is to be read from offset 1 and begins at 3" in why
    assert [(T1, 1)] == posted(url)
    assert ExitCode.FINE == pitledger("topics", "adopt", TOPIC, "--service", "round-settlement").code
    asyncio.run(read_all(url, servers, 2))
    assert [(2, 3)] == query(url, "SELECT first, last FROM round_settlement.gaps")


def test_a_topic_that_ends_before_what_was_read_of_it_stops_the_partition(
    url: str, servers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broker that lost its last records gives their offsets to others: those would be left out."""
    play(servers, T1, [1, 2])
    asyncio.run(read_all(url, servers, 2))

    def ends_at_one(settings: KafkaSettings, topic: str) -> TopicLog:
        return replace(topic_log(settings, topic), bounds={0: (0, 1)})

    monkeypatch.setattr("shared.runtime.ingest.subscription.topic_log", ends_at_one)
    assert asyncio.run(is_read(url, servers)), "the last record is there, whatever the broker says of the end"
    monkeypatch.setattr("shared.runtime.ingest.subscription.partitions_holding", lambda *_: set())

    assert "table.events/0 was read up to offset 2 and ends at 1" in asyncio.run(why_stopped(url, servers))


def test_a_topic_that_nobody_reads_cannot_be_adopted(pitledger: Caller) -> None:
    """A misspelled name is told."""
    called = pitledger("topics", "adopt", "table.evens")
    assert (ExitCode.USAGE, True) == (called.code, "none of the services reads" in called.stderr)
