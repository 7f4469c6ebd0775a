"""The entries that the loop itself records: gaps opened and filled, records quarantined and mended."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from shared.journal.entry import Draft
from shared.runtime.consume.processing import Record

GAP_OPENED = "gap.opened"
GAP_FILLED = "gap.filled"
QUARANTINED = "record.quarantined"
MENDED = "record.mended"

QUARANTINE_ID = "pitledger-quarantine-id"
MENDED_BY = "pitledger-mended-by"
MENDED_REASON = "pitledger-mended-reason"
"""Kafka headers of a record that replaces one in quarantine."""


def _draft(
    kind: str, source: str, sequence: int, event_id: str, record: Record, moment: datetime, data: dict[str, Any]
) -> Draft:
    return Draft(
        kind=kind,
        source=source,
        sequence=sequence,
        event_id=event_id,
        offset=record.offset,
        gaming_day=None,
        occurred_at=moment,
        data=json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode(),
    )


def gap_opened(record: Record, source: str, event_id: str, first: int, last: int) -> Draft:
    """Events `first` to `last` of a stream have not come."""
    data = {"source": source, "first": first, "last": last}
    return _draft(GAP_OPENED, source, first, event_id, record, record.taken_at, data)


def gap_filled(record: Record, source: str, event_id: str, sequence: int) -> Draft:
    """A missing event of a stream has come late."""
    data = {"source": source, "sequence": sequence}
    return _draft(GAP_FILLED, source, sequence, event_id, record, record.taken_at, data)


def quarantined(record: Record, shard_name: str, reason: str, source: str | None, sequence: int | None) -> Draft:
    """A record was refused. Its stream is the shard's input: nothing in the record itself can be relied on."""
    data = {
        "topic": record.topic,
        "partition": record.partition,
        "offset": record.offset,
        "source": source,
        "sequence": sequence,
        "reason": reason,
    }
    return _draft(QUARANTINED, f"/{shard_name}", record.offset, "", record, record.taken_at, data)


def mended(record: Record, source: str, event_id: str, sequence: int, closed: Sequence[tuple[int, int, int]]) -> Draft:
    """Records in quarantine were replaced by one at the same place of the stream, or by a replay that names them.

    `closed` are their numbers in quarantine, with the (shard, seq) of the entries that say they were refused.
    """
    data = {
        "source": source,
        "sequence": sequence,
        "quarantine": [number for number, _, _ in closed],
        "entries": [{"shard": shard, "seq": seq} for _, shard, seq in closed],
        "by": record.header(MENDED_BY),
        "reason": record.header(MENDED_REASON),
    }
    return _draft(MENDED, source, sequence, event_id, record, record.taken_at, data)
