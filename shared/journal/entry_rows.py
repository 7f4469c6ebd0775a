"""Entries as rows of a journal's table."""

from collections.abc import Mapping
from typing import Any, Final

from shared.journal.entry import Account, Entry

ENTRY_COLUMNS: Final = (
    "shard",
    "seq",
    "kind",
    "source",
    "sequence",
    "event_id",
    "offset",
    "record_hash",
    "gaming_day",
    "occurred_at",
    "recorded_at",
    "data",
    "previous",
    "hash",
    "accounts",
    "cents",
)
"""The columns of an entry, in the order of `entry_values`."""


def entry_values(entry: Entry, numbers: Mapping[Account, int]) -> tuple[Any, ...]:
    """Return an entry's row; `numbers` are the accounts' numbers in the journal. Raises: KeyError for another one."""
    draft = entry.draft
    return (
        entry.shard,
        entry.seq,
        draft.kind,
        draft.source,
        draft.sequence,
        draft.event_id,
        draft.offset,
        draft.record_hash,
        draft.gaming_day,
        draft.occurred_at,
        entry.recorded_at,
        draft.data,
        entry.previous,
        entry.hash,
        [numbers[account] for account, _ in draft.postings],
        [cents for _, cents in draft.postings],
    )
