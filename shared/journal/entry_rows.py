"""Convert entries to rows of the journal's table `entries`."""

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
"""The columns of the table `entries`, in the order of the values that `entry_values` returns."""


def entry_values(entry: Entry, numbers: Mapping[Account, int]) -> tuple[Any, ...]:
    """Return an entry as a row. `numbers` maps accounts to their numbers in the journal.

    Raises: KeyError for an account without a number.
    """
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
