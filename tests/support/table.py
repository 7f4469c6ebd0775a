"""One partition of `table.events` in round settlement, without a broker: what consumes it, and what is recorded."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from services.round_settlement.handlers import KnownProperties, Submissions, TableEvents
from services.round_settlement.projector import PROJECTOR
from services.round_settlement.tables import journal
from shared.journal.ledger import Ledger
from shared.journal.topic_identity import TopicIdentity, first_input
from shared.journal.verification import Verified, read_shards, verify_shard
from shared.runtime.clock import Clock, Step, no_step
from shared.runtime.context import RuntimeContext
from shared.runtime.database import Pools
from shared.runtime.ingest.consumer import Consumer
from shared.runtime.ingest.handler import Handler, InputRecord
from shared.runtime.metrics import Metrics
from shared.runtime.settings import Settings
from tests.support.engines import create_engine
from tests.support.properties import property_event
from tests.support.rounds import encoded, submission
from tests.support.sealing import seals_of
from tests.support.services import query

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
POSTED = "settlement.posted"


class Table:
    """A partition of `table.events`, and what consumes it."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine
        self.metrics = Metrics()
        self._offset = 0

    def consumer(
        self,
        *,
        step: Step = no_step,
        handler: Handler[Any] | None = None,
        seconds: float = 10,
        clock: Clock = lambda: NOON,
    ) -> Consumer:
        """A consumer of the partition, as one process has it."""
        context = RuntimeContext(
            service="round-settlement",
            settings=Settings(retry_seconds_max=seconds),
            pools=Pools.of_one(self.engine),
            ledger=Ledger(journal, seals_of("round-settlement")),
            projector=PROJECTOR,
            metrics=self.metrics,
            clock=clock,
            step=step,
        )
        return Consumer(context, handler or TableEvents(), "test")

    def records(self, *events: Mapping[str, Any] | bytes) -> list[InputRecord]:
        """The next records of the partition."""
        made = []
        for event in events:
            key = None if isinstance(event, bytes) else event["source"].encode()
            value = event if isinstance(event, bytes) else encoded(event)
            made.append(InputRecord("table.events", 0, self._offset, key, value, NOON))
            self._offset += 1
        return made

    async def learn(self) -> None:
        """Reads the property and its submission."""
        for handler, document in ((KnownProperties(), property_event()), (Submissions(), submission())):
            async with self.engine.begin() as connection:
                await first_input(connection, journal, TopicIdentity(handler.topic, "test", "its id"), NOON)
            reader = self.consumer(handler=handler)
            await reader.assigned([0])
            await reader.handle([InputRecord(handler.topic, 0, 0, None, encoded(document), NOON)])

    async def owner(self, **options: Any) -> Consumer:
        """A consumer that owns the partition."""
        consumer = self.consumer(**options)
        await consumer.assigned([0])
        return consumer


def play_at(url: str, play: Callable[[Table], Awaitable[None]]) -> None:
    async def main() -> None:
        engine = create_engine(url, role="round_settlement")
        try:
            table = Table(engine)
            await table.learn()
            await play(table)
            async with engine.connect() as connection:
                for shard in await read_shards(connection, journal):
                    found = [p async for p in verify_shard(connection, journal, shard, Verified(shard.name))]
                    assert [] == found
        finally:
            await engine.dispose()

    asyncio.run(main())


def kinds(url: str) -> list[tuple[str, int]]:
    """The entries in order: what they are, and the sequence that caused them."""
    rows = query(url, "SELECT kind, sequence FROM round_settlement.entries ORDER BY shard, seq")
    return [(kind, sequence) for kind, sequence in rows]


def quarantine(url: str) -> list[tuple[str, bytes, bool]]:
    """Reason, bytes and whether it is open, of every record in quarantine."""
    statement = "SELECT reason, value, resolved_at IS NULL FROM round_settlement.quarantine ORDER BY id"
    return [(reason, bytes(value), is_open) for reason, value, is_open in query(url, statement)]


def chips(url: str) -> int:
    """What the tables gained in chips, cents."""
    statement = """SELECT coalesce(sum(cents), 0)::bigint FROM round_settlement.postings
                   JOIN round_settlement.accounts USING (account) WHERE leg = 'chips'"""
    return int(query(url, statement)[0][0])
