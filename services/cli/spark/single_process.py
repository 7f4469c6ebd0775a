"""Read an archive with one process, without Spark: Arrow reads the files, DuckDB adds up."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Self

import pyarrow as pa

from services.cli.archive.sql import ask
from services.cli.services import SETTLEMENT
from services.cli.spark.archive import Archive, require_as_archived
from services.cli.spark.work import CheckFiles, Work

if TYPE_CHECKING:
    import duckdb

_LEGS: Final = """
    legs AS (
        SELECT property, gaming_day, decode(data)::JSON ->> 'game' AS game, unnest(accounts) AS account,
            unnest(cents) AS posted
        FROM entries WHERE service = '{service}' AND {span})"""


class SingleProcess:
    """The engine without Spark. What work makes of a file is passed on in batches, and never kept as a whole."""

    def __init__(self, archive: Archive, connection: "duckdb.DuckDBPyConnection") -> None:
        self._archive, self._connection = archive, connection

    @classmethod
    @contextmanager
    def opened(cls, archive: Archive) -> Iterator[Self]:
        """Yield the engine. Raises: CheckFailed if a file is not as the manifest has it."""
        import duckdb

        checked = pa.Table.from_batches(CheckFiles(archive.store.read)([archive.listed()]))
        require_as_archived(archive.store.url, checked)
        config: dict[str, Any] = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
        with duckdb.connect(":memory:", config=config) as connection:
            connection.execute("SET enable_external_access = false")
            yield cls(archive, connection)

    def declare(self, view: str, work: Work, kinds: Collection[str]) -> None:
        """Declare a view of what `work` makes of the span's entries of these kinds. It can be queried once."""
        batches = work(self._archive.batches(self._archive.entries, work.columns, kinds))
        self._connection.register(view, pa.RecordBatchReader.from_batches(work.schema, batches))

    def answer(self, statement: str) -> pa.Table:
        """Return the rows of a statement about declared views."""
        return self._connection.sql(statement).to_arrow_table()

    def answer_of_legs(self, statement: str) -> pa.Table:
        """Return the rows of a statement about `legs` and `accounts`, as `pitledger sql` does."""
        days = {(one.property, one.gaming_day) for one in self._archive.entries}
        names = ", ".join(f"('{name}', DATE '{day}')" for name, day in sorted(days))  # checked names of manifests
        ends = min(day for _, day in days), max(day for _, day in days)
        span = "gaming_day BETWEEN DATE '{}' AND DATE '{}' AND (property, gaming_day) IN ({})".format(*ends, names)
        legs = _LEGS.format(service=SETTLEMENT, span=span)
        return ask(self._archive.store, f"WITH {legs} {statement}")
