"""docs/reference/archive.md has the columns of the archive's tables, as the code has them."""

import re
from pathlib import Path

import pyarrow as pa
import pytest

from shared.journal.archive.columns import PARTITION, TABLES

_NAMES = {
    pa.string(): "string",
    pa.date32(): "date",
    pa.bool_(): "boolean",
    pa.int32(): "int",
    pa.int64(): "long",
    pa.binary(): "binary",
    pa.binary(32): "fixed(32)",
    pa.timestamp("us", tz="UTC"): "timestamptz",
}


def _name(kind: pa.DataType) -> str:
    return f"list of {_NAMES[kind.value_type]}" if pa.types.is_list(kind) else _NAMES[kind]


@pytest.mark.parametrize("table", TABLES)
def test_each_column_is_documented(repository: Path, table: str) -> None:
    """By name, type, whether it may be null, and meaning, in the order of the columns."""
    page = (repository / "docs/reference/archive.md").read_text()
    section = page.partition(f"\n### {table}\n")[2].partition("\n### ")[0]
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$", section, flags=re.MULTILINE)

    wanted = [
        (one.name, _name(one.type) + (", or null" if one.nullable else ""), one.metadata[b"doc"].decode())
        for one in TABLES[table]
    ]
    assert wanted == rows


def test_what_names_an_overwrite_is_required_in_each_table() -> None:
    """Service, property and gaming day come first and are never null; cents are never narrower than 64 bits."""
    for schema in TABLES.values():
        assert list(PARTITION) == [schema.field(number) for number in range(len(PARTITION))]
        assert not any(column.nullable for column in PARTITION)
    cents = TABLES["entries"].field("cents").type
    assert (pa.int64(), False) == (cents.value_type, cents.value_field.nullable)
