"""Convert archived rows (Arrow) to journal entries and accounts."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pyarrow as pa

from shared.journal.entry import Account, Entry, EntryDraft, Posting

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def entries_of(batches: Iterable[pa.RecordBatch], accounts: pa.Table) -> Iterator[Entry]:
    """Yield the entries of batches that have the columns of `ENTRIES`. `accounts` must have the columns of `ACCOUNTS`.

    Raises: KeyError for an account that is not in `accounts`.
    """
    known = accounts_of(accounts)
    for batch in batches:
        yield from (_entry(row, known) for row in _numbers_for_moments(batch).to_pylist())


def _numbers_for_moments(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return a batch with its moments as microseconds since 1970 (UTC), which avoids converting time zones."""
    for name in ("occurred_at", "recorded_at"):
        place = batch.schema.get_field_index(name)
        batch = batch.set_column(place, name, batch.column(place).cast(pa.int64()))
    return batch


def _entry(row: dict[str, Any], accounts: dict[int, Account]) -> Entry:
    pairs = zip(row["accounts"], row["cents"], strict=True)
    draft = EntryDraft(
        kind=row["kind"],
        source=row["source"],
        sequence=row["sequence"],
        event_id=row["event_id"],
        offset=row["input_offset"],
        record_hash=row["record_hash"],
        gaming_day=None if row["day_of_recording"] else row["gaming_day"],
        occurred_at=_EPOCH + row["occurred_at"] * _MICROSECOND,
        data=row["data"],
        postings=tuple(Posting(accounts[number], cents) for number, cents in pairs),
    )
    return Entry(
        shard=row["shard"],
        seq=row["seq"],
        draft=draft,
        recorded_at=_EPOCH + row["recorded_at"] * _MICROSECOND,
        previous=row["previous"],
        hash=row["hash"],
    )


def accounts_of(accounts: pa.Table) -> dict[int, Account]:
    """Return account number -> account, from a table with the columns of `ACCOUNTS`."""
    columns = (accounts.column(name).to_pylist() for name in ("account_property", "table_name", "wager", "leg"))
    return dict(zip(accounts.column("account").to_pylist(), map(Account, *columns), strict=True))
