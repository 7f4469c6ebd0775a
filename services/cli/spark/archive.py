"""The part of an archive that `pitledger spark` reads: the files of a span of gaming days, and the engine over them."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final, Protocol

import pyarrow as pa
from pyarrow import parquet

from services.cli.archive.latest_files import LatestFile, latest_files
from services.cli.archive.store import Store, explained_store
from services.cli.exits import CheckFailed, NotFound
from services.cli.services import SETTLEMENT

if TYPE_CHECKING:
    from services.cli.spark.options import Reading
    from services.cli.spark.work import Work

_AT_ONCE: Final = 2048
"""Maximum number of rows that are decoded at once when this process reads a file."""


@dataclass(frozen=True, slots=True)
class Archive:
    """The files of round settlement's journal for a span of gaming days, of the latest manifests.

    `entries` and `accounts` are those of the span. `files` has all files of the archive by table, whatever the span.
    """

    store: Store
    entries: Sequence[LatestFile]
    accounts: Sequence[LatestFile]
    files: dict[str, list[LatestFile]]

    def accounts_by_day(self) -> dict[tuple[str, date], list[str]]:
        """Return (property, gaming day) -> the paths of the files with its accounts."""
        found: dict[tuple[str, date], list[str]] = defaultdict(list)
        for one in self.accounts:
            found[one.property, one.gaming_day].append(one.file.path)
        return dict(found)

    def listed(self) -> pa.RecordBatch:
        """Return path, size and SHA-256 of each file of the span, as the manifests have them."""
        files = [one.file for one in (*self.entries, *self.accounts)]
        return pa.RecordBatch.from_pydict(
            {name: [getattr(one, name) for one in files] for name in ("path", "size", "sha256")}
        )

    def batches(
        self, files: Sequence[LatestFile], columns: Sequence[str], kinds: Collection[str]
    ) -> Iterator[pa.RecordBatch]:
        """Yield the entries of these kinds, in the order of the files; reads one file at a time."""
        wanted = pa.array(sorted(kinds))
        for one in files:
            file = parquet.ParquetFile(pa.BufferReader(self.store.read(one.file.path)))
            named = list(dict.fromkeys((*columns, "kind")))
            for batch in file.iter_batches(_AT_ONCE, columns=named, use_threads=False):
                chosen = batch.filter(pa.compute.is_in(batch.column("kind"), value_set=wanted)).select(list(columns))
                if chosen.num_rows:
                    yield chosen


class Engine(Protocol):
    """Answers statements in SQL about archived settlements. All engines give the same rows in the same order.

    Statements are written in the SQL that Spark and DuckDB share; their tables are views that were declared before.
    """

    def declare(self, view: str, work: "Work", kinds: Collection[str]) -> None:
        """Declare a view of what `work` makes of the span's entries of these kinds. It can be queried once."""

    def answer(self, statement: str) -> pa.Table:
        """Return the rows of a statement about declared views."""

    def answer_of_legs(self, statement: str) -> pa.Table:
        """Return the rows of a statement about `legs` and `accounts`.

        `legs` has (property, gaming_day, game, account, posted) for each posting of round settlement in the span: a
        number of `accounts`, and signed cents.
        """


def require_as_archived(where: str, problems: pa.Table) -> None:
    """Raise CheckFailed if rows of (path, what) name files that are not as the manifests have them."""
    if problems.num_rows:
        first = min(zip(*(problems.column(name).to_pylist() for name in ("path", "what")), strict=True))
        more = f", and {problems.num_rows - 1} more" if problems.num_rows > 1 else ""
        raise CheckFailed(f"{where}: {first[0]}: {first[1]}{more}; run: pitledger archive verify")


def open_archive(reading: "Reading") -> Archive:
    """Return the part of an archive that a command is to read.

    Raises: CheckFailed if the tables have other files than the manifests; NotFound if no day of the span is archived.
    """
    store = Store.opened(reading.where)
    files = latest_files(store)

    def of(table: str) -> list[LatestFile]:
        return [one for one in files[table] if one.file.service == SETTLEMENT and reading.holds(one)]

    archive = Archive(store, of("entries"), of("accounts"), files)
    if not archive.entries:
        raise NotFound(f"{reading.where}: no round {reading.span()} is archived; `pitledger archive list` says what is")
    return archive


@contextmanager
def reading_engine(reading: "Reading") -> Iterator[tuple[Archive, Engine]]:
    """Open the archive, and the engine that reads it: Spark, or with --single-process this process alone.

    Every file of the span is hashed before it is read. Raises: CheckFailed if one is not as the manifest has it.
    """
    with explained_store(reading.where):
        archive = open_archive(reading)
        if reading.master is None:
            from services.cli.spark.single_process import SingleProcess

            with SingleProcess.opened(archive) as alone:
                yield archive, alone
            return
        from services.cli.spark.session import SparkEngine

        with SparkEngine.opened(archive, reading.master, reading.conf) as spark:
            yield archive, spark
