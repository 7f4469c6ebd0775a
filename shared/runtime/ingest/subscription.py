"""Subscription to a topic: FastStream delivers the records, while the database holds the read position."""

import asyncio
import logging
import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any, TypeVar

import structlog
from confluent_kafka import Consumer as KafkaConsumer
from confluent_kafka import KafkaException, Message, TopicPartition
from faststream import AckPolicy
from faststream.confluent import KafkaBroker, KafkaMessage, Topic
from faststream.confluent import TopicPartition as FastStreamPartition
from faststream.message import StreamMessage
from pydantic_core import from_json

from shared.journal.topic_identity import TopicIdentity
from shared.runtime.context import RuntimeContext
from shared.runtime.errors import FatalServiceError
from shared.runtime.ingest.consumer import Consumer
from shared.runtime.ingest.handler import InputRecord
from shared.runtime.ingest.kafka_records import record_of
from shared.runtime.ingest.partition_ends import Ends, told_ends
from shared.runtime.kafka import TopicLog, librdkafka_log, partitions_holding, topic_log
from shared.runtime.retrying import retry
from shared.runtime.throttle import pause_after

log = structlog.get_logger()

AnswerT = TypeVar("AnswerT")

_SILENT_SECONDS = 60.0
"""How many seconds longer than the database timeout a consumer may pause polling before its group expels it."""
_REST_SECONDS_MAX = 2.0
_LINGER_SHARE = 0.1
"""Share of the gathering time to wait even after a pause, because a batch arrives in one response per partition."""
_UNHURRIED_SECONDS = 0.2
"""Topics with at least this gathering time are background topics: no person waits for their records."""
_UNHURRIED_FETCH_SECONDS = 0.4
"""How long the broker may delay its response for a background topic; the longer, the lower the idle cost."""
_LOOK_SHARE = 0.1
"""Share of the time that may be spent on querying the broker's bounds.

It limits the queries if every record is a transaction of its own, because then every batch queries.
"""
_FETCH_BYTES = 16 * 1024 * 1024
"""Maximum bytes per fetch, and maximum bytes buffered, per topic (a larger producer batch is still fetched whole).

The client's defaults are 50 MiB per fetch and 64 MiB buffered.
"""
_OF_CONSUMERS = {
    "isolation.level": "read_committed",  # FastStream's default would also deliver aborted transactions
    "fetch.max.bytes": _FETCH_BYTES,
    "queued.max.messages.kbytes": _FETCH_BYTES // 1024,
    # As text, because FastStream warns for each consumer about the value False, although no topics are to be created.
    "allow.auto.create.topics": "false",
}
"""Options of consumers only: a producer would reject them or warn, but FastStream configures both alike."""
_STATISTICS_MILLISECONDS = 1000
"""Interval of librdkafka's statistics about partition ends and broker connections."""
_LOOK_MILLISECONDS = 10_000
"""Interval at which clients refresh metadata; a client that lacks its topic's metadata is idle until the next one."""
_LOST_SECONDS = 10.0
"""Maximum time for which a client makes no attempt to reach a broker. A working client reconnects at once."""
_BROKERS = ("configured", "learned")
_UNCONNECTED = "INIT"
"""The state of a broker to which a client is not connected, and is not trying to connect."""
_SOUGHT_SECONDS = 2.0
"""How long all brokers may be in that state, in seconds; librdkafka attempts one connection per second."""
_POLL_SECONDS = 0.5
"""Poll timeout for the first record of a batch; stopping may take this long."""


