"""Send the events that put approved changes into effect, after the table's own events, at least once.

The changes are those that one person entered in the service and another approved. An approved event is sent again, also
after a crash, until its effect is recorded. Its position in the table's desk stream makes a duplicate harmless.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.envelope import CONTENT_TYPE, Event, encode
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.topics import Topic
from shared.journal.entry import Entry
from shared.journal.quarantine import partition_of
from shared.journal.shard import Unsealed
from shared.journal.tables import JournalTables
from shared.journal.verification import require_sealed
from shared.runtime.commands.record_replay import Replay
from shared.runtime.database import seals_of, snapshot
from shared.runtime.service.service_context import ServiceContext


@dataclass(frozen=True, slots=True)
class ApprovedEvent:
    """An event that people entered and approved in the service, and the `stream` of the same table's own events."""

    event: Event[Any]
    stream: str


EventPlace = tuple[str, int]
"""(source, sequence): the position of an event in its stream."""

Waiting = Callable[[AsyncConnection], Awaitable[Sequence[ApprovedEvent]]]
"""Return the approved events whose effect has not been recorded yet, in order."""


class ApprovedSender:
    """Sends approved events to a topic, each once during the lifetime of the process."""

    def __init__(self, context: ServiceContext, topic: Topic, journal: JournalTables, waiting: Waiting) -> None:
        self._context = context
        self._topic = topic
        self._journal = journal
        self._waiting = waiting
        self._sent: set[EventPlace] = set()

    async def send(self) -> int:
        """Send the events whose effect is not recorded yet; return the number sent. Raises: NotSent."""
        async with snapshot(self._context.pools.commands) as connection:
            waiting = await self._waiting(connection)
            refused = await refused_events(connection, self._journal, waiting)
        waiting = [one for one in waiting if _key(one.event) not in refused]
        self._sent &= {_key(approved.event) for approved in waiting}
        new = [approved for approved in waiting if _key(approved.event) not in self._sent]
        if new:
            cluster = await self._context.outbox.cluster_id()
            for approved in new:
                await self._context.outbox.send(await self._message(approved, cluster))
                self._sent.add(_key(approved.event))
        return len(new)

    async def _message(self, approved: ApprovedEvent, cluster: str) -> Replay:
        """Return the record to send, addressed to the partition of the table's own events.

        If the partition is unknown on this cluster, the record's key determines it.
        """
        topic, stream = self._topic.name, approved.stream
        async with snapshot(self._context.pools.commands) as connection:
            partition = await partition_of(connection, self._journal, topic, stream, cluster)
        headers = [("content-type", CONTENT_TYPE)]
        return Replay(topic, partition, stream.encode(), encode(approved.event), headers)


async def require_approved(connection: AsyncConnection, tables: JournalTables, approvals: Collection[Entry]) -> None:
    """Check that the approvals in the journal are as the service recorded them.

    This prevents someone who can write to the database, but does not have the service's key, from forging an approval.
    Raises: Rejected, which halts the partition.
    """
    if (seals := seals_of(connection)) is None:
        return
    try:
        await require_sealed(connection, tables, approvals, seals)
    except Unsealed as error:
        detail = f"what two people approved is not as the service recorded it: {error}; keep the database as it is"
        raise Rejected(Reason.NOT_AS_RECORDED, detail) from error


async def refused_events(
    connection: AsyncConnection, tables: JournalTables, approved: Collection[ApprovedEvent]
) -> Mapping[EventPlace, bool]:
    """Return position -> whether the quarantined record is resolved, for the approved events that were quarantined.

    Whole records are compared, including their keys, because any writer of the topic could send a different event with
    the same source and sequence, or the same event under a different key.
    """
    q = tables.quarantine.c
    said = [(*_key(one.event), encode(one.event), one.stream.encode()) for one in approved]
    if not said:
        return {}
    query = select(q.source, q.sequence, q.resolved_at).where(tuple_(q.source, q.sequence, q.value, q.key).in_(said))
    refused: dict[EventPlace, bool] = {}
    for source, sequence, resolved_at in await connection.execute(query):
        refused[source, sequence] = refused.get((source, sequence), True) and resolved_at is not None
    return refused


async def dismissed_events(
    connection: AsyncConnection, tables: JournalTables, approved: Collection[ApprovedEvent]
) -> set[EventPlace]:
    """Return the positions of the approved events that were quarantined and then dismissed."""
    return {place for place, closed in (await refused_events(connection, tables, approved)).items() if closed}


def _key(event: Event[Any]) -> EventPlace:
    return (event.source, event.sequence)
