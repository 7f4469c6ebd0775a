"""Read the data files that a manifest lists, in batches of rows, and collect their problems."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Final, NamedTuple, TypeVar

import pyarrow as pa
from pyarrow import parquet

from shared.journal.archive.columns import PARTITION, TABLES
from shared.journal.archive.manifest import ArchivedFile, DayManifest

Read = Callable[[str], bytes]
"""Return the content of a file in the archive's store, by its path. Raises: FileNotFoundError."""

_AT_ONCE: Final = 2048
"""Maximum number of decoded rows in memory, in addition to the bytes of the file."""


class ArchiveProblem(NamedTuple):
    """A problem found in an archive. `number` is the manifest's number, or 0 if the problem is not in a single one."""

    number: int
    what: str


class DayFiles:
    """The data files of a manifest, each of which is read once. `problems` covers the files read so far."""

    def __init__(self, manifest: DayManifest, read: Read) -> None:
        self.problems: list[ArchiveProblem] = []
        self._manifest, self._read = manifest, read
        self._unread: list[ArchivedFile] = list(manifest.files)

    def rows(self, service: str, table: str) -> Iterator[pa.RecordBatch]:
        """Yield a service's rows of an archived table, with the table's declared columns, in the order of the files."""
        for one in self._manifest.files:
            if (one.service, one.table) == (service, table):
                yield from self._rows(one)

    def table(self, service: str, table: str) -> pa.Table:
        """Return a service's rows of an archived table; may be empty, such as accounts of a day without postings."""
        return pa.Table.from_batches(self.rows(service, table), TABLES[table])

    def read_rest(self) -> None:
        """Read the files that have not been read yet, so that `problems` covers all files."""
        for one in self._unread[:]:
            for _ in self._rows(one):
                pass

    def _rows(self, one: ArchivedFile) -> Iterator[pa.RecordBatch]:
        self._unread.remove(one)
        try:
            content = self._read(one.path)
        except FileNotFoundError:
            self._note(one, "the file is missing")
            return
        if (len(content), sha256(content).hexdigest()) != (one.size, one.sha256):
            self._note(one, "the file is not what was archived")
        count = 0
        filed: set[tuple[object, ...]] = set()
        try:
            for batch in parquet.ParquetFile(pa.BufferReader(content)).iter_batches(_AT_ONCE, use_threads=False):
                declared = as_declared(batch, one.table)
                count += declared.num_rows
                filed |= _filed(declared)
                yield declared
        except (pa.ArrowException, ValueError, KeyError) as error:
            self._note(one, f"the file has no rows of {one.table}: {error}")
            return
        if count != one.rows:
            self._note(one, f"{count} rows where there were {one.rows}")
        if filed - {(one.service, self._manifest.property, self._manifest.gaming_day)}:
            self._note(one, f"has rows of {sorted(map(str, filed))}")

    def _note(self, one: ArchivedFile, what: str) -> None:
        self.problems.append(ArchiveProblem(self._manifest.number, f"{one.path}: {what}"))


_Rows = TypeVar("_Rows", pa.RecordBatch, pa.Table)


def as_declared(rows: _Rows, table: str) -> _Rows:
    """Return rows converted to the columns and types of an archived table.

    Raises: ValueError, KeyError or ArrowException if a column is missing or cannot be converted.
    """
    schema = TABLES[table]
    return rows.select(schema.names).cast(schema)


def _filed(rows: pa.RecordBatch) -> set[tuple[object, ...]]:
    """Return the distinct (service, property, gaming day) of the rows."""
    names = [column.name for column in PARTITION]
    groups = pa.Table.from_batches([rows.select(names)]).group_by(names).aggregate([])
    return set(zip(*(groups.column(name).to_pylist() for name in names), strict=True))