class KafkaTopics:
    """A service's connection to Kafka: one FastStream broker.

    `ends` holds the end offsets of each topic's partitions, as librdkafka's statistics report them.

    The connection fails if a client has lost every broker. While all brokers are fenced, Kafka reports to clients that
    there are none. A client then drops its brokers and starts to look for new ones. In librdkafka 2.10 to 2.16 it may
    cancel this search at once, and then never reconnects. Its statistics may still list a broker that it is dropping.
    """

    def __init__(self, context: RuntimeContext, failed: Callable[[BaseException], None]) -> None:
        self.ends: defaultdict[str, Ends] = defaultdict(dict)
        self._lost: dict[str, float] = {}
        self._failed = failed
        self._loop = asyncio.get_running_loop()
        self._settings = context.settings
        config = {**context.settings.librdkafka(), "topic.metadata.refresh.interval.ms": _LOOK_MILLISECONDS}
        self.broker = KafkaBroker(
            context.settings.kafka_bootstrap_servers,
            client_id=f"{context.settings.kafka_group_prefix}-{context.service}",
            allow_auto_create_topics=False,
            apply_types=False,
            logger=librdkafka_log,
            log_level=logging.DEBUG,
            config=config,  # type: ignore[arg-type]  # a TypedDict of all settings
        )

    async def start(self) -> None:
        """Connect to the cluster, without subscribing to any topic yet.

        FastStream's own producer is disconnected, because the relay has its own and this one would poll ten times a
        second for nothing. Its admin client is disconnected, because it is not used. Only consumers report statistics,
        because a client that is not polled would accumulate them.
        """
        await self.broker.start()
        await self.broker.config.producer.disconnect()  # type: ignore[attr-defined]  # Kafka's broker has a producer
        shared = self.broker.config.broker_config
        await shared.admin.disconnect()
        reporting = {"statistics.interval.ms": _STATISTICS_MILLISECONDS, "stats_cb": self.note}
        shared.connection_config.config |= {**_OF_CONSUMERS, **reporting}

    async def stop(self) -> None:
        """Stop all subscriptions and disconnect."""
        await self.broker.stop()

    async def answer(self, ask: Callable[..., AnswerT], *topics: str) -> AnswerT:
        """Query the cluster about topics with a separate client, and retry until it answers.

        The consumer's client must not be used. If a librdkafka callback (such as a log message about a lost broker)
        comes in the same poll as the query, the process crashes.
        """
        return await retry(
            partial(asyncio.to_thread, ask, self._settings, *topics),
            passes=lambda error: isinstance(error, KafkaException),
            note=lambda error: log.warning("broker unavailable", topic=", ".join(topics), error=str(error)),
        )

    def note(self, statistics: str) -> None:
        """Store the partition ends and the state of the brokers from a client's statistics.

        librdkafka calls this between two polls, on the consumer's own thread. Querying the client from the event loop
        instead would block the loop for a poll, and could deadlock: a poll that assigns partitions waits for the loop.
        """
        try:
            found = from_json(statistics)
            for topic, number, end in told_ends(found, self.ends, monotonic()):
                self.ends[topic][number] = end
            self._note_brokers(found["name"], found["brokers"].values())
        except Exception as error:
            self._loop.call_soon_threadsafe(self._failed, error)
            raise

    def _note_brokers(self, client: str, brokers: Iterable[Mapping[str, Any]]) -> None:
        """Store whether a client is connected to a broker or is trying to connect.

        Raises: FatalServiceError if for too long neither has been the case.
        """
        if any(one["source"] in _BROKERS and _is_sought(one) for one in brokers):
            self._lost.pop(client, None)
        elif monotonic() - self._lost.setdefault(client, monotonic()) > _LOST_SECONDS:
            raise FatalServiceError(f"{client} has no broker, and does not look for one: start the service again")


def _is_sought(broker: Mapping[str, Any]) -> bool:
    """Return whether a client is connected or connecting to a broker, or was a short time ago."""
    return bool(broker["state"] != _UNCONNECTED or broker["stateage"] < 1e6 * _SOUGHT_SECONDS)


