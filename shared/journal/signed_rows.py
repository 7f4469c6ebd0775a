"""Signed rows: rows that do not follow from any entry, and that are trusted only with their service's signature.

A table of signed rows has a column `signature`: the proof that the service signed all other columns and the name of the
table. Rows written together share a batch signature, like messages. Without seals nothing is signed or verified.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final

from pydantic_core import to_json
from sqlalchemy import JSON, Column, ColumnElement, LargeBinary, Table, Text, cast

from shared.journal.bulk import Row, column_names
from shared.journal.shard import Seals
from shared.journal.signed_batch import Unsigned, message_bytes

SIGNATURE: Final = "signature"
_SIGNED: Final = "of the row"
"""Marks the signature column, to distinguish it from the column of the same name for a record's own signature."""
_ROW: Final = "pitledger-row-v1"
"""A reserved topic for the signed bytes of a row, so that they can never be mistaken for a message."""


def signature_column() -> Column[bytes]:
    """Return the signature column; null if the service signs nothing."""
    return Column(SIGNATURE, LargeBinary, info={_SIGNED: True})


def is_signed(table: Table) -> bool:
    """Return whether the rows of a table are signed."""
    return SIGNATURE in table.c and _SIGNED in table.c[SIGNATURE].info


def signed_rows(seals: Seals | None, table: Table, rows: Sequence[Row]) -> list[Row]:
    """Return the rows with a signature each; the rows must have all other columns of the table."""
    proofs: Iterable[bytes | None] = [None] * len(rows)
    if seals is not None and rows:
        proofs = seals.signatures([_row_bytes(table, row) for row in rows])
    return [{**row, SIGNATURE: proof} for row, proof in zip(rows, proofs, strict=True)]


def as_written(table: Table) -> list[ColumnElement[Any]]:
    """Return a table's columns for a query that reads rows to verify them: JSON as the text that was signed."""
    return [cast(each, Text).label(each.name) if isinstance(each.type, JSON) else each for each in table.c]


def not_signed(seals: Seals | None, table: Table, row: Mapping[str, Any]) -> str | None:
    """Return why a row lacks a valid signature by the service, or None if it has one."""
    if seals is None:
        return None
    try:
        seals.require_signed(_row_bytes(table, row), row[SIGNATURE])
    except Unsigned as error:
        return str(error)
    return None


def _row_bytes(table: Table, row: Mapping[str, Any]) -> bytes:
    """Return the signed bytes of a row: every column but the signature, preceded by the table's name."""
    values = [_value(row[name]) for name in _signed_columns(table)]
    return message_bytes(_ROW, table.fullname.encode(), to_json(values, bytes_mode="hex"))


@cache
def _signed_columns(table: Table) -> tuple[str, ...]:
    return tuple(name for name in column_names(table) if name != SIGNATURE)


def _value(value: Any) -> Any:
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value
