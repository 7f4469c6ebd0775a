"""Write the exceptions that entries open or close, with one SQL statement per table."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting.domain.changes import Changes, Closing, EntryRef, FilledGap, Noticed
from services.reporting.tables import (
    OF_JOURNALS,
    closings,
    exceptions,
    facts,
    filled_gaps,
    journal,
)
from shared.contracts.journal_facts import CommandRefused
from shared.journal.bulk import insert
from shared.journal.entry import Entry
from shared.journal.recording import Recorded
from shared.runtime.projector import Projector, Transaction

_ADD_EXCEPTIONS = insert(exceptions)
_ADD_FILLED_GAPS = insert(filled_gaps)
_ADD_FACTS = insert(facts)
_ADD_CLOSINGS = insert(closings, on_conflict="skip")


async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
    """Add the exceptions in reporting's own journal: missing or refused input."""
    changes = Changes(journal.schema)
    for entry, fact in recorded:
        reference = EntryRef(journal.schema, entry.shard, entry.seq, entry.hash.hex(), entry.recorded_at)
        changes.add_fact(reference, entry.draft.occurred_at, fact)
    await write(transaction.connection, changes)
    refused = [_refused(entry, fact) for entry, fact in recorded if isinstance(fact, CommandRefused)]
    await _ADD_FACTS.write(transaction.connection, refused)


def _refused(entry: Entry, fact: CommandRefused) -> dict[str, Any]:
    """Return the row for a command that reporting refused, without a gaming day: reports derive it from the time."""
    return {
        "service": journal.schema,
        "shard": entry.shard,
        "seq": entry.seq,
        "hash": entry.hash.hex(),
        "recorded_at": entry.recorded_at,
        "occurred_at": entry.draft.occurred_at,
        "kind": fact.KIND.name,
        "event": None,
        "property": fact.property,
        "table_name": None,
        "gaming_day": None,
        "contents_cents": None,
        "data": fact.encode().decode(),
    }


PROJECTOR: Final = Projector(tables=(*OF_JOURNALS, facts), project=project)


async def write(connection: AsyncConnection, changes: Changes) -> None:
    """Write a batch's changes to the list of exceptions, in the caller's transaction."""
    await _ADD_EXCEPTIONS.write(connection, [_row(noticed) for noticed in changes.noticed])
    await _ADD_FILLED_GAPS.write(connection, [_row(filled) for filled in changes.filled_gaps])
    await _ADD_CLOSINGS.write(connection, [_row(closing) for closing in changes.closings])


def _row(said: Noticed | FilledGap | Closing) -> dict[str, Any]:
    """Return the database row of a change: the columns of its entry, and the other fields by name."""
    return said.entry._asdict() | said.model_dump(exclude={"entry"})
