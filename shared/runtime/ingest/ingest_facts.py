"""The facts that the consume loop records: gaps opened and filled, records quarantined and repaired."""

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
"""Kafka headers of a record that replaces a quarantined one, which the first header names: `round_settlement/17`.

The last is the signature of the sending service, over topic, key, value and the other three headers.
"""

_KEY = re.compile(rb"[!-~]{1,255}")


def gap_opened(record: InputRecord, event: Event[Any], first: int, last: int) -> EntryDraft:
    """Return the entry for a gap: events `first` to `last` of a stream are missing."""
    return _draft(GapOpened.model_construct(source=event.source, first=first, last=last), record, event, first)


def gap_filled(record: InputRecord, event: Event[Any]) -> EntryDraft:
    """Return the entry for a missing event of a stream that arrived late."""
    return _draft(GapFilled.model_construct(source=event.source, sequence=event.sequence), record, event)


def flagged(record: InputRecord, event: Event[Any], limit: Literal["age_days_max"], detail: str) -> EntryDraft:
    """Return the entry for an event that exceeds a limit of its property but is accepted."""
    fact = EventFlagged.model_construct(source=event.source, sequence=event.sequence, limit=limit, detail=detail)
    return _draft(fact, record, event)


def quarantined(
    record: InputRecord, shard_name: str, reason: str, source: str | None, sequence: int | None
) -> EntryDraft:
    """Return the entry of a refused record.

    Its stream is the shard's input: nothing in the record itself can be relied on.
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
    """Return a key as text, or None if it is not text that can be searched for."""
    return key.decode() if key is not None and _KEY.fullmatch(key) else None


def mended(record: InputRecord, event: Event[Any], closed: Sequence[tuple[int, int, int]]) -> EntryDraft:
    """Return the entry of a record that replaces quarantined ones, by stream position or by quarantine number.

    `closed` are their quarantine numbers, each with the (shard, seq) of the entry that recorded the refusal.
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
