"""The read model of reporting: what a batch changes in it, one statement for each table, however many rows."""

from collections.abc import Sequence
from datetime import UTC
from typing import Any, Final

from sqlalchemy import func
from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting.domain.changes import Changes, Closing, EntryRef, FilledGap, Noticed
from services.reporting.domain.daily_win import RoundCounts
from services.reporting.tables import (
    OF_JOURNALS,
    closings,
    exceptions,
    facts,
    filled_gaps,
    game_days,
    journal,
    submission_days,
    wager_days,
)
from shared.contracts.journal_facts import CommandRefused
from shared.contracts.wager_totals import FIGURES
from shared.journal.bulk import added, excluded, insert, keyed
from shared.journal.entry import Entry
from shared.journal.recording import Recorded
from shared.runtime.projector import Projector, Transaction

_COUNTS = RoundCounts.__slots__
_CHANGED = {"changed_at": func.greatest(game_days.c.changed_at, excluded(game_days).changed_at)}

_ADD_SUMS = insert(wager_days, on_conflict=added(wager_days, *FIGURES))
_ADD_HANDLES = insert(submission_days, on_conflict=added(submission_days, "handle_cents"))
_ADD_ROUNDS = insert(game_days, on_conflict=added(game_days, *_COUNTS) | _CHANGED)
_ADD_EXCEPTIONS = insert(exceptions)
_ADD_FILLED_GAPS = insert(filled_gaps)
_ADD_FACTS = insert(facts)
_ADD_CLOSINGS = insert(closings, on_conflict="skip")


async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
    """Add what reporting's own journal says: what is missing or refused in its input is an exception too."""
    changes = Changes(journal.schema)
    for entry, fact in recorded:
        reference = EntryRef(journal.schema, entry.shard, entry.seq, entry.hash.hex(), entry.recorded_at)
        changes.add_fact(reference, entry.draft.occurred_at, fact)
    await write(transaction.connection, changes)
    refused = [_refused(entry, fact) for entry, fact in recorded if isinstance(fact, CommandRefused)]
    await _ADD_FACTS.write(transaction.connection, refused)


def _refused(entry: Entry, fact: CommandRefused) -> dict[str, Any]:
    """Return the row of a command that reporting itself refused; the day is UTC's, for it is about no gaming day."""
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
        "gaming_day": fact.at.astimezone(UTC).date(),
        "data": fact.encode().decode(),
    }


PROJECTOR: Final = Projector(tables=(*OF_JOURNALS, facts), project=project)


async def write(connection: AsyncConnection, changes: Changes) -> None:
    """Add the changes of a batch, in the caller's transaction.

    Rows are written in the order of their keys, so that two consumers cannot wait for each other.
    """
    await _ADD_SUMS.write(connection, keyed(_ADD_SUMS, ((*key, *sums) for key, sums in sorted(changes.sums.items()))))
    handles = keyed(_ADD_HANDLES, ((*key, cents) for key, cents in sorted(changes.handles.items())))
    await _ADD_HANDLES.write(connection, handles)
    rounds = (
        (*key, *(getattr(n, name) for name in _COUNTS), changes.changed[key]) for key, n in changes.rounds.items()
    )
    await _ADD_ROUNDS.write(connection, keyed(_ADD_ROUNDS, sorted(rounds)))
    await _ADD_EXCEPTIONS.write(connection, [_row(noticed) for noticed in changes.noticed])
    await _ADD_FILLED_GAPS.write(connection, [_row(filled) for filled in changes.filled_gaps])
    await _ADD_CLOSINGS.write(connection, [_row(closing) for closing in changes.closings])


def _row(said: Noticed | FilledGap | Closing) -> dict[str, Any]:
    """Return what an entry says as a row: the entry, and the other fields by their names."""
    return said.entry._asdict() | said.model_dump(exclude={"entry"})
