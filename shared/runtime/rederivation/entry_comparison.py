"""Describe how an entry differs from the entry derived from its record."""

from typing import Final

from pydantic_core import from_json

from shared.contracts.journal_facts import RecordQuarantined
from shared.journal.entry import Entry, EntryDraft
from shared.journal.fact_replay import as_of_today
from shared.runtime.ingest.handler import InputRecord

QUARANTINED: Final = RecordQuarantined.KIND.types
"""Type names of the entries that record a quarantine, in all versions."""


def difference(entry: Entry | None, draft: EntryDraft | None, record: InputRecord) -> str | None:
    """Return how an entry differs from the draft derived from its record, or None if they are equal."""
    place = f"the record at offset {record.offset} of {record.topic}/{record.partition}"
    if entry is None:
        assert draft is not None
        return f"{draft.kind} follows from {place}, and the journal does not have it"
    if entry.draft.record_hash != record.digest():
        return f"{place} is not the one that led to it: what was sent has another hash"
    if draft is None:
        return f"{entry.draft.kind} does not follow from {place}"
    recorded = as_of_today(entry.draft)
    if recorded == draft or _both_refused(recorded, draft):
        return None
    if recorded.kind != draft.kind:
        return f"{draft.kind} follows from {place}, not {entry.draft.kind}"
    names = [name for name in _COMPARED if getattr(recorded, name) != getattr(draft, name)]
    return f"{draft.kind} follows from {place} with other {' and '.join(names)}"


_COMPARED: Final = ("source", "sequence", "event_id", "gaming_day", "occurred_at", "data", "postings")


def _both_refused(entry: EntryDraft, draft: EntryDraft) -> bool:
    """Return whether entry and draft both quarantine the record, even if for reasons that are worded differently."""
    if not (entry.kind == draft.kind and draft.kind in QUARANTINED):
        return False
    said, says = ({**from_json(each.data), "reason": ""} for each in (entry, draft))
    return bool(said == says)
