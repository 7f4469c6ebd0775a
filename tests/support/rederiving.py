"""A journal that is derived again, and the topics that it follows from."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from typing import Any, TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from services.round_settlement.manifest import MANIFEST
from shared.journal.entry import Entry
from shared.journal.reading import read_entries
from shared.journal.verification import Verified, read_shards, verify_shard
from shared.runtime.ingest.handler import InputRecord
from shared.runtime.rederivation.journal_rederivation import rederive
from shared.runtime.rederivation.replay_spec import TopicLacks
from shared.runtime.rederivation.replay_state import ReplayState
from tests.support.engines import create_engine
from tests.support.rounds import DAY, encoded

T = TypeVar("T")


def ticking() -> Callable[[], datetime]:
    """A clock by which each batch has a moment of its own."""
    ticks = count()
    return lambda: DAY + timedelta(minutes=2 * next(ticks))


class Books:
    """The journal of a day, and what the cluster still holds."""

    def __init__(self, url: str, records: Sequence[InputRecord]) -> None:
        self.url = url
        self.records = list(records)

    def run(self, work: Callable[[AsyncEngine, AsyncConnection], Awaitable[T]]) -> T:
        """Do some work with the database in one transaction."""

        async def connected() -> T:
            engine = create_engine(self.url, role="round_settlement")
            try:
                async with engine.begin() as connection:
                    return await work(engine, connection)
            finally:
                await engine.dispose()

        return asyncio.run(connected())

    def entries(self) -> list[Entry]:
        """All entries, after hashes, links, sums and heads were found good."""

        async def work(engine: AsyncEngine, connection: AsyncConnection) -> list[Entry]:
            journal = MANIFEST.journal
            shards = await read_shards(connection, journal)
            for shard in shards:
                assert [] == [one async for one in verify_shard(connection, journal, shard, Verified(shard.name))]
            return [one for shard in shards async for one in read_entries(connection, journal, shard.shard)]

        return self.run(work)

    def problems(self) -> list[str]:
        """What of the journal does not follow from the records."""

        async def work(engine: AsyncEngine, connection: AsyncConnection) -> list[str]:
            assert MANIFEST.rederived is not None
            with ReplayState() as memory:
                topics = Topics(self.records)
                found = rederive(connection, MANIFEST.journal, MANIFEST.name, MANIFEST.rederived(), topics, memory)
                return [problem.what async for problem in found]

        return self.run(work)

    def sent(self, event: dict[str, Any]) -> InputRecord:
        """A record that the topic has, and that the service has not read."""
        last = self.records[-1]
        key = str(event["source"]).encode()
        self.records.append(replace(last, offset=last.offset + 1, value=encoded(event), key=key, headers=()))
        return self.records[-1]


class Topics:
    """What the cluster holds, in place of a client."""

    cluster_id = "test"

    def __init__(self, records: Sequence[InputRecord], at_once: int = 3) -> None:
        self.records = list(records)
        self._at_once = at_once

    def read(self, topic: str, partition: int, first: int, end: int) -> Iterator[list[InputRecord]]:
        held = [one for one in self.records if (one.topic, one.partition) == (topic, partition)]
        found = [one for one in held if first <= one.offset < end]
        for at in range(0, len(found), self._at_once):
            yield found[at : at + self._at_once]
        if end > first and (not held or held[-1].offset + 1 < end):
            raise TopicLacks("nothing is left")
