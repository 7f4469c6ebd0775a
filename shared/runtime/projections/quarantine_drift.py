"""Compare the quarantine of a service with the journal entries about it."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.journal_facts import DismissedTogether, QuarantineDismissed, RecordMended, RecordQuarantined
from shared.contracts.topics import TOPICS
from shared.journal.fact_replay import with_fact_or_why
from shared.journal.quarantine import properties_of_record, quarantine_entries
from shared.journal.recording import Recorded
from shared.journal.tables import JournalTables
from shared.runtime.differences import ComparedTable, compare_rows
from shared.runtime.ingest.batch import CONFLICT
from shared.runtime.ingest.ingest_facts import readable

_AS_SAID: Final = ("topic", "partition", "offset", "source", "sequence", "reason")
_PUBLISHED: Final = frozenset(topic.name for topic in TOPICS if topic.publisher is not None)
_AT_ONCE: Final = 100

_Place = tuple[Any, ...]
_Rows = dict[_Place, dict[str, Any]]


async def compare_quarantine(journal: JournalTables, connection: AsyncConnection) -> ComparedTable:
    """Compare the quarantine with the entries that quarantined, repaired or dismissed records.

    Every column of a row follows from its entries and its bytes, except the record's number and signature.
    """
    facts = [with_fact_or_why(entry) for entry in await quarantine_entries(connection, journal)]
    was: _Rows = {}
    found = await connection.stream(select(journal.quarantine).order_by(journal.quarantine.c.id))
    async for part in found.partitions(_AT_ONCE):
        was |= {(row.shard, row.seq): _as_it_is(row) for row in part}
    return compare_rows(journal.quarantine.name, ("shard", "seq"), was, _as_told(facts))


def _as_it_is(row: Any) -> dict[str, Any]:
    listed = sorted(properties_of_record(row.source, row.key, row.value)) == row.listed_under
    return {name: getattr(row, name) for name in (*_AS_SAID, "stops", "quarantined_at", "resolved_at")} | {
        "key": readable(row.key),
        "sha256": sha256(row.value).hexdigest(),
        "listed": listed,
    }


def _as_told(facts: Iterable[Recorded]) -> _Rows:
    refused: _Rows = {}
    closed: dict[_Place, datetime] = {}
    for entry, fact in facts:
        if isinstance(fact, RecordQuarantined):
            said = {name: getattr(fact, name) for name in (*_AS_SAID, "key", "sha256")}
            stops = fact.reason.startswith(CONFLICT) and fact.topic in _PUBLISHED
            known = {"stops": stops, "quarantined_at": entry.recorded_at, "listed": True}
            refused[entry.shard, entry.seq] = said | known
        for place in _closed_by(fact):
            closed[place] = min(entry.recorded_at, closed.get(place, entry.recorded_at))
    return {place: row | {"resolved_at": closed.get(place)} for place, row in refused.items()}


def _closed_by(fact: Any) -> Iterator[_Place]:
    """Yield the (shard, seq) of the quarantine entries that a fact closes."""
    match fact:
        case RecordMended():
            yield from ((place.shard, place.seq) for place in fact.entries)
        case QuarantineDismissed():
            yield fact.shard, fact.seq
        case DismissedTogether():
            for one in fact.closed:
                yield from one.places()
