"""The exceptions of reporting: what a batch changes in them, one statement for each table, however many rows."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting.domain.changes import Changes, Closing, EntryRef, FilledGap, Noticed
from services.reporting.tables import (
    OF_JOURNALS,
    closings,
    exceptions,
    filled_gaps,
    journal,
)
from shared.journal.bulk import Statement, column_names, insert, keyed
from shared.journal.recording import Recorded
from shared.runtime.projector import Projector, Transaction

_ADD_EXCEPTIONS = insert(exceptions, [name for name in column_names(exceptions) if not name.startswith("settled_")])
_ADD_FILLED_GAPS = insert(filled_gaps)
_ADD_CLOSINGS = insert(closings, on_conflict="skip")


async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
    """Add what reporting's own journal says: what is missing or refused in its input is an exception too."""
    changes = Changes(journal.schema)
    for entry, fact in recorded:
        reference = EntryRef(journal.schema, entry.shard, entry.seq, entry.hash.hex(), entry.recorded_at)
        changes.add_fact(reference, entry.draft.occurred_at, fact)
    await write(transaction.connection, changes)


PROJECTOR: Final = Projector(tables=OF_JOURNALS, project=project)


async def write(connection: AsyncConnection, changes: Changes) -> None:
    """Add the changes of a batch, in the caller's transaction."""
    await _ADD_EXCEPTIONS.write(connection, [_row(noticed) | _missing(noticed) for noticed in changes.noticed])
    await _ADD_FILLED_GAPS.write(connection, [_row(filled) for filled in changes.filled_gaps])
    await _ADD_CLOSINGS.write(connection, [_row(closing) for closing in changes.closings])
    await _follow_up(connection, changes)


def _row(said: Noticed | FilledGap | Closing) -> dict[str, Any]:
    """Return what an entry says as a row: the entry, and the other fields by their names."""
    return said.entry._asdict() | said.model_dump(exclude={"entry"})


def _missing(noticed: Noticed) -> dict[str, str | None]:
    """Return what is missing of a gap, of which nothing has come yet."""
    return {"missing": f"{{[{noticed.first},{noticed.last}]}}" if noticed.kind == "gap" else None}


async def _follow_up(connection: AsyncConnection, changes: Changes) -> None:
    """Settle what is to be settled, whether it or what settles it came first."""
    gaps = [(noticed.stream, noticed.first, noticed.last) for noticed in changes.noticed if noticed.kind == "gap"]
    gaps += [(filled.stream, filled.sequence, filled.sequence) for filled in changes.filled_gaps]
    await _SHRINK_GAPS.write(connection, keyed(_SHRINK_GAPS, gaps))
    refused = [one.entry[:3] for one in changes.noticed if one.kind == "quarantined"]
    refused += [(one.entry.service, one.closed_shard, one.closed_seq) for one in changes.closings]
    await _SETTLE_REFUSED.write(connection, keyed(_SETTLE_REFUSED, refused))
    rounds = [
        (one.property, one.table_name, one.round_id, one.revision)
        for one in changes.noticed
        if one.kind in ("notice", "reversed")
    ]
    await _TAKE_BACK_NOTICES.write(connection, keyed(_TAKE_BACK_NOTICES, rounds))


# The gaps of a stream do not overlap: the one that begins last before a sequence is the only one that can hold it.
_SHRINK_GAPS = Statement(
    """
    WITH arrived AS (
        SELECT gap.service, gap.shard, gap.seq, max(s.at) AS at,
               range_agg(int8range(s.sequence, s.sequence, '[]')) AS sequences
        FROM json_to_recordset(%(rows)s::json) AS touched (stream text, first bigint, last bigint)
        CROSS JOIN LATERAL (
            SELECT e.service, e.shard, e.seq, e.last FROM reporting.exceptions e
            WHERE e.kind = 'gap' AND e.stream = touched.stream AND e.first <= touched.first
            ORDER BY e.first DESC LIMIT 1) gap
        JOIN reporting.filled_gaps s ON s.stream = touched.stream AND s.sequence BETWEEN touched.first AND touched.last
        WHERE touched.first <= gap.last
        GROUP BY gap.service, gap.shard, gap.seq)
    UPDATE reporting.exceptions e
    SET missing = e.missing - arrived.sequences,
        status = CASE WHEN isempty(e.missing - arrived.sequences) THEN 'filled' ELSE 'open' END,
        settled_at = greatest(e.settled_at, arrived.at)
    FROM arrived
    WHERE (e.service, e.shard, e.seq) = (arrived.service, arrived.shard, arrived.seq)""",
    ("stream", "first", "last"),
)

# A refused record is closed by the first entry that says so.
_SETTLE_REFUSED = Statement(
    """
    WITH closed AS (
        SELECT DISTINCT ON (e.service, e.shard, e.seq) e.service, e.shard, e.seq, c.status, c.at,
               c.shard AS by_shard, c.seq AS by_seq, c.hash, c.by, c.approved_by, c.reason
        FROM json_to_recordset(%(rows)s::json) AS touched (service text, shard integer, seq bigint)
        JOIN reporting.exceptions e USING (service, shard, seq)
        JOIN reporting.closings c ON (c.service, c.closed_shard, c.closed_seq) = (e.service, e.shard, e.seq)
        ORDER BY e.service, e.shard, e.seq, c.recorded_at, c.shard, c.seq)
    UPDATE reporting.exceptions e
    SET status = closed.status, settled_at = closed.at, settled_shard = closed.by_shard, settled_seq = closed.by_seq,
        settled_hash = closed.hash, settled_by = closed.by, settled_approved_by = closed.approved_by,
        settled_reason = closed.reason
    FROM closed
    WHERE (e.service, e.shard, e.seq) = (closed.service, closed.shard, closed.seq)""",
    ("service", "shard", "seq"),
)

# A notice is about the posting of one revision of a round: the reversal of that posting takes it back.
_TAKE_BACK_NOTICES = Statement(
    """
    UPDATE reporting.exceptions notice
    SET status = 'reversed', settled_at = reversal.since, settled_shard = reversal.shard, settled_seq = reversal.seq,
        settled_hash = reversal.hash, settled_by = reversal.entered_by, settled_approved_by = reversal.approved_by,
        settled_reason = reversal.reason
    FROM json_to_recordset(%(rows)s::json)
        AS touched (property text, table_name text, round_id text, revision integer)
    JOIN reporting.exceptions reversal USING (property, table_name, round_id, revision)
    WHERE reversal.kind = 'reversed' AND notice.kind = 'notice'
      AND (notice.property, notice.table_name, notice.round_id, notice.revision)
        = (touched.property, touched.table_name, touched.round_id, touched.revision)""",
    ("property", "table_name", "round_id", "revision"),
)
