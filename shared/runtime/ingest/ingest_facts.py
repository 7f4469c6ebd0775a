"""The facts that the consume loop itself records: gaps, flagged events, quarantined and repaired records."""

import re
from collections.abc import Sequence
from typing import Any, Literal

from shared.contracts.envelope import Event
from shared.contracts.facts import Fact
from shared.contracts.journal_facts import (
    EntryPlace,
    EventFlagged,
    GapFilled,
    GapOpened,
    RecordMended,
    RecordQuarantined,
)
from shared.journal.entry import EntryDraft
from shared.journal.recording import Causation, FactWithPostings, draft
from shared.runtime.ingest.handler import InputRecord

QUARANTINE_ID = "pitledger-quarantine-id"
MENDED_BY = "pitledger-mended-by"
MENDED_REASON = "pitledger-mended-reason"
REPLAY_SIGNATURE = "pitledger-replay-signature"
"""Kafka headers of a record that replaces a quarantined record. The first one names that record: `round_settlement/17`.

The last header is the sending service's signature over topic, key, value and the other three headers.
"""

_KEY = re.compile(rb"[!-~]{1,255}")


def gap_opened(record: InputRecord, event: Event[Any], first: int, last: int) -> EntryDraft:
    """Return the draft of the entry for a gap: the events `first` to `last` of a stream are missing."""
    return _draft(GapOpened.model_construct(source=event.source, first=first, last=last), record, event, first)


def gap_filled(record: InputRecord, event: Event[Any]) -> EntryDraft:
    """Return the draft of the entry for a late event, which fills a gap of its stream."""
    return _draft(GapFilled.model_construct(source=event.source, sequence=event.sequence), record, event)


def flagged(record: InputRecord, event: Event[Any], limit: Literal["age_days_max"], detail: str) -> EntryDraft:
    """Return the draft of the entry for an accepted event that exceeds a limit of its property."""
    fact = EventFlagged.model_construct(source=event.source, sequence=event.sequence, limit=limit, detail=detail)
    return _draft(fact, record, event)


def quarantined(
    record: InputRecord, shard_name: str, reason: str, source: str | None, sequence: int | None
) -> EntryDraft:
    """Return the draft of the entry for a quarantined record.

    The entry's stream is that of the shard, because nothing in the record can be relied on.
    """
    fact = RecordQuarantined.model_construct(
        topic=record.topic,
        partition=record.partition,
        offset=record.offset,
        source=source,
        sequence=sequence,
        reason=reason,
        sha256=record.content.hex(),
        key=readable(record.key),
    )
    cause = Causation(f"/{shard_name}", record.offset, "", record.offset, record.taken_at, record.digest())
    return draft(FactWithPostings(fact=fact), cause)


def readable(key: bytes | None) -> str | None:
    """Return a Kafka key as text; None if there is no key, or if it contains anything but printable ASCII."""
    return key.decode() if key is not None and _KEY.fullmatch(key) else None


def mended(record: InputRecord, event: Event[Any], closed: Sequence[tuple[int, int, int]]) -> EntryDraft:
    """Return the draft of the entry for a record that replaces quarantined records, by position or by number.

    `closed` lists the number of each quarantined record with the (shard, seq) of its quarantine entry.
    """
    fact = RecordMended(
        source=event.source,
        sequence=event.sequence,
        quarantine=tuple(number for number, _, _ in closed),
        entries=tuple(EntryPlace(shard=shard, seq=seq) for _, shard, seq in closed),
        by=record.header(MENDED_BY),
        reason=record.header(MENDED_REASON),
    )
    return _draft(fact, record, event)


def _draft(fact: Fact, record: InputRecord, event: Event[Any], sequence: int | None = None) -> EntryDraft:
    cause = Causation(
        event.source, sequence or event.sequence, event.id, record.offset, record.taken_at, record.digest()
    )
    return draft(FactWithPostings(fact=fact), cause)
