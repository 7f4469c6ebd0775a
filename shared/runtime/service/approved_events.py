"""Send events that put approved changes into effect, after the table's own events, at least once.

An approved event is sent again, also after a crash, until its effect is recorded. Its position in the desk's stream
makes a duplicate harmless.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.envelope import CONTENT_TYPE, Event, encode
from shared.contracts.topics import Topic
from shared.journal.quarantine import partition_of
from shared.journal.tables import JournalTables
from shared.runtime.commands.record_replay import Replay
from shared.runtime.database import snapshot
from shared.runtime.service.service_context import ServiceContext


@dataclass(frozen=True, slots=True)
class ApprovedEvent:
    """An event of the desk, and the table's stream that it belongs to."""

    event: Event[Any]
    stream: str


Waiting = Callable[[AsyncConnection], Awaitable[Sequence[ApprovedEvent]]]
"""Return approved events without effect so far, in order."""


class ApprovedSender:
    """Send approved events to a topic, each once in the life of a process."""

    def __init__(self, context: ServiceContext, topic: Topic, journal: JournalTables, waiting: Waiting) -> None:
        self._context = context
        self._topic = topic
        self._journal = journal
        self._waiting = waiting
        self._sent: set[tuple[str, int]] = set()

    async def send(self) -> int:
        """Send the events without effect so far; return their number. Raises: NotSent if Kafka does not answer."""
        async with snapshot(self._context.pools.commands) as connection:
            waiting = await self._waiting(connection)
        self._sent &= {_key(approved) for approved in waiting}
        new = [approved for approved in waiting if _key(approved) not in self._sent]
        if new:
            cluster = await self._context.outbox.cluster_id()
            for approved in new:
                await self._context.outbox.send(await self._message(approved, cluster))
                self._sent.add(_key(approved))
        return len(new)

    async def _message(self, approved: ApprovedEvent, cluster: str) -> Replay:
        """Return the record for the table's own partition; the key decides if the table has none on this cluster."""
        topic, stream = self._topic.name, approved.stream
        async with snapshot(self._context.pools.commands) as connection:
            partition = await partition_of(connection, self._journal, topic, stream, cluster)
        headers = [("content-type", CONTENT_TYPE)]
        return Replay(topic, partition, stream.encode(), encode(approved.event), headers)


def _key(approved: ApprovedEvent) -> tuple[str, int]:
    return (approved.event.source, approved.event.sequence)
