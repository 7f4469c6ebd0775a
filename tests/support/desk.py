"""One service on a real database, in the process of the test: topics without a broker, HTTP without a socket."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from itertools import count
from typing import Any

import httpx
from pydantic import SecretStr
from sqlalchemy import delete, text

from shared.contracts.catalog import decode_fact
from shared.contracts.device_signatures import HEADER as DEVICE
from shared.contracts.facts import Fact
from shared.journal.entry import Entry
from shared.journal.reading import balances, read_entries
from shared.journal.shard import Seals
from shared.journal.signed_batch import HEADER, message_bytes, sign_batch
from shared.journal.signed_note import Signer
from shared.journal.topic_identity import TopicIdentity, first_input
from shared.journal.verification import Verified, read_shards, verify_shard
from shared.runtime.clock import Clock
from shared.runtime.commands.record_replay import Replay, ReplayOutbox
from shared.runtime.database import Pools
from shared.runtime.high_water import HighWaterSource
from shared.runtime.ingest.consumer import Consumer
from shared.runtime.ingest.handler import InputRecord
from shared.runtime.process.run import application, context_of
from shared.runtime.projector import Transaction
from shared.runtime.service.manifest import Manifest
from shared.runtime.service.service_context import ServiceContext
from shared.runtime.settings import Settings
from tests.support.asgi import AppClient
from tests.support.devices import signed
from tests.support.engines import create_engine
from tests.support.identities import KnownTokens, People
from tests.support.rounds import encoded
from tests.support.sealing import seals_of
from tests.support.services import query
from tests.support.subjects import Shown

Message = Mapping[str, Any] | bytes


class Desk:
    """A service, whoever calls it, and what it reads."""

    def __init__(self, manifest: Manifest, context: ServiceContext, client: AppClient) -> None:
        self.manifest = manifest
        self.context = context
        self.client = client
        self._offsets = count()
        self._keys = count(1)
        self.shown = Shown(manifest.name)
        """What people who approve were shown: another process may have it, too, where an approval is sent again."""
        self._consumers: dict[str, Consumer] = {}
        self.records: list[InputRecord] = []
        """What was read, in its order: what a cluster would still hold."""

    # --- HTTP ---

    def get(self, path: str, *, person: str | None, **headers: str) -> httpx.Response:
        """Read something; without a person, without a token."""
        return self.client.get(path, headers=_token(person) | headers)

    def post(self, path: str, body: Any = None, *, person: str | None, key: str | None = None) -> httpx.Response:
        """Send a command, under a new key unless one is given; an approval, of what the person is shown."""
        key = key or f"key-{next(self._keys)}"
        body = self.shown.with_subject(lambda subject: self.get(subject, person=person), path, body, key)
        return self.client.post(path, json=body, headers=_token(person) | {"Idempotency-Key": key})

    # --- topics ---

    def feed(
        self,
        topic: str,
        *messages: Message,
        partition: int = 0,
        signer: Signer | None = None,
        device: str | None = None,
        headers: Mapping[str, bytes] | None = None,
    ) -> None:
        """Read records of a topic as one batch, each keyed by its source, with these headers.

        They are signed by a service where there is a signer, by a device where its key is named.
        """
        self.client.run(self._feed(topic, messages, partition, signer, device, headers or {}))

    def consumer(self, topic: str) -> Consumer:
        """Return what reads a topic, after it was fed."""
        return self._consumers[topic]

    def restart(self) -> None:
        """Forget what reads topics, as when the process ends: the next that is fed takes its partitions over."""
        self._consumers.clear()

    async def _feed(
        self,
        topic: str,
        messages: Sequence[Message],
        partition: int,
        signer: Signer | None,
        device: str | None,
        headers: Mapping[str, bytes],
    ) -> None:
        consumer = await self._reading(topic, partition)
        now = self.context.clock()
        records = [InputRecord(topic, partition, next(self._offsets), *_record(one), now) for one in messages]
        if signer is not None:
            records = [replace(one, headers=_signature(signer, one)) for one in records]
        if device is not None:
            records = [replace(one, headers=((DEVICE, signed(one.value, device, topic=topic)),)) for one in records]
        records = [replace(one, headers=(*one.headers, *headers.items())) for one in records]
        self.records += records
        await consumer.handle(records)

    async def _reading(self, topic: str, partition: int) -> Consumer:
        """Return what reads a topic, with the partition assigned."""
        consumer = self._consumers.get(topic)
        if consumer is None:
            [handler] = [made for made in (reader() for reader in self.manifest.readers) if made.topic == topic]
            async with self.context.pools.background.begin() as connection:
                read = TopicIdentity(topic, "test", f"id of {topic}")
                await first_input(connection, self.context.tables, read, self.context.clock())
            consumer = self._consumers[topic] = Consumer(self.context, handler, read.log)
        if partition not in consumer.positions:
            await consumer.assigned([partition])
        return consumer

    def read_from(self, offset: int) -> None:
        """Give the next record this offset: where an earlier desk on the same database has ended."""
        self._offsets = count(offset)

    def deliver(self, replay: Replay, *, received_at: datetime | None = None) -> None:
        """Read what the outbox was given, as the broker would hand it over, which may say when it received it."""
        self.client.run(self._deliver(replay, received_at))

    async def _deliver(self, replay: Replay, received_at: datetime | None) -> None:
        headers = tuple((name, text.encode() if isinstance(text, str) else text) for name, text in replay.headers)
        partition, now = replay.partition or 0, received_at or self.context.clock()
        record = InputRecord(replay.topic, partition, next(self._offsets), replay.key, replay.value, now, headers)
        record = replace(record, by_broker=received_at is not None)
        self.records.append(record)
        await (await self._reading(replay.topic, partition)).handle([record])

    # --- the journal ---

    def quarantined(self) -> list[str]:
        """Return why records wait in quarantine."""

        async def read() -> list[str]:
            q = self.manifest.journal.quarantine
            async with self.context.pools.background.connect() as connection:
                rows = await connection.execute(q.select().where(q.c.resolved_at.is_(None)).order_by(q.c.id))
                return [row.reason for row in rows]

        return self.client.run(read())

    def balances(self) -> dict[tuple[str, str, str], int]:
        """Return the cents of the accounts that hold something, by table, wager and leg."""

        async def read() -> dict[tuple[str, str, str], int]:
            async with self.context.pools.background.connect() as connection:
                found = await balances(connection, self.manifest.journal)
            return {(one.account.table, one.account.wager, one.account.leg): one.cents for one in found if one.cents}

        return self.client.run(read())

    def entries(self) -> list[Entry]:
        """Return all that the journal holds, verified, shard by shard."""

        async def read() -> list[Entry]:
            journal = self.manifest.journal
            async with self.context.pools.background.connect() as connection:
                shards = await read_shards(connection, journal)
                for shard in shards:
                    assert [] == [one async for one in verify_shard(connection, journal, shard, Verified(shard.name))]
                return [one for shard in shards async for one in read_entries(connection, journal, shard.shard)]

        return self.client.run(read())

    def facts(self, *kinds: str) -> list[Fact]:
        """Return the recorded facts of these kinds, shard by shard; of none given, all."""
        return [
            decode_fact(entry.draft.kind, entry.draft.data)
            for entry in self.entries()
            if not kinds or entry.draft.kind in kinds
        ]

    # --- the read model ---

    def read_model(self, url: str) -> dict[str, list[Any]]:
        """Return every row that follows from the journal, by table."""
        tables = self.manifest.projector.tables
        return {str(table): query(url, f"SELECT t::text FROM {table} t ORDER BY 1") for table in tables}

    def project_again(self, url: str, *batches: Sequence[Entry]) -> None:
        """Empty the read model, and project batches of entries in this order, as the owner of the tables."""
        self.client.run(self._project_again(url, batches))

    async def _project_again(self, url: str, batches: Iterable[Sequence[Entry]]) -> None:
        projector, engine = self.manifest.projector, create_engine(url, role="postgres")
        async with engine.begin() as connection:
            await connection.execute(text("SET CONSTRAINTS ALL DEFERRED"))
            for table in projector.tables:
                await connection.execute(delete(table))
            for entries in batches:
                recorded = [(entry, decode_fact(entry.draft.kind, entry.draft.data)) for entry in entries]
                await projector.project(Transaction(connection), recorded)
        await engine.dispose()


@contextmanager
def desk_of(
    manifest: Manifest,
    url: str,
    *,
    people: People,
    clock: Clock,
    outbox: ReplayOutbox | None = None,
    properties: Mapping[str, Sequence[str]] | None = None,
    signer: Signer | None = None,
    seals: Seals | None = None,
    pools: Pools | None = None,
    settings: Settings | None = None,
    witness: HighWaterSource | None = None,
) -> Iterator[Desk]:
    """Give a service on a database, for these people; what it sends to Kafka itself goes into the outbox, signed.

    `properties` are those for which a person works; without it, everybody works for all. Without `pools`, one has all
    connections.
    """
    pools = pools or Pools.of_one(create_engine(url, role=manifest.schema))
    behind = {("settlements", 0): 0.0}  # nothing waits
    context = context_of(
        manifest,
        settings or Settings(database_url=SecretStr(url)),
        pools,
        witness=witness,
        clock=clock,
        outbox=outbox,
        signer=signer,
        seals=seals or seals_of(manifest.name),
        behind=lambda: behind,
    )
    with AppClient(application(manifest, context, identities=KnownTokens(people, properties))) as client:
        yield Desk(manifest, context, client)
        client.run(context.commands.close())
        client.run(pools.dispose())


def _token(person: str | None) -> dict[str, str]:
    return {} if person is None else {"Authorization": f"Bearer token of {person}"}


def _signature(signer: Signer, record: InputRecord) -> tuple[tuple[str, bytes | None], ...]:
    [proof] = sign_batch(signer, [message_bytes(record.topic, record.key, record.value)])
    return ((HEADER, proof),)


def _record(message: Message) -> tuple[bytes | None, bytes]:
    return (None, message) if isinstance(message, bytes) else (str(message["source"]).encode(), encoded(message))
