"""Senders with transactions, and brokers that say nothing: what is read, and what is known of what waits."""

import asyncio
import math
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast
from uuid import uuid4

import pytest
from confluent_kafka import Producer

from services.cli.operations.intake_topics import Topics
from shared.local import Broker
from shared.runtime.audit.journal_verifier import JournalVerifier
from shared.runtime.ingest import partition_ends as ends
from shared.runtime.ingest.topic_replay import _batches
from shared.runtime.kafka import topic_log
from shared.runtime.process import health as health_of
from shared.runtime.projections.drift_monitor import DriftMonitor
from shared.runtime.rederivation.independent_reader import Records
from shared.runtime.rederivation.published_entries import whole_topics
from shared.runtime.settings import Settings
from tests.integration.test_subscription import LOOK_SECONDS, Reader, subscribed
from tests.support import AnyBroker
from tests.support.services import create_topics, produce

TRANSACTIONS = [("one", True), ("two", False), ("three", True), ("four", False)]
"""What a sender sent, each in a transaction, and whether it committed it."""
TAKEN = [b"plain", b"one", b"three"]


def sent(servers: str, topic: str) -> None:
    """Send a record without a transaction, and those of the transactions: the last thing of the topic is a marker."""
    produce(servers, topic, [(b"k", b"plain")])
    sender = Producer({"bootstrap.servers": servers, "transactional.id": topic, "log_level": 0})
    sender.init_transactions(60)
    for value, committed in TRANSACTIONS:
        sender.begin_transaction()
        sender.produce(topic, key=b"k", value=value)
        sender.flush(30)
        (sender.commit_transaction if committed else sender.abort_transaction)(30)


async def until(done: Callable[[], bool], failures: list[BaseException]) -> None:
    """Wait until something is so, while nothing fails."""
    async with asyncio.timeout(90):
        while not done():
            assert [] == failures
            await asyncio.sleep(LOOK_SECONDS)


@pytest.mark.on_kafka
def test_what_was_called_off_is_not_taken_and_markers_are_no_lag(real_kafka: AnyBroker) -> None:
    """The end of the topic is reached, though no record stands before it; so it is by one who takes over there."""
    servers, topic = real_kafka.bootstrap_servers, f"transactions-{uuid4()}"
    create_topics(servers, {topic: 1})
    sent(servers, topic)

    async def work() -> list[bytes]:
        failures: list[BaseException] = []
        async with subscribed(servers, topic, failures) as subscription:
            reader = cast(Reader, subscription.consumer)
            await until(lambda: subscription.joined and subscription.is_caught_up(), failures)
            subscription.observe()
            assert 0 == subscription.lag_records
            assert reader.positions[0] < topic_log(reader.context.settings, topic).bounds[0][1]
            assert TAKEN == reader.values
            await asyncio.to_thread(produce, servers, topic, [(b"k", b"behind")])
            await until(lambda: len(reader.values) > len(TAKEN), failures)
            return reader.values

    assert [*TAKEN, b"behind"] == asyncio.run(work())


@pytest.mark.on_kafka
def test_an_open_transaction_holds_back_what_is_behind_it(real_kafka: AnyBroker) -> None:
    """What is undecided is not waited for, and is read, with what is behind it, as soon as it is decided."""
    servers, topic = real_kafka.bootstrap_servers, f"transactions-{uuid4()}"
    create_topics(servers, {topic: 1})
    sender = Producer({"bootstrap.servers": servers, "transactional.id": topic, "log_level": 0})
    sender.init_transactions(60)
    sender.begin_transaction()
    sender.produce(topic, key=b"k", value=b"undecided")
    sender.flush(30)
    produce(servers, topic, [(b"k", b"behind")])

    async def work() -> list[bytes]:
        failures: list[BaseException] = []
        async with subscribed(servers, topic, failures) as subscription:
            reader = cast(Reader, subscription.consumer)
            await until(lambda: subscription.joined and subscription.is_caught_up(), failures)
            assert [] == reader.values
            await asyncio.to_thread(sender.commit_transaction, 30)
            await until(lambda: len(reader.values) == 2 and subscription.is_caught_up(), failures)
            return reader.values

    assert [b"undecided", b"behind"] == asyncio.run(work())


@pytest.mark.on_kafka
def test_everybody_who_reads_a_topic_reads_the_same(real_kafka: AnyBroker) -> None:
    """Those who read again, derive again, reconcile and take in files agree with those who settled."""
    servers, topic = real_kafka.bootstrap_servers, f"transactions-{uuid4()}"
    create_topics(servers, {topic: 1})
    sent(servers, topic)
    settings = Settings(KAFKA_BOOTSTRAP_SERVERS=servers)
    end = topic_log(settings, topic).bounds[0][1]

    def by_another_client() -> Iterator[Any]:
        with Records(settings) as records:
            for batch in records.read(topic, 0, 0, end):
                yield from batch

    found: dict[str, list[bytes]] = {
        "read again": [one.value for batch in _batches(settings, "g", topic, {}, {0: end}, 0, {}) for one in batch],
        "reconciled": [one.value for batch in whole_topics(settings, [topic]) for one in batch],
        "derived again": [one.value for one in by_another_client()],
        "taken in": [bytes(one.value() or b"") for one in Topics(settings)._read(topic, {0: 0}, {})],
    }
    assert dict.fromkeys(found, TAKEN) == found


@contextmanager
def frozen(broker: Broker) -> Iterator[None]:
    """Let a broker stand still: its connections stay, and nothing comes."""
    assert broker.pid is not None
    os.kill(broker.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(broker.pid, signal.SIGCONT)


@pytest.mark.parametrize("how", ["frozen", "dead"])
def test_a_broker_that_says_nothing_is_told(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits is not known then: readiness, the lag and those who wait for it say so; until the broker is back."""
    for module in (ends, health_of):
        monkeypatch.setattr(module, "RESPONSE_AGE_SECONDS_MAX", 2.0)
    topic = f"silent-{uuid4()}"
    with Broker() as broker:
        create_topics(broker.bootstrap_servers, {topic: 1})
        produce(broker.bootstrap_servers, topic, [(b"k", b"{}")])

        async def work() -> None:
            failures: list[BaseException] = []
            async with subscribed(broker.bootstrap_servers, topic, failures) as subscription:
                context = cast(Reader, subscription.consumer).context
                manifest: Any = None
                health = health_of.Health(
                    context, JournalVerifier(context), DriftMonitor(context, manifest), [subscription]
                )

                def lag() -> float:
                    subscription.observe()
                    labels = {"topic": topic, "partition": "0"}
                    return context.metrics.registry.get_sample_value("pitledger_consumer_lag_records", labels) or 0

                await until(lambda: subscription.joined and subscription.is_caught_up(), failures)
                assert (0, None) == (lag(), await health.checks["broker"]())
                if how == "dead":
                    await asyncio.to_thread(broker.stop)
                    await until(lambda: math.isnan(lag()), failures)
                    await _assert_told(health, subscription, topic)
                    return
                with frozen(broker):
                    await until(lambda: math.isnan(lag()), failures)
                    await _assert_told(health, subscription, topic)
                await until(lambda: lag() == 0 and subscription.is_caught_up(), failures)
                assert await health.checks["broker"]() is None

        asyncio.run(work())


async def _assert_told(health: health_of.Health, subscription: Any, topic: str) -> None:
    assert f"no answer for {topic} for" in str(await health.checks["broker"]())
    assert f"it is not known how far {topic} goes" == await health.checks["lag"]()
    assert not subscription.is_caught_up()
    health.waiting_for = None
    assert {(topic, 0): math.inf} == health.behind()
