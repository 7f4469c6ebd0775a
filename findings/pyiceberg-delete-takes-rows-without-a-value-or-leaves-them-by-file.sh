#!/bin/sh
# What an archive in Iceberg tables meets: a delete by "not equal" removes rows without a value, or leaves them, by which
# file they happen to lie in, and not as a scan with the same filter shows.
#
# Guess, written down first: a filter means one thing. What `scan(row_filter=f)` shows is what `delete(f)` removes, however
# the rows lie in files; and "is none of" means the same for a list of one value as for one of two.
#
# Version: pyiceberg 0.12.0 with pyarrow 26.0.1 (PyPI), Python 3.11, SQL catalog in SQLite.
#
# Behavior: three rows, of kind "void", of kind "posted" and without a kind. Shown by a scan, and left by a delete:
#                                   scan          all in one file     a file each      null shares a file with void
#   kind != 'posted'                void          posted, null        posted           posted
#   not (kind = 'posted')           void          posted, null        posted           posted
#   kind not in ('posted')          void          posted, null        posted           posted
#   kind not in ('posted', 'held')  void, null    posted, null        posted           posted
# Files are judged by their statistics, where null differs from every value; rows of a file that is only partly deleted
# by a comparison that null fails. A file in which every row is taken by the first goes as a whole, a row that no scan
# with the filter shows with it; the same row beside one that stays, stays. A list of two values counts null in a scan,
# and a list of one, which becomes "not equal", does not.
#
# What follows for whoever deletes or overwrites by a filter: name the values to remove, not those to keep, or say what
# becomes of null (`... or kind is null`), and compare the rows before and after. Compaction alone changes what the
# same statement removes.
set -eu
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'pyiceberg[sql-sqlite,pyarrow]==0.12.0' 'pyarrow==26.0.1'
cat >"$folder/tried.py" <<'PYTHON'
import sys
from itertools import count

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog

folder = sys.argv[1]
catalog = SqlCatalog("archive", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/warehouse")
catalog.create_namespace("pit")
SCHEMA = pa.schema([("kind", pa.string())])
LAYOUTS = {
    "one file": [["void", "posted", None]],
    "a file each": [["void"], ["posted"], [None]],
    "null beside void": [["void", None], ["posted"]],
}
numbers = count(1)


def table(files):
    made = catalog.create_table(f"pit.entries_{next(numbers)}", SCHEMA)
    for kinds in files:
        made.append(pa.table({"kind": kinds}, schema=SCHEMA))
    return made


def kinds(made, **how):
    return {kind or "null" for kind in made.scan(**how).to_arrow()["kind"].to_pylist()}


def tried(condition, files):
    made = table(files)
    shown = kinds(made, row_filter=condition)
    made.delete(condition)
    return shown, kinds(made)


ONLY_VOID, WITH_NULL = {"void"}, {"void", "null"}
SEEN = {
    "kind != 'posted'": ONLY_VOID,
    "not (kind = 'posted')": ONLY_VOID,
    "kind not in ('posted')": ONLY_VOID,
    "kind not in ('posted', 'held')": WITH_NULL,
}
LEFT = {"one file": {"posted", "null"}, "a file each": {"posted"}, "null beside void": {"posted"}}
for condition, shown in SEEN.items():
    for layout, files in LAYOUTS.items():
        found = tried(condition, files)
        print(f"{condition:32}{layout:18}scan {', '.join(sorted(found[0])):12} left {', '.join(sorted(found[1]))}")
        assert found == (shown, LEFT[layout]), "pyiceberg behaves otherwise than it did"
PYTHON
"$folder/venv/bin/python" -W ignore "$folder/tried.py" "$folder"
