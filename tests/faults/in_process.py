"""A service in the process of the test: its consumers without a broker, its HTTP interface without a socket."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import Any

from shared.journal.topic_identity import TopicIdentity, first_input
from shared.journal.verification import VerificationProblem, Verified, read_shards, verify_shard
from shared.runtime.database import Pools
from shared.runtime.ingest.consumer import Consumer
from shared.runtime.ingest.handler import InputRecord
from shared.runtime.process.run import application, context_of
from shared.runtime.service.service_context import ServiceContext
from shared.runtime.settings import Settings
from tests.faults.subject import Message, Subject
from tests.support import Databases
from tests.support.asgi import AppClient
from tests.support.engines import create_engine
from tests.support.identities import KnownTokens
from tests.support.rounds import encoded
from tests.support.services import migrate
from tests.support.subjects import Shown
from tests.support.worker import MOMENT

TAKEN = datetime(2026, 11, 20, 9, tzinfo=UTC)
"""When the records that no broker took were taken."""


def records_of(topics: Mapping[str, Sequence[Message]]) -> list[InputRecord]:
    """The records as a broker with one partition a topic would have them."""
    found = []
    for topic, messages in topics.items():
        for offset, message in enumerate(messages):
            key, value = message if isinstance(message, tuple) else (message["source"].encode(), encoded(message))
            found.append(InputRecord(topic, 0, offset, key, value, TAKEN))
    return found


class Reader:
    """The consumers of a service's topics, as one process has them: all partitions of the records are its own."""

    def __init__(self, consumers: Mapping[str, Consumer], records: Iterable[InputRecord], size: int) -> None:
        self._consumers = consumers
        self._size = size
        self._coming: dict[tuple[str, int], list[InputRecord]] = {}
        for record in sorted(records, key=lambda record: record.offset):
            self._coming.setdefault((record.topic, record.partition), []).append(record)
        self._positions: dict[tuple[str, int], int] = {}

    async def assign(self) -> None:
        """Takes the partitions over, where the database says."""
        for topic, partition in self._coming:
            offsets = await self._consumers[topic].assigned([partition])
            self._positions[topic, partition] = offsets[partition]

    async def read(self) -> None:
        """Reads every partition to its end, one topic after the other, in batches of at most `size` records."""
        for topic, consumer in self._consumers.items():
            for place, records in self._coming.items():
                while place[0] == topic and (left := records[self._positions[place] :][: self._size]):
                    rewind = await consumer.handle(left)
                    self._positions[place] = rewind.get(place[1], self._positions[place] + len(left))


@asynccontextmanager
async def reader(
    subject: Subject,
    url: str,
    records: Iterable[InputRecord],
    *,
    cluster_id: str = "test",
    size: int = 20,
    topic_id: Callable[[str], str] = "id of {}".format,
) -> AsyncIterator[Reader]:
    """A process that reads the records, of each partition all from offset 0."""
    async with _context(subject, url) as context:
        handlers = [handler() for handler in (*subject.manifest.references, *subject.manifest.handlers)]
        async with context.pools.background.begin() as connection:
            for handler in handlers:
                found = TopicIdentity(handler.topic, cluster_id, topic_id(handler.topic))
                await first_input(connection, context.tables, found, context.clock())
        consumers = {handler.topic: Consumer(context, handler, cluster_id) for handler in handlers}
        process = Reader(consumers, records, size)
        await process.assign()
        yield process


def read(subject: Subject, url: str, records: Iterable[InputRecord], **how: Any) -> None:
    """Reads the records, of each partition all from offset 0 or from where it was left: as `reader`."""

    async def main() -> None:
        async with reader(subject, url, records, **how) as process:
            await process.read()

    asyncio.run(main())


@asynccontextmanager
async def _context(subject: Subject, url: str) -> AsyncIterator[ServiceContext]:
    engine = create_engine(url, role=subject.schema)
    try:
        yield context_of(subject.manifest, Settings(), Pools.of_one(engine), clock=lambda: MOMENT, seals=subject.seals)
    finally:
        await engine.dispose()


def problems(subject: Subject, url: str) -> list[VerificationProblem]:
    """What is wrong with the service's journal."""

    async def verify() -> list[VerificationProblem]:
        async with _context(subject, url) as context, context.pools.background.connect() as connection:
            tables = subject.manifest.journal
            return [
                problem
                for shard in await read_shards(connection, tables)
                async for problem in verify_shard(connection, tables, shard, Verified(shard.name))
            ]

    return asyncio.run(verify())


@contextmanager
def desk(subject: Subject, url: str) -> Iterator[AppClient]:
    """The HTTP interface of the service."""
    engine = create_engine(url, role=subject.schema)
    context = context_of(subject.manifest, Settings(), Pools.of_one(engine), clock=lambda: MOMENT, seals=subject.seals)
    with AppClient(application(subject.manifest, context, identities=KnownTokens(subject.people))) as client:
        yield client
        client.run(engine.dispose())


def database(subject: Subject, databases: Databases, *, commands: bool = True) -> str:
    """The URL of a database as the records find it: after the commands, or, without them, just migrated."""
    name = f"{subject.name}{', sealed,' if subject.seals else ''} {'after' if commands else 'before'} its commands"

    def fill(url: str) -> None:
        migrate(url, subject.name)
        if not commands or not subject.commands:
            return
        read(subject, url, records_of(subject.references), cluster_id="before")
        shown = Shown(subject.name)
        with desk(subject, url) as client:
            for number, ask in enumerate(subject.commands):
                headers = ask.headers(f"k-{number}")
                body = shown.with_subject(partial(client.get, headers=headers), ask.path, ask.body, f"k-{number}")
                answer = client.post(ask.path, json=body, headers=headers)
                assert ask.status == answer.status_code, (ask, answer.text)

    databases.prepare(name, fill)
    return databases.create(name)
