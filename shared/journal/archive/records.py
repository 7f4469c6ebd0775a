"""Compute the bytes that the hashes of archived entries cover, for whole batches of rows.

The bytes equal those of `shared.journal.entry.entry_record`. Each field is encoded as its length in eight bytes,
big-endian, followed by its bytes. Texts are in UTF-8, numbers in decimal, and moments in microseconds since 1970 (UTC).
The fields are, in this order:

    pitledger-entry-v1, previous, shard_name, seq, kind, source, sequence, event_id, input_offset, record_hash,
    gaming_day, occurred_at, recorded_at, data, the number of postings,
    and for each posting account_property, table_name, wager, leg, cents

A null value is an empty field. The gaming day is also empty if the entry has none and is filed by day of recording.
"""

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from shared.journal.entry import ENTRY_TAG

_NOTHING: Final = pa.scalar(b"", pa.binary())
_TAG: Final = pa.scalar(len(ENTRY_TAG).to_bytes(8, "big") + ENTRY_TAG, pa.binary())
_ACCOUNT: Final = ("account_property", "table_name", "wager", "leg")


class HashedBytes:
    """Computes the hashed bytes of entries. `accounts` has the columns of `ACCOUNTS`.

    Account numbers are unique only within one service, property and gaming day, so all rows must belong to one of each.
    """

    def __init__(self, accounts: pa.Table) -> None:
        known = accounts.combine_chunks()
        self._numbers = known.column("account").combine_chunks()
        texts = (_field(known.column(name).combine_chunks()) for name in _ACCOUNT)
        self._texts = _joined([part for text in texts for part in text])

    def of(self, batch: pa.RecordBatch) -> list[bytes | None]:
        """Return the hashed bytes of each entry, or None if a posting has no amount or an unknown account.

        The batch must have the columns of `ENTRIES`, and at most 2 GiB.
        """
        records: list[bytes | None] = _records(batch, self._numbers, self._texts).to_pylist()
        return records


def _records(batch: pa.RecordBatch, numbers: pa.Array, texts: pa.Array) -> pa.Array:
    column = batch.column
    own_day = pc.if_else(column("day_of_recording"), None, column("gaming_day"))
    counts, postings = _postings(column("accounts"), column("cents"), numbers, texts)
    fields = (
        column("previous"),
        column("shard_name"),
        column("seq"),
        column("kind"),
        column("source"),
        column("sequence"),
        column("event_id"),
        _or_empty(column("input_offset")),
        _or_empty(column("record_hash")),
        _or_empty(own_day),
        column("occurred_at").cast(pa.int64()),
        column("recorded_at").cast(pa.int64()),
        column("data"),
        counts,
    )
    return _joined([_TAG, *(part for values in fields for part in _field(values)), postings])


def _postings(accounts: pa.Array, cents: pa.Array, numbers: pa.Array, texts: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Return, for each row, the number of its postings, and their encoded fields concatenated.

    The number is null if the row has different numbers of accounts and amounts.
    """
    counts = pc.list_value_length(cents)
    paired = pc.equal(counts, pc.list_value_length(accounts))
    accounts, cents = pc.if_else(paired, accounts, None), pc.if_else(paired, cents, None)
    of_account = texts.take(pc.index_in(pc.list_flatten(accounts), numbers))
    lines = _joined([of_account, *_field(pc.list_flatten(cents))])
    counts = pc.if_else(paired, counts, None)
    ends = pc.cumulative_sum(pc.fill_null(counts, 0))
    starts_and_end = pa.concat_arrays([pa.array([0], ends.type), ends])
    return counts, pc.binary_join(pa.ListArray.from_arrays(starts_and_end, lines), _NOTHING)


def _field(values: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Return two columns: the length of each value in eight bytes, and the bytes of the value."""
    content = _bytes(values)
    lengths = pc.binary_length(content).dictionary_encode()
    written = [length.to_bytes(8, "big") for length in lengths.dictionary.to_pylist()]
    return pa.array(written, pa.binary()).take(lengths.indices), content


def _or_empty(values: pa.Array) -> pa.Array:
    return pc.fill_null(_bytes(values), _NOTHING)


def _bytes(values: pa.Array) -> pa.Array:
    """Return values as bytes; texts, numbers and dates as UTF-8 text."""
    is_bytes = pa.types.is_binary(values.type) or pa.types.is_fixed_size_binary(values.type)
    return (values if is_bytes else values.cast(pa.string())).cast(pa.binary())


def _joined(parts: list[pa.Array | pa.Scalar]) -> pa.Array:
    """Return the columns concatenated row by row; a row is null if any of its values is null."""
    return pc.binary_join_element_wise(*parts, _NOTHING)
