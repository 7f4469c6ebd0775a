"""Read archived entries from Arrow tables: the bytes under their hashes, and entries as the journal has them."""

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, NamedTuple

import pyarrow as pa

from shared.journal.archive.columns import ENTRIES
from shared.journal.entry import Account, Entry, EntryDraft, Posting, account_fields, cents_field, record_of_columns

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_AT_ONCE: Final = 8192
"""The number of rows that are Python objects at the same time."""


class Row(NamedTuple):
    """The columns of an archived entry; moments are microseconds since 1970 in UTC, cents are signed."""

    day_of_recording: bool
    gaming_day: date
    shard: int
    shard_name: str
    seq: int
    kind: str
    source: str
    sequence: int
    event_id: str
    input_offset: int | None
    record_hash: bytes | None
    occurred_us: int
    recorded_us: int
    data: bytes
    previous: bytes
    hash: bytes
    accounts: list[int]
    cents: list[int]

    def record(self, accounts: Mapping[int, bytes]) -> bytes:
        """Return the bytes that the entry's hash covers. Raises: KeyError for an unknown account."""
        postings: list[bytes] = []
        for account, cents in zip(self.accounts, self.cents, strict=True):
            postings += (accounts[account], cents_field(cents))
        return record_of_columns(
            self.previous,
            self.shard_name,
            self.seq,
            self.kind,
            self.source,
            self.sequence,
            self.event_id,
            self.input_offset,
            self.record_hash,
            None if self.day_of_recording else self.gaming_day,
            self.occurred_us,
            self.recorded_us,
            self.data,
            postings,
        )

    def entry(self, accounts: Mapping[int, Account]) -> Entry:
        """Return the entry as the journal has it. Raises: KeyError for an unknown account."""
        pairs = zip(self.accounts, self.cents, strict=True)
        draft = EntryDraft(
            kind=self.kind,
            source=self.source,
            sequence=self.sequence,
            event_id=self.event_id,
            offset=self.input_offset,
            record_hash=self.record_hash,
            gaming_day=None if self.day_of_recording else self.gaming_day,
            occurred_at=_EPOCH + self.occurred_us * _MICROSECOND,
            data=self.data,
            postings=tuple(Posting(accounts[number], cents) for number, cents in pairs),
        )
        recorded_at = _EPOCH + self.recorded_us * _MICROSECOND
        return Entry(
            shard=self.shard,
            seq=self.seq,
            draft=draft,
            recorded_at=recorded_at,
            previous=self.previous,
            hash=self.hash,
        )


_MOMENTS: Final = {"occurred_us": "occurred_at", "recorded_us": "recorded_at"}


def rows_of(entries: pa.Table) -> Iterator[Row]:
    """Yield the rows of a table with the columns of `ENTRIES`, in their order."""
    for batch in entries.to_batches(max_chunksize=_AT_ONCE):
        columns = [_values(batch, name) for name in Row._fields]
        yield from map(Row._make, zip(*columns, strict=True))


def _values(batch: pa.RecordBatch, name: str) -> list[Any]:
    moment = _MOMENTS.get(name)
    column = batch.column(name if moment is None else moment)
    # Numbers, not texts and not datetimes: they are what is hashed, and no time zone is asked for.
    values: list[Any] = (column if moment is None else column.cast(pa.int64())).to_pylist()
    return values


def accounts_of(accounts: pa.Table) -> dict[int, Account]:
    """Return the accounts of a table with the columns of `ACCOUNTS`, by number."""
    columns = (accounts.column(name).to_pylist() for name in ("account_property", "table_name", "wager", "leg"))
    return dict(zip(accounts.column("account").to_pylist(), map(Account, *columns), strict=True))


def account_bytes(accounts: Mapping[int, Account]) -> dict[int, bytes]:
    """Return what the hash of an entry covers of each account, by number."""
    return {number: account_fields(account) for number, account in accounts.items()}


assert {*Row._fields, *_MOMENTS.values()} - {*_MOMENTS} == {*ENTRIES.names} - {"service", "property"}
