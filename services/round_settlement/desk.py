"""What round settlement does by itself: have corrections take effect that two people stand for.

An approved correction goes to `table.events` behind what its table reported, at least once: also after a crash, for it
is looked for until its settlement is recorded. Its place in the desk stream of the table has it settled once.
"""

from typing import Final

from services.round_settlement.queries.corrections import waiting_corrections
from services.round_settlement.tables import journal
from shared.contracts.corrections import CorrectionApproved, event_of
from shared.contracts.envelope import CONTENT_TYPE, encode, table_source
from shared.contracts.topics import TABLE_EVENTS
from shared.journal.quarantine import partition_of
from shared.runtime.background.periodic import every
from shared.runtime.commands.record_replay import Replay
from shared.runtime.database import snapshot
from shared.runtime.service.service_context import ServiceContext

_SECONDS: Final = 1.0


class ApprovedSender:
    """Send approved corrections to the topic of the tables, each once in the life of a process."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context
        self._sent: set[tuple[str, int]] = set()

    async def send(self) -> int:
        """Send what has not taken effect; return how many. Raises: NotSent where Kafka does not answer."""
        async with snapshot(self._context.pools.commands) as connection:
            waiting = await waiting_corrections(connection)
        self._sent &= {_key(approved) for approved in waiting}
        new = [approved for approved in waiting if _key(approved) not in self._sent]
        if new:
            cluster = await self._context.outbox.cluster_id()
            for approved in new:
                await self._context.outbox.send(await self._message(approved, cluster))
                self._sent.add(_key(approved))
        return len(new)

    async def _message(self, approved: CorrectionApproved, cluster: str) -> Replay:
        """Return the event on the partition of the table's own; the key decides where it has none on this cluster."""
        stream = table_source(approved.property, approved.table)
        async with snapshot(self._context.pools.commands) as connection:
            partition = await partition_of(connection, journal, TABLE_EVENTS.name, stream, cluster)
        headers = [("content-type", CONTENT_TYPE)]
        return Replay(TABLE_EVENTS.name, partition, stream.encode(), encode(event_of(approved)), headers)


def _key(approved: CorrectionApproved) -> tuple[str, int]:
    return (approved.property, approved.correction)


async def watch(context: ServiceContext) -> None:
    """Send what is approved until cancelled."""
    await every(_SECONDS, ApprovedSender(context).send, "approved corrections wait")
