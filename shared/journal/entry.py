"""Entries and postings, and the hash that chains each entry to its predecessor.

The hash is SHA-256 over all fields, each encoded as its length in eight bytes followed by its bytes. `data` is hashed
as stored, so the hash can be recomputed from nothing but the rows, in any language.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

from shared.contracts.facts import Fact

ENTRY_TAG = b"pitledger-entry-v1"
"""The first field of the hashed bytes of an entry."""
_SHARD = b"pitledger-shard-v1"
_RECORD = b"pitledger-record-v1"
COMMAND_TAG = b"pitledger-command-v1"
"""The first field of the hashed bytes of a command."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Account(NamedTuple):
    """An account of the journal; `wager` is empty unless the account is for a single wager type."""

    property: str
    table: str
    wager: str
    leg: str


class Posting(NamedTuple):
    """An amount on one account: signed cents, debits positive."""

    account: Account
    cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryDraft:
    """A fact ready to be recorded, with its postings and its cause.

    `source`, `sequence` and `event_id` identify its cause. `offset` is the cause's position in the shard's input, and
    `record_hash` (32 bytes, see `record_digest`) the hash of the Kafka record at that position. For a command, `offset`
    is None and `record_hash` identifies the command (see `command_digest`). `data` is JSON text in UTF-8 and is stored
    unchanged. The postings sum to zero.
    """

    kind: str
    source: str
    sequence: int
    event_id: str
    offset: int | None
    record_hash: bytes | None = None
    gaming_day: date | None
    occurred_at: datetime
    data: bytes
    postings: tuple[Posting, ...] = ()
    fact: Fact | None = field(default=None, compare=False, repr=False)
    """The fact encoded in `data`, unless it was read from the database."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A recorded fact: its draft with shard and sequence, the moment of recording, and the hash chain."""

    shard: int
    seq: int
    draft: EntryDraft
    recorded_at: datetime
    previous: bytes
    hash: bytes


def _field(value: bytes) -> bytes:
    return len(value).to_bytes(8, "big") + value


def _number(value: int) -> bytes:
    return _field(b"%d" % value)


_cents = lru_cache(maxsize=65536)(_number)


def _moment(value: datetime) -> bytes:
    return _number((value - _EPOCH) // _MICROSECOND)


@lru_cache(maxsize=65536)
def _account(account: Account) -> bytes:
    return b"".join(_field(part.encode()) for part in account)


@lru_cache(maxsize=4096)
def _text(value: str) -> bytes:
    return _field(value.encode())


def genesis(shard_name: str) -> bytes:
    """Return the head of a shard without entries (32 bytes)."""
    return sha256(_field(_SHARD) + _field(shard_name.encode())).digest()


def command_digest(person: str, key: str) -> bytes:
    """Return the identity of a command (32 bytes): the hash of its sender and idempotency key."""
    return sha256(_field(COMMAND_TAG) + _field(person.encode()) + _field(key.encode())).digest()


def record_digest(key: bytes | None, content: bytes, headers: Sequence[tuple[str, bytes | None]] = ()) -> bytes:
    """Return the hash of a Kafka record (32 bytes). It covers the parts that the producer wrote, not the broker.

    `content` is the SHA-256 of the record's value (32 bytes), so that a value is hashed only once. The hash is SHA-256
    over fields encoded like those of an entry: `pitledger-record-v1`, the key, `content`, and name and value of each
    header. A key or value that may be absent is preceded by `1` if present, else `0`.
    """
    parts = [_field(_RECORD), *_optional(key), _field(content)]
    for name, said in headers:
        parts += (_field(name.encode()), *_optional(said))
    return sha256(b"".join(parts)).digest()


def _optional(value: bytes | None) -> tuple[bytes, bytes]:
    return (_number(value is not None), _field(value or b""))


def entry_record(draft: EntryDraft, *, shard_name: str, seq: int, recorded_at: datetime, previous: bytes) -> bytes:
    """Return the bytes that an entry's hash covers."""
    parts = [
        _field(ENTRY_TAG),
        _field(previous),
        _text(shard_name),
        _number(seq),
        _text(draft.kind),
        _text(draft.source),
        _number(draft.sequence),
        _field(draft.event_id.encode()),
        _field(b"" if draft.offset is None else b"%d" % draft.offset),
        _field(draft.record_hash or b""),
        _field(b"" if draft.gaming_day is None else draft.gaming_day.isoformat().encode()),
        _moment(draft.occurred_at),
        _moment(recorded_at),
        _field(draft.data),
        _number(len(draft.postings)),
    ]
    for account, cents in draft.postings:
        parts += (_account(account), _cents(cents))
    return b"".join(parts)


def entry_hash(draft: EntryDraft, *, shard_name: str, seq: int, recorded_at: datetime, previous: bytes) -> bytes:
    """Return the hash of an entry (32 bytes)."""
    record = entry_record(draft, shard_name=shard_name, seq=seq, recorded_at=recorded_at, previous=previous)
    return sha256(record).digest()


def is_as_hashed(entry: Entry, shard_name: str) -> bool:
    """Return whether an entry that was read from the database matches its hash."""
    digest = entry_hash(
        entry.draft, shard_name=shard_name, seq=entry.seq, recorded_at=entry.recorded_at, previous=entry.previous
    )
    return digest == entry.hash


def seal(
    drafts: Iterable[EntryDraft], *, shard: int, shard_name: str, next_seq: int, head: bytes, recorded_at: datetime
) -> list[Entry]:
    """Return the drafts as entries of a shard, from `next_seq` on, chained to `head`."""
    entries: list[Entry] = []
    for seq, draft in enumerate(drafts, next_seq):
        digest = entry_hash(draft, shard_name=shard_name, seq=seq, recorded_at=recorded_at, previous=head)
        entries.append(Entry(shard=shard, seq=seq, draft=draft, recorded_at=recorded_at, previous=head, hash=digest))
        head = digest
    return entries


def reversal(postings: Sequence[Posting]) -> tuple[Posting, ...]:
    """Return the postings that reverse the given ones."""
    return tuple(Posting(account, -cents) for account, cents in postings)
