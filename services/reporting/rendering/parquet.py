"""A section of a report as Parquet: typed columns, with the header in the metadata."""

import json
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, BinaryIO, Final

import pyarrow
from pyarrow import parquet

from services.reporting.framework.document import Column, Document, Filled, Row, Unit, batched, plain
from services.reporting.framework.figures import Value
from services.reporting.rendering.wording import in_utc
from shared.runtime.cancellation import GoOn

_TYPES: dict[Unit, pyarrow.DataType] = {
    "text": pyarrow.string(),
    "day": pyarrow.date32(),
    "moment": pyarrow.timestamp("us", tz="UTC"),
    "cents": pyarrow.int64(),
    "exact_cents": pyarrow.decimal128(38, 9),
    "count": pyarrow.int64(),
    "decimal": pyarrow.decimal128(38, 2),
    "percent": pyarrow.decimal128(38, 2),
}


_ROWS_AT_ONCE: Final = 10_000


def write_parquet(document: Document, filled: Filled, file: BinaryIO, go_on: GoOn) -> None:
    """Write the rows of a section in batches, without the total.

    The file's metadata contains the header (`header`), the hash of the whole content (`sha256`), the name of the
    section (`section`) and its total (`total`). A column's metadata contains its title, unit, formula and source.
    """
    said: dict[str, str] = {
        "header": document.header.model_dump_json(),
        "sha256": document.sha256,
        "section": filled.section.name,
    }
    if filled.total is not None:
        said["total"] = json.dumps({name: plain(value) for name, value in filled.total.cells.items()})
    columns = filled.section.columns
    schema = pyarrow.schema([_field(column) for column in columns], metadata=said)
    with parquet.ParquetWriter(file, schema) as writer:
        for rows in batched(filled.each(), _ROWS_AT_ONCE):
            go_on()
            writer.write_table(pyarrow.table([_values(column, rows) for column in columns], schema=schema))


def _field(column: Column) -> pyarrow.Field:
    said = {"title": column.title, "unit": column.unit, "formula": column.formula, "source": column.source}
    return pyarrow.field(column.name, _TYPES[column.unit], metadata=said)


def _values(column: Column, rows: Sequence[Row]) -> pyarrow.Array:
    values = [_value(row.cells[column.name], column.unit) for row in rows]
    return pyarrow.array(values, type=_TYPES[column.unit])


def _value(value: Value, unit: Unit) -> Any:
    match unit:
        case "exact_cents" | "decimal" | "percent":
            return None if value is None else Decimal(str(value))
        case "moment" if isinstance(value, datetime):
            return in_utc(value)
        case "text":
            return None if value is None else str(value)
        case _:
            return value
