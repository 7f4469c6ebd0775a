"""What is hashed of an archived entry is, byte for byte, what was hashed when it was recorded."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.journal.archive.columns import ENTRIES
from shared.journal.archive.records import HashedBytes
from shared.journal.entry import Entry, EntryDraft, Posting, entry_record, genesis, seal
from tests.support.archive_files import ACCOUNTS_BY_NUMBER, DAYS, RECORDED, accounts_table, entries_table
from tests.support.journals import SHARD, draft_of

_NUMBERS = st.integers(min_value=0, max_value=2**63 - 1)
_CENTS = st.integers(min_value=-(2**63), max_value=2**63 - 1)
_TEXTS = st.text(st.characters(codec="utf-8"), max_size=40)
_MOMENTS = st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=-7))]))
_POSTINGS = st.builds(Posting, st.sampled_from(list(ACCOUNTS_BY_NUMBER.values())), _CENTS)
_DRAFTS = st.builds(
    EntryDraft,
    kind=_TEXTS,
    source=_TEXTS,
    sequence=_NUMBERS,
    event_id=_TEXTS,
    offset=st.none() | _NUMBERS,
    record_hash=st.none() | st.binary(min_size=32, max_size=32),
    gaming_day=st.sampled_from([None, DAYS[0]]),
    occurred_at=_MOMENTS,
    data=st.binary(max_size=300),
    postings=st.lists(_POSTINGS, max_size=5).map(tuple),
)


def hashed(entry: Entry) -> bytes:
    """What was hashed when an entry was recorded."""
    return entry_record(
        entry.draft, shard_name=SHARD, seq=entry.seq, recorded_at=entry.recorded_at, previous=entry.previous
    )


def records(rows: pa.Table) -> list[bytes | None]:
    """What is hashed of rows, a batch after the other."""
    known = HashedBytes(accounts_table(DAYS[0]))
    return [record for batch in rows.to_batches(max_chunksize=3) for record in known.of(batch)]


@given(st.lists(_DRAFTS, max_size=8), _NUMBERS.filter(lambda seq: seq < 2**62), _MOMENTS)
def test_the_bytes_of_archived_columns_are_those_that_were_recorded(
    drafts: list[EntryDraft], first: int, moment: datetime
) -> None:
    """Whatever the entries are, and wherever a batch begins."""
    head = genesis(SHARD)
    entries = seal(drafts, shard=1, shard_name=SHARD, next_seq=first, head=head, recorded_at=moment)

    assert list(map(hashed, entries)) == records(entries_table(DAYS[0], entries))


_DRAFT = replace(draft_of(1, day=DAYS[0]), record_hash=bytes(range(32)))
_ENTRY = seal([_DRAFT], shard=1, shard_name=SHARD, next_seq=1, head=genesis(SHARD), recorded_at=RECORDED)[0]
_HASHED = [name for name in ENTRIES.names if name not in ("service", "property", "shard", "hash")]
"""The columns that the hash covers."""


def _other(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return value + "x"
        case bytes():
            return bytes([value[0] ^ 1]) + value[1:]
        case datetime():
            return value + timedelta(microseconds=1)
        case date():
            return value + timedelta(days=1)
        case list():
            return value[::-1]
        case _:
            raise AssertionError(value)


@pytest.mark.parametrize("name", _HASHED)
def test_a_change_of_any_column_is_a_change_of_what_is_hashed(name: str) -> None:
    """The least change that there is: a bit, a letter, a microsecond, the order of postings."""
    [row] = entries_table(DAYS[0], [_ENTRY]).to_pylist()
    before, after = records(pa.Table.from_pylist([row, {**row, name: _other(row[name])}], ENTRIES))

    assert hashed(_ENTRY) == before
    assert after not in (None, before)


@pytest.mark.parametrize("name", ["input_offset", "record_hash"])
def test_what_is_missing_is_not_hashed_as_what_was_there(name: str) -> None:
    """Nor the other way round."""
    [row] = entries_table(DAYS[0], [_ENTRY]).to_pylist()
    [record] = records(pa.Table.from_pylist([{**row, name: None}], ENTRIES))

    assert row[name] is not None
    assert record not in (None, hashed(_ENTRY))


@pytest.mark.parametrize(
    ("accounts", "cents"),
    [([1], [5, -5]), ([1, 2], [5]), ([1, 3], [5, -5]), ([1, 2], [5, None]), ([1, None], [5, -5])],
    ids=["an account missing", "cents missing", "an unknown account", "cents null", "an account null"],
)
def test_a_posting_that_is_not_whole_has_no_bytes(accounts: list[int | None], cents: list[int | None]) -> None:
    """The rows around it do, and no posting of theirs is taken for one of its own."""
    [row] = entries_table(DAYS[0], [_ENTRY]).to_pylist()
    rows = [row, {**row, "accounts": accounts, "cents": cents}, row]
    found = records(pa.Table.from_pylist(rows, ENTRIES))

    assert [hashed(_ENTRY), None, hashed(_ENTRY)] == found
