"""Rows that follow from no entry, and count all the same: each is signed by its service, and believed only as signed.

A table of such rows has a column `signature`: the proof that the service signed all the other columns, with the name of
the table. Rows that are written together share one signature, as messages do. Without seals nothing is signed, and
nothing is asked for.
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
"""What tells the column from another of its name, which a record has."""
_ROW: Final = "pitledger-row-v1"
"""What is signed of a row begins as a message on this topic, which nobody has: neither is ever the other."""


def signature_column() -> Column[bytes]:
    """Return the column with the signature of a row; none where the service signs nothing."""
    return Column(SIGNATURE, LargeBinary, info={_SIGNED: True})


def is_signed(table: Table) -> bool:
    """Return whether the rows of a table are signed."""
    return SIGNATURE in table.c and _SIGNED in table.c[SIGNATURE].info


def signed_rows(seals: Seals | None, table: Table, rows: Sequence[Row]) -> list[Row]:
    """Return the rows, which have all other columns of the table, with their signatures."""
    proofs: Iterable[bytes | None] = [None] * len(rows)
    if seals is not None and rows:
        proofs = seals.signatures([_row_bytes(table, row) for row in rows])
    return [{**row, SIGNATURE: proof} for row, proof in zip(rows, proofs, strict=True)]


def as_written(table: Table) -> list[ColumnElement[Any]]:
    """Return the columns of a table as they were signed: JSON as the text that was written."""
    return [cast(each, Text).label(each.name) if isinstance(each.type, JSON) else each for each in table.c]


def not_signed(seals: Seals | None, table: Table, row: Mapping[str, Any]) -> str | None:
    """Return why a row, as it was read, is not one that the service signed; None where it is."""
    if seals is None:
        return None
    try:
        seals.require_signed(_row_bytes(table, row), row[SIGNATURE])
    except Unsigned as error:
        return str(error)
    return None


def _row_bytes(table: Table, row: Mapping[str, Any]) -> bytes:
    """Return what is signed of a row: every column but the signature, under the name of the table."""
    values = [_value(row[name]) for name in _signed_columns(table)]
    return message_bytes(_ROW, table.fullname.encode(), to_json(values, bytes_mode="hex"))


@cache
def _signed_columns(table: Table) -> tuple[str, ...]:
    return tuple(name for name in column_names(table) if name != SIGNATURE)


def _value(value: Any) -> Any:
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value
