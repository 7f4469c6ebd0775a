"""Publish a journal: every entry, in the order of its shard, at least once.

The relay row of a shard is locked while a batch is sent and marked, so one relay works on a shard at a time, whichever
process it is in. A crash between sending and marking publishes a batch again; consumers drop what they have seen.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import structlog
from confluent_kafka import Producer
from sqlalchemy import Row, Text, cast, func, select, update

from shared.contracts import catalog
from shared.contracts.envelope import CONTENT_TYPE, shard_source
from shared.contracts.facts import KINDS
from shared.runtime.context import RuntimeContext
from shared.runtime.errors import Kind, kind_of
from shared.runtime.kafka import new_producer

log = structlog.get_logger()

BATCH_ENTRIES = 1000
IDLE_SECONDS = 0.5
FLUSH_SECONDS = 30.0
_FLUSH_STEP_SECONDS = 0.5
_HEADERS: list[tuple[str, str | bytes | None]] = [("content-type", CONTENT_TYPE)]

MessageKey = Callable[[str, int, int, bytes], bytes]
"""(kind, shard, seq, data) of an entry -> the Kafka key under which it is published."""

assert catalog.MODULES, "the kinds of all entries are declared"


class NotDelivered(ConnectionError):
    """The broker did not take a batch."""


class Relay:
    """Publish one service's journal.

    `topic_of` says on which topic the entries of a shard go, by its name. `key` gives the Kafka key of an entry;
    without it all entries of a shard have the shard's, and so stay in order.
    """

    def __init__(self, context: RuntimeContext, topic_of: Callable[[str], str], key: MessageKey | None = None) -> None:
        self._context = context
        self._topic_of = topic_of
        self._key = key
        self._producer = self._new_producer()
        self._wake = asyncio.Event()

    def _new_producer(self) -> Producer:
        return new_producer(self._context.settings.kafka_bootstrap_servers, self._context.service)

    def wake(self) -> None:
        """Say that there may be something to publish."""
        self._wake.set()

    async def run(self) -> None:
        """Publish until cancelled."""
        while True:
            self._wake.clear()
            try:
                published = await self.publish()
            except Exception as error:
                if kind_of(error) is Kind.BUG:
                    raise
                log.warning("relay waits", error=str(error))
                await asyncio.sleep(IDLE_SECONDS)
                continue
            if (
                published < BATCH_ENTRIES
            ):  # what is recorded meanwhile goes out with what follows until it is woken again
                with suppress(TimeoutError):
                    async with asyncio.timeout(IDLE_SECONDS):  # wait_for loses a cancellation that meets the event
                        await self._wake.wait()

    async def publish(self) -> int:
        """Publish what there is, at most one batch a shard; return the number of entries."""
        shards, relay = self._context.tables.shards, self._context.tables.relay
        behind = shards.c.next_seq - 1 - relay.c.published_seq
        query = select(relay.c.shard, shards.c.name, behind.label("behind")).join(
            shards, shards.c.shard == relay.c.shard
        )
        async with self._context.engine.connect() as connection:
            waiting = (await connection.execute(query.where(behind > 0))).all()
        self._context.metrics.relay_backlog.set(sum(row.behind for row in waiting))
        count = 0
        for row in waiting:
            count += await self._publish_shard(row.shard, self._topic_of(row.name))
        return count

    async def _publish_shard(self, shard: int, topic: str) -> int:
        relay, entries = self._context.tables.relay, self._context.tables.entries
        async with self._context.engine.begin() as connection:
            published = (
                await connection.execute(
                    select(relay.c.published_seq).where(relay.c.shard == shard).with_for_update(skip_locked=True)
                )
            ).scalar_one_or_none()
            if published is None:
                return 0
            rows = (
                await connection.execute(
                    select(
                        entries.c.seq,
                        entries.c.kind,
                        entries.c.source,
                        entries.c.gaming_day,
                        entries.c.occurred_at,
                        entries.c.recorded_at,
                        func.encode(entries.c.hash, "hex").label("hash"),
                        cast(entries.c.data, Text).label("data"),
                    )
                    .where(entries.c.shard == shard, entries.c.seq > published)
                    .order_by(entries.c.seq)
                    .limit(BATCH_ENTRIES)
                )
            ).all()
            if not rows:
                return 0
            await self._send(topic, shard, rows)
            self._context.step("relay sent")
            await connection.execute(update(relay).where(relay.c.shard == shard).values(published_seq=rows[-1].seq))
        self._context.step("relay marked")
        self._context.metrics.relayed.inc(len(rows))
        return len(rows)

    async def _send(self, topic: str, shard: int, rows: Sequence[Row[Any]]) -> None:
        source = shard_source(self._context.service, shard)
        failed: list[Any] = []

        def delivered(error: Any, message: Any) -> None:
            del message
            if error is not None:
                failed.append(error)

        for row in rows:
            key = source.encode() if self._key is None else self._key(row.kind, shard, row.seq, row.data.encode())
            value = entry_message(source, shard, row)
            while True:
                try:
                    self._producer.produce(topic, key=key, value=value, headers=_HEADERS, on_delivery=delivered)
                    break
                except BufferError:
                    await asyncio.to_thread(self._producer.poll, 0.1)
        left, tries = len(rows), round(FLUSH_SECONDS / _FLUSH_STEP_SECONDS)
        while left and tries:  # in steps, so that a service can stop while the broker is away
            left, tries = await asyncio.to_thread(self._producer.flush, _FLUSH_STEP_SECONDS), tries - 1
        if failed or left:
            # An idempotent producer that lost a message, or its broker, cannot go on: begin with a new one.
            self._producer.purge()
            self._producer = self._new_producer()
            raise NotDelivered(f"{topic}: {left} messages unanswered, first error {failed[0] if failed else None}")


def entry_message(source: str, shard: int, row: Any) -> bytes:
    """Return an entry as a CloudEvent; its data goes out byte for byte as it is stored."""
    head = {
        "specversion": "1.0",
        "id": f"{shard}-{row.seq}",
        "source": source,
        "sequence": row.seq,
        "type": row.kind,
        "subject": row.source,
        "time": row.occurred_at.isoformat(),
        "recordedat": row.recorded_at.isoformat(),
        "entryhash": row.hash,
        "movesmoney": KINDS[row.kind].moves_money,
        "datacontenttype": "application/json",
    }
    return f'{json.dumps(head, separators=(",", ":"))[:-1]},"data":{row.data}}}'.encode()
