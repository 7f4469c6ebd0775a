"""What reporting reads: the journal of round settlement, entry by entry, and the rules submissions for reference."""

import contextlib
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Table, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from services.reporting import projection
from services.reporting.domain import Changes, EntryRef
from services.reporting.events import FACTS, decode
from services.reporting.house_edges import HouseEdge, count_edges, write_edges
from services.reporting.tables import closings, journal, submissions
from shared.contracts import settlement_events
from shared.contracts.settlement_reading import EntryOfPublisher
from shared.contracts.submissions import SubmissionApprovedEvent, SubmissionEvent
from shared.journal.entry import Draft, Entry
from shared.journal.reading import read_entry
from shared.rules.errors import Refused
from shared.runtime.consume import submissions as runtime_submissions
from shared.runtime.consume.consumer import Clock
from shared.runtime.consume.handler import Record

SERVICE_NAME = "reporting"


class Settlements:
    """Adds settlements to the reports. Ordinary settlements lead to no entries; the sums are a projection."""

    topic = settlement_events.TOPIC

    def decode(self, record: Record) -> EntryOfPublisher[Any]:
        return decode(record.value)

    async def open(self, connection: AsyncConnection, events: Sequence[EntryOfPublisher[Any]]) -> "_Batch":
        del connection, events
        return _Batch()


class _Batch:
    """The changes of one batch."""

    def __init__(self) -> None:
        self._changes = Changes()

    def derive(self, event: EntryOfPublisher[Any], record: Record) -> Sequence[Draft]:
        del record
        self._changes.add(event)
        return ()

    async def save(self, connection: AsyncConnection, entries: Sequence[Entry]) -> None:
        add_own(self._changes, entries)
        await projection.write(connection, self._changes)


class RulesSubmissions(runtime_submissions.RulesSubmissions):
    """Keeps the approved submissions, with the house edges of what they offer."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(submissions, clock)

    async def open(self, connection: AsyncConnection, events: Sequence[SubmissionEvent]) -> "_Copies":
        del connection
        copies = _Copies(self.table, self.clock)
        for event in events:
            if isinstance(event, SubmissionApprovedEvent):
                with contextlib.suppress(Refused):  # deriving refuses it, with the reason
                    runtime_submissions.check(event.data)
                    copies.edges[event.data.hash] = await count_edges(event.data)
        return copies


class _Copies(runtime_submissions.Copies):
    """The approved submissions of one batch, with the house edges of each by its hash."""

    def __init__(self, table: Table, clock: Clock) -> None:
        super().__init__(table, clock)
        self.edges: dict[str, list[HouseEdge]] = {}

    async def save(self, connection: AsyncConnection, entries: Sequence[Entry]) -> None:
        await super().save(connection, entries)
        for approved in self.approved:
            await write_edges(connection, self.edges[approved.hash])
        changes = Changes()
        add_own(changes, entries)
        await projection.write(connection, changes)


async def catch_up(engine: AsyncEngine) -> None:
    """Counts what was recorded in reporting's own journal outside of the loop: refused records that were dismissed."""
    async with engine.begin() as connection:
        await add_dismissed(connection)


async def add_dismissed(connection: AsyncConnection) -> None:
    """As `catch_up`, in the caller's transaction."""
    e, c = journal.entries.c, closings.c
    counted = select(c.seq).where(c.service == SERVICE_NAME, c.shard == e.shard, c.seq == e.seq)
    query = select(e.shard, e.seq).where(e.kind == "quarantine.dismissed", ~counted.exists())
    places = (await connection.execute(query)).all()
    if places:
        changes = Changes()
        add_own(changes, [await read_entry(connection, journal, place.shard, place.seq) for place in places])
        await projection.write(connection, changes)


def add_own(changes: Changes, entries: Sequence[Entry]) -> None:
    """Counts the facts of reporting's own journal: what is missing or refused in its input is an exception too."""
    for entry in entries:
        reference = EntryRef(SERVICE_NAME, entry.shard, entry.seq, entry.hash.hex(), entry.recorded_at)
        fact = FACTS[entry.draft.kind].model_validate_json(entry.draft.data)
        changes.add_fact(reference, entry.draft.occurred_at, fact)
