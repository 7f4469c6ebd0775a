"""The table of quarantined records: their bytes, and whether they are resolved."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Table, update
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts import device_signatures
from shared.journal import signed_batch
from shared.journal.bulk import Statement, column_names, insert
from shared.journal.entry import Entry
from shared.journal.quarantine import properties_of_record
from shared.runtime.ingest.batch import Derived
from shared.runtime.ingest.handler import InputRecord


async def keep_quarantined(
    connection: AsyncConnection, table: Table, entries: Sequence[Entry], derived: Sequence[Derived], moment: datetime
) -> None:
    """Store the refused records of a batch, and mark repaired records as resolved.

    `entries` are the committed entries of `derived`, in the same order. `moment` is the time of the commit.
    """
    rows: list[dict[str, Any]] = []
    mended: list[int] = []
    position = 0
    for one in derived:
        if one.refusal is not None:
            entry = entries[position]
            rows.append(
                {
                    "shard": entry.shard,
                    "seq": entry.seq,
                    "topic": one.record.topic,
                    "partition": one.record.partition,
                    "offset": one.record.offset,
                    "key": one.record.key,
                    "value": one.record.value,
                    "signature": _signature(one.record),
                    "source": one.refusal.source,
                    "sequence": one.refusal.sequence,
                    "reason": one.refusal.reason,
                    "stops": one.refusal.stops,
                    "quarantined_at": moment,
                    "listed_under": sorted(properties_of_record(one.refusal.source, one.record.key, one.record.value)),
                }
            )
        mended.extend(one.mended)
        position += len(one.drafts)
    await _insert(table).write(connection, rows)
    if mended:
        await connection.execute(
            update(table).where(table.c.id.in_(mended), table.c.resolved_at.is_(None)).values(resolved_at=moment)
        )


@cache
def _insert(table: Table) -> Statement:
    """Return the statement that inserts quarantined records, numbered in the order of the rows."""
    return insert(table, [name for name in column_names(table) if name not in ("id", "resolved_at")], as_given=True)


def _signature(record: InputRecord) -> bytes | None:
    """Return the signature of a record: the publishing service's, or else the device's; None if unsigned."""
    proof = record.raw_header(signed_batch.HEADER)
    return record.raw_header(device_signatures.HEADER) if proof is None else proof
