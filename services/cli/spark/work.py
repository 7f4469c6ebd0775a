"""What engines do with batches of an archive's rows: `Work`, and the first of its kinds, which hashes files.

It imports no rules: a worker that only hashes files starts at once.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Protocol

import pyarrow as pa

Batches = Iterable[pa.RecordBatch]


class Work(Protocol):
    """A conversion of batches that have the `columns` of archived entries to batches of `schema`."""

    columns: ClassVar[tuple[str, ...]]
    schema: ClassVar[pa.Schema]

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        """Yield one batch for each batch."""


class Read(Protocol):
    """Returns the content of a file of the archive, by its path in the store."""

    def __call__(self, path: str) -> bytes:
        """Return the content. Raises: FileNotFoundError."""


@dataclass(frozen=True, slots=True)
class FolderReader:
    """Reads files from a folder, which every worker must have under the same name."""

    folder: Path

    def __call__(self, path: str) -> bytes:
        return (self.folder / path).read_bytes()


def day_schema(texts: str, numbers: str) -> pa.Schema:
    """Return the schema of rows about archived days: property and gaming day, then texts, then 64-bit integers."""
    return pa.schema(
        [
            pa.field("property", pa.string()),
            pa.field("gaming_day", pa.date32()),
            *(pa.field(name, pa.string()) for name in texts.split()),
            *(pa.field(name, pa.int64()) for name in numbers.split()),
        ]
    )


def batch_of(rows: Sequence[Sequence[Any]], schema: pa.Schema) -> pa.RecordBatch:
    """Return rows, each with a value for every column of the schema, as a batch."""
    columns = zip(*rows, strict=True) if rows else ((),) * len(schema)
    return pa.RecordBatch.from_arrays(
        [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)], schema=schema
    )


def rows_of(batch: pa.RecordBatch, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Return the values of these columns, row by row."""
    return zip(*(batch.column(name).to_pylist() for name in columns), strict=True)


class CheckFiles(Work):
    """Compares files with the sizes and hashes that the manifests have; returns those that differ."""

    columns = ("path", "size", "sha256")
    schema = pa.schema([pa.field("path", pa.string()), pa.field("what", pa.string())])

    def __init__(self, read: Read) -> None:
        self._read = read

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            found = [(path, self._problem(path, *said)) for path, *said in rows_of(batch, self.columns)]
            yield batch_of([row for row in found if row[1]], self.schema)

    def _problem(self, path: str, size: int, digest: str) -> str:
        try:
            content = self._read(path)
        except FileNotFoundError:
            return "the file is missing"
        same = (len(content), sha256(content).hexdigest()) == (size, digest)
        return "" if same else "the file is not what was archived"