class Subscription:
    """Reads a topic for a consumer: all partitions (`whole`), or those that the service's consumer group assigns.

    Every process reads reference data as a whole; fencing ensures that only one process records it.
    """

    def __init__(
        self,
        topics: KafkaTopics,
        consumer: Consumer,
        known: TopicIdentity,
        *,
        whole: bool,
        failed: Callable[[BaseException], None],
    ) -> None:
        self.consumer = consumer
        self._known = known
        self._context = consumer.context
        self._failed = failed
        self._loop = asyncio.get_running_loop()
        self.joined = whole
        self.age_seconds = 0.0
        self._partitions: Collection[int] = (0,)  # number of the topic's partitions is not known yet
        self._whole = whole
        self._topics = topics
        settings = self._context.settings

        silent = settings.retry_seconds_max + _SILENT_SECONDS
        self._assign_seconds = silent - _SILENT_SECONDS / 2  # a partition whose takeover lasts longer is reassigned
        gather = consumer.gather_seconds
        held_back = _UNHURRIED_FETCH_SECONDS if gather >= _UNHURRIED_SECONDS else gather
        group = f"{settings.kafka_group_prefix}-{self._context.service}-{consumer.topic}"
        self._options: dict[str, Any] = {
            "group_id": group,
            "auto_offset_reset": "earliest",
            "ack_policy": AckPolicy.ACK_FIRST,  # librdkafka commits every five seconds, only for lag tools
            "polling_interval": _POLL_SECONDS,
            "fetch_max_wait_ms": round(1000 * max(settings.fetch_seconds, held_back)),
            "session_timeout_ms": round(1000 * settings.kafka_session_seconds),
            "max_poll_interval_ms": round(1000 * max(silent, settings.kafka_session_seconds)),
            "heartbeat_interval_ms": round(300 * settings.kafka_session_seconds),
            "max_partition_fetch_bytes": _FETCH_BYTES,
            "parser": self._unparsed,
            "decoder": _undecoded,
        }
        self._subscriber: Any = None
        self._stopping = asyncio.Event()
        self._due = 0.0  # when the next batch may begin, by the loop's clock
        self._let_go: set[int] = set()  # partitions revoked while a batch was being read
        self._told: set[int] = set()  # partitions whose lag is reported as a metric
        self._since: dict[int, float] = {}  # when each partition was taken over, in monotonic seconds
        self._handed: defaultdict[int, int] = defaultdict(int)  # offset after the last record received, by partition

    async def start(self) -> None:
        """Start reading all partitions, or those that the group assigns."""
        topic = self.consumer.topic
        if self._whole:
            offsets = await self._take_over((await self._topic_log()).bounds)
            parts = [FastStreamPartition(topic, number, offset, declare=False) for number, offset in offsets.items()]
            self._subscriber = self._topics.broker.subscriber(partitions=parts, **self._options)
        else:
            self._subscriber = self._topics.broker.subscriber(
                Topic(topic, declare=False),
                on_assign=_logging_as_here(self._on_assign),
                on_revoke=_logging_as_here(self._on_revoke),
                on_lost=_logging_as_here(self._on_revoke),
                **self._options,
            )
        self._subscriber(self._handle)
        await self._subscriber.start()

    async def stop(self) -> None:
        """Stop reading, and leave the consumer group."""
        self._stopping.set()
        if self._subscriber is not None:
            await self._subscriber.stop()

    # --- called in librdkafka's poll, on the consumer's own thread ---

    def _on_assign(self, kafka: KafkaConsumer, partitions: list[TopicPartition]) -> None:
        try:
            taking_over = self._take_over([partition.partition for partition in partitions])
            taken_over = asyncio.run_coroutine_threadsafe(taking_over, self._loop)
            offsets = taken_over.result(self._assign_seconds)  # times out if the loop has ended
            for partition in partitions:
                partition.offset = offsets[partition.partition]
            kafka.assign(partitions)
            self.joined = True
            log.info("partitions assigned", topic=self.consumer.topic, offsets=offsets)
        except Exception as error:
            self._loop.call_soon_threadsafe(self._failed, error)
            raise

    async def _take_over(self, partitions: Iterable[int]) -> dict[int, int]:
        """Take over partitions; return the offsets to read from, which the database holds, by partition.

        Raises: FatalServiceError if the offsets belong to another cluster.
        """
        async with asyncio.timeout(self._assign_seconds):
            offsets = await self.consumer.assigned(partitions)
            await self.compare_with_topic()
        for number in offsets:
            self._since[number], self._handed[number] = monotonic(), 0
        return offsets

    async def compare_with_topic(self) -> None:
        """Halt the partitions whose next record the broker does not hold.

        Raises: FatalServiceError if the broker belongs to another cluster than before.
        """
        positions = self.consumer.positions  # before the query, as reading goes on
        await self.compare_with(await self._topic_log(), positions)

    async def compare_with(self, found: TopicLog, positions: Mapping[int, int]) -> None:
        """Compare read positions with the state of the topic, queried after these positions were reached.

        Raises: FatalServiceError if the topic is on a different cluster from before.
        """
        if found.cluster_id != self._known.cluster:
            raise FatalServiceError(
                f"the cluster was {self._known.cluster} and is {found.cluster_id} now: start the service again"
            )
        self._partitions = tuple(found.bounds)
        await self.consumer.compare(self._known, await self._with_ends_as_read(found, positions), positions)

    async def _with_ends_as_read(self, found: TopicLog, positions: Mapping[int, int]) -> TopicLog:
        """Return the topic's state, with too low ends raised to the read position if the record before it exists.

        Some brokers report an end that omits the last batch. A record below an end in librdkafka's statistics exists.
        For others, the record before the read position is read again to find out.
        """
        short = {n: position for n, position in positions.items() if found.bounds.get(n, (0, 0))[1] < position}
        told = self._topics.ends[self.consumer.topic]
        unsure = {n: position - 1 for n, position in short.items() if n not in told or told[n].end < position}
        held = short.keys() - unsure.keys()
        if unsure and found.topic_id == self._known.topic_id:
            held |= await asyncio.to_thread(partitions_holding, self._context.settings, self.consumer.topic, unsure)
        return replace(found, bounds={**found.bounds, **{n: (found.bounds.get(n, (0, 0))[0], short[n]) for n in held}})

    async def _topic_log(self) -> TopicLog:
        """Return the current state of the topic in the cluster, queried anew."""
        return await self._topics.answer(topic_log, self.consumer.topic)

    def _on_revoke(self, kafka: KafkaConsumer, partitions: list[TopicPartition]) -> None:
        del kafka
        numbers = [partition.partition for partition in partitions]
        self._let_go.update(numbers)
        self.consumer.revoked(numbers)
        log.info("partitions revoked", topic=self.consumer.topic, partitions=numbers)

    # --- called by FastStream, in the event loop ---

    async def _unparsed(self, message: Message) -> KafkaMessage:
        """Return a message undecoded, because FastStream would decode headers as text and drop those that are not."""
        return KafkaMessage(raw_message=message, body=message.value() or b"", consumer=self._subscriber.consumer)

    async def _batch(self, first: Message) -> list[InputRecord]:
        """Return the first record, with the records that are available or arrive until the next batch is due."""
        self._let_go.clear()
        more: Sequence[Message] = ()
        if room := self.consumer.batch_records_max - 1:
            kafka = self._subscriber.consumer
            linger = _LINGER_SHARE * self.consumer.gather_seconds
            more = await kafka.getmany(timeout=max(self._due - self._loop.time(), linger), max_records=room)
        self._due = self._loop.time() + self.consumer.gather_seconds
        still = () if first.partition() in self._let_go else (first,)  # otherwise its next owner reads it
        records = [record_of(message) for message in (*still, *more)]
        for record in records:
            self._handed[record.partition] = max(self._handed[record.partition], record.offset + 1)
        return records

    async def _handle(self, message: StreamMessage[Message]) -> None:
        try:
            records = await self._batch(message.raw_message)
            if not records:
                return
            started = self._loop.time()
            oldest = min(record.taken_at for record in records)
            self.age_seconds = max((self._context.clock() - oldest).total_seconds(), 0.0)
            self._context.metrics.age.labels(self.consumer.topic).set(self.age_seconds)
            self._context.step("consumed")
            rewind = await self.consumer.handle(records, self.compare_with_topic)
            self._context.step("handled")
            kafka = self._subscriber.consumer
            for partition, offset in rewind.items():
                await kafka.seek(self.consumer.topic, partition, offset)
            worked = pause_after(self._loop.time() - started, self.consumer.share, _REST_SECONDS_MAX)
            await self._rest(max(worked, pause_after(self.consumer.looked_seconds, _LOOK_SHARE, _REST_SECONDS_MAX)))
        except BaseException as error:
            # FastStream would only log the error and continue with the next batch, so that records would be skipped.
            self._failed(error)
            raise

    async def _rest(self, seconds: float) -> None:
        """Pause reading, unless a full batch is available; a stop ends the pause."""
        waiting = sum(records or 0 for records in self.lag().values())
        if seconds > 0 and waiting < self.consumer.batch_records_max:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), seconds)

    # --- read progress ---

    def lag(self) -> dict[int, int | None]:
        """Return the number of unread offsets of each assigned partition; None if it is unknown.

        It is unknown until the broker has reported the partition's end, and while the partition's leader does not
        answer. Transaction markers at the end do not count once all records before them are processed.
        """
        return {number: self._waiting(number, position) for number, position in self.consumer.positions.items()}

    @property
    def lag_records(self) -> int | None:
        """Return the number of unread offsets of all assigned partitions, or None if any of them is unknown."""
        lag = self.lag().values()
        told = [records for records in lag if records is not None]
        return sum(told) if len(told) == len(lag) else None

    def _waiting(self, number: int, position: int) -> int | None:
        told = self._topics.ends[self.consumer.topic].get(number)
        if told is None or not told.is_known(monotonic()):
            return None
        is_all_handed_over = told.delivered >= told.readable
        if is_all_handed_over and position >= self._handed[number]:
            return 0
        return max(told.readable - position, 0)

    def response_age_seconds(self) -> float:
        """Return the longest time, in seconds, for which the leader of an assigned partition has been silent."""
        ends = self._topics.ends[self.consumer.topic]
        heard = [ends[n].heard_at if n in ends else self._since[n] for n in self.consumer.positions if n in self._since]
        return max(monotonic() - min(heard), 0.0) if heard else 0.0

    def is_caught_up(self) -> bool:
        """Return whether all records of the assigned partitions are processed, and no partition is halted."""
        lag = self.lag()
        return bool(lag) and not self.consumer.stopped.reasons and all(records == 0 for records in lag.values())

    def behind(self) -> dict[int, float]:
        """Return, by partition, the age in seconds of the last batch's oldest record; 0 if nothing is unread.

        The age is infinite if it is unknown, and for partitions that other processes read.
        """
        found = dict.fromkeys(self._partitions, math.inf)
        if self.joined:
            for partition, waiting in self.lag().items():
                if waiting is not None:
                    found[partition] = self.age_seconds if waiting else 0.0
        return found

    def observe(self) -> None:
        """Update the metrics of lag, age and partitions; the lag comes from librdkafka's latest statistics."""
        lag = self.lag()
        self._context.metrics.topic_partitions.labels(self.consumer.topic).set(len(self._partitions))
        self._context.metrics.partitions_read.labels(self.consumer.topic).set(len(lag))
        for partition in self._told - lag.keys():  # the lag of a revoked partition is unknown here
            self._context.metrics.lag.remove(self.consumer.topic, str(partition))
        self._told = set(lag)
        for partition, records in lag.items():
            known = math.nan if records is None else records
            self._context.metrics.lag.labels(self.consumer.topic, str(partition)).set(known)
        self._context.metrics.broker_response_age.labels(self.consumer.topic).set(self.response_age_seconds())
        if self.lag_records == 0:
            self.age_seconds = 0.0
            self._context.metrics.age.labels(self.consumer.topic).set(0)


def _logging_as_here(callback: Callable[..., None]) -> Callable[..., None]:
    """Return a callback that logs with the current service's log context, on any thread."""
    context = copy_context()
    return lambda *told: context.run(callback, *told)


async def _undecoded(message: StreamMessage[Any]) -> StreamMessage[Any]:
    return message
