#!/bin/sh
# What an archive in Iceberg tables meets: a table is created from a schema whose fields have ids, and files written with
# those very ids are added. The amounts come back in each other's columns, and nothing is said.
#
# Guess, written down first: a schema is made of fields with ids, so the table that is created from it has them; a Parquet
# file whose columns carry the same ids is either read rightly or refused when it is added. If ids were ignored, columns
# would be matched by name and be right as well.
#
# Version: pyiceberg 0.12.0 with pyarrow 26.0.1 (PyPI), Python 3.11, SQL catalog in SQLite.
#
# Behavior: create_table numbers the fields anew, top level first and in the order in which they are given, then elements
# of lists. The schema that was passed keeps its own ids, and only `table.schema()` shows the others. add_files takes a
# file whose ids are those of the schema that was passed, compares types by id and never names, and commits; scans go by
# id alone:
#   staked (2), paid (1), both of long      each amount is read as the other column's
#   a filter on such a column               answers for the wrong column
#   cards: list (1, element 2), dealer (3), player (4)
#                                           player has the dealer's values; cards are null; dealer raises KeyError
#   the same rows by `append`, by name      right
#
# What follows for whoever adds files: write them with the ids of `table.schema()` after creation, or with none (columns
# are then matched by name), and compare what a scan reads with what was written before anything is deleted elsewhere.
# Totals over both columns together do not show it, nor do counts of rows.
set -eu
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'pyiceberg[sql-sqlite,pyarrow]==0.12.0' 'pyarrow==26.0.1'
cat >"$folder/tried.py" <<'PYTHON'
import sys

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import ListType, LongType, NestedField, StringType

folder = sys.argv[1]
catalog = SqlCatalog("archive", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/warehouse")
catalog.create_namespace("pit")


def column(name, kind, field_id):
    return pa.field(name, kind, metadata={b"PARQUET:field_id": str(field_id).encode()})


def added(name, schema, rows, columns):
    """Create a table, write rows with the given ids and add the file; return the table."""
    table = catalog.create_table(f"pit.{name}", schema)
    print(f"{name}: given {[f.field_id for f in schema.fields]}, created {[f.field_id for f in table.schema().fields]}")
    pq.write_table(pa.Table.from_pydict(rows, pa.schema(columns)), f"{folder}/{name}.parquet")
    table.add_files([f"file://{folder}/{name}.parquet"])
    return table


def read(table, *columns, **how):
    try:
        return table.scan(selected_fields=columns or ("*",), **how).to_arrow().to_pydict()
    except Exception as error:
        return type(error).__name__


AMOUNTS = Schema(NestedField(2, "staked", LongType()), NestedField(1, "paid", LongType()))
ROWS = {"staked": [1000, 2000], "paid": [0, 4000]}
wagers = added("wagers", AMOUNTS, ROWS, [column("staked", pa.int64(), 2), column("paid", pa.int64(), 1)])
unmarked = catalog.create_table("pit.unmarked", AMOUNTS)
pq.write_table(pa.table(ROWS), f"{folder}/unmarked.parquet")
unmarked.add_files([f"file://{folder}/unmarked.parquet"])
appended = catalog.create_table("pit.appended", AMOUNTS)
appended.append(pa.table(ROWS))
TEXT = StringType()
CARDS = ListType(2, TEXT, element_required=False)
rounds = added(
    "rounds",
    Schema(NestedField(1, "cards", CARDS), NestedField(3, "dealer", TEXT), NestedField(4, "player", TEXT)),
    {"cards": [["AS", "KH"]], "dealer": ["D"], "player": ["P"]},
    [
        column("cards", pa.list_(column("element", pa.string(), 2)), 1),
        column("dealer", pa.string(), 3),
        column("player", pa.string(), 4),
    ],
)
seen = {
    "wagers": read(wagers),
    "paid above 3,000": read(wagers, "staked", row_filter="paid > 3000"),
    "without ids": read(unmarked),
    "appended": read(appended),
    "player": read(rounds, "player"),
    "cards": read(rounds, "cards"),
    "dealer": read(rounds, "dealer"),
}
for name, rows in seen.items():
    print(f"{name:18}{rows}")
assert seen == {
    "wagers": {"staked": [0, 4000], "paid": [1000, 2000]},
    "paid above 3,000": {"staked": []},
    "without ids": ROWS,
    "appended": ROWS,
    "player": {"player": ["D"]},
    "cards": {"cards": [None]},
    "dealer": "KeyError",
}, "pyiceberg behaves otherwise than it did"
PYTHON
"$folder/venv/bin/python" "$folder/tried.py" "$folder"
