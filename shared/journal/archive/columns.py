"""The columns of the archive's tables, as Arrow schemas from which the Iceberg tables are created.

Every table begins with `service`, `property` and `gaming_day`. These columns are the partition key, and archiving a day
overwrites the rows with its values. They are never null or empty. No column name is a reserved word of an SQL engine.
The description of each column is in the field's metadata, under `doc`.
"""

from collections.abc import Mapping
from typing import Final

import pyarrow as pa

_MOMENT: Final = pa.timestamp("us", tz="UTC")
_HASH: Final = pa.binary(32)


def _column(name: str, kind: pa.DataType, doc: str, *, null: bool = False) -> pa.Field:
    return pa.field(name, kind, nullable=null, metadata={"doc": doc})


def _list(of: pa.DataType) -> pa.DataType:
    return pa.list_(pa.field("element", of, nullable=False))


PARTITION: Final = (
    _column("service", pa.string(), "the service whose journal has the entry"),
    _column("property", pa.string(), "the property under which the entry is filed; - for an entry of no property"),
    _column("gaming_day", pa.date32(), "the gaming day, or for an entry without one the day of recording in UTC"),
)

_PLACE: Final = (
    _column("shard", pa.int32(), "the shard's number in the service's journal"),
    _column("shard_name", pa.string(), "the shard's name, which its hashes and checkpoints have"),
)

ENTRIES: Final = pa.schema(
    [
        *PARTITION,
        _column("day_of_recording", pa.bool_(), "whether the entry has no gaming day of its own"),
        *_PLACE,
        _column("seq", pa.int64(), "the entry's number in its shard, from 1 without gaps"),
        _column("kind", pa.string(), "what was recorded"),
        _column("source", pa.string(), "the stream of the event or command that caused the entry"),
        _column("sequence", pa.int64(), "the cause's position in its stream"),
        _column("event_id", pa.string(), "the id of the event, or the key of the command"),
        _column("input_offset", pa.int64(), "the cause's position in the shard's input; none for a command", null=True),
        _column("record_hash", pa.binary(), "SHA-256 of the Kafka record, or what identifies the command", null=True),
        _column("occurred_at", _MOMENT, "when it happened"),
        _column("recorded_at", _MOMENT, "when it was recorded"),
        _column("data", pa.binary(), "the fact as JSON text in UTF-8, exactly the bytes that were hashed"),
        _column("previous", _HASH, "the hash of the entry before it in its shard"),
        _column("hash", _HASH, "the hash of the entry: SHA-256 over all of the above, and its postings"),
        _column("accounts", _list(pa.int32()), "the account of each posting, by its number in `accounts`"),
        _column("cents", _list(pa.int64()), "the signed cents of each posting, debits positive; their sum is zero"),
    ]
)

ACCOUNTS: Final = pa.schema(
    [
        *PARTITION,
        _column("account", pa.int32(), "the account's number, in entries of the same service, property and gaming day"),
        _column("account_property", pa.string(), "the property of the account"),
        _column("table_name", pa.string(), "the gaming table; empty for an account of no table"),
        _column("wager", pa.string(), "the wager type; empty unless the account is for a single one"),
        _column("leg", pa.string(), "what is counted: handle, payout, chips, ..."),
    ]
)

CHECKPOINTS: Final = pa.schema(
    [
        *PARTITION,
        *_PLACE,
        _column("size", pa.int64(), "the number of entries of the shard that the checkpoint covers"),
        _column("note", pa.string(), "the signed checkpoint (C2SP tlog-checkpoint)"),
        _column("signed_at", _MOMENT, "when it was signed"),
    ]
)

TABLES: Final[Mapping[str, pa.Schema]] = {"entries": ENTRIES, "accounts": ACCOUNTS, "checkpoints": CHECKPOINTS}
"""Table name -> schema, for all tables of the archive."""

SORTED_BY: Final[Mapping[str, tuple[str, ...]]] = {
    "entries": ("shard", "seq"),
    "accounts": ("account",),
    "checkpoints": ("shard", "size"),
}
"""Table name -> columns by which the rows of one service, property and gaming day are sorted."""
