"""Read an archive with Apache Spark: a session that reads these files alone, and fetches nothing."""

import os
import shutil
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

import pyarrow as pa

from services.cli.exits import CheckFailed, CommandError, UsageWrong
from services.cli.services import SETTLEMENT
from services.cli.spark.archive import Archive, require_as_archived
from services.cli.spark.work import CheckFiles, FolderReader, Work
from shared.journal.archive.columns import TABLES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_LOCAL: Final = (("spark.driver.bindAddress", "127.0.0.1"), ("spark.driver.host", "127.0.0.1"))
"""Spark on this machine alone listens to nobody else."""
_DEFAULTS: Final = (
    ("spark.app.name", "pitledger"),
    ("spark.ui.enabled", "false"),
    ("spark.ui.showConsoleProgress", "false"),
    ("spark.log.level", "ERROR"),
)
_REQUIRED: Final = (
    ("spark.sql.session.timeZone", "UTC"),
    ("spark.sql.ansi.enabled", "true"),  # a sum that does not fit is an error, not another number
    ("spark.sql.files.ignoreCorruptFiles", "false"),
    ("spark.sql.files.ignoreMissingFiles", "false"),
    ("spark.sql.execution.arrow.maxRecordsPerBatch", "2048"),
)
_LEGS: Final = """
    SELECT property, gaming_day, game, inline(arrays_zip(accounts, cents)) AS (account, posted)
    FROM (
        SELECT property, gaming_day, get_json_object(decode(data, 'UTF-8'), '$.game') AS game, accounts, cents
        FROM entries WHERE service = '{service}') e"""
"""The JSON is parsed for each entry; beside `inline` it would be parsed for each posting."""
_TYPES: Final = {
    pa.string(): "STRING",
    pa.date32(): "DATE",
    pa.bool_(): "BOOLEAN",
    pa.int32(): "INT",
    pa.int64(): "BIGINT",
    pa.binary(): "BINARY",
    pa.binary(32): "BINARY",
    pa.timestamp("us", tz="UTC"): "TIMESTAMP",
}
_SLICES: Final = 4
"""Tasks for each of Spark's processors when files are hashed."""


class SparkEngine:
    """Spark as the engine: its own reader reads the files, its Python workers settle."""

    def __init__(self, archive: Archive, folder: Path, session: "SparkSession") -> None:
        self._session = session
        self._entries = _frame(session, "entries", folder, [one.file.path for one in archive.entries])
        self._accounts = _frame(session, "accounts", folder, [one.file.path for one in archive.accounts])

    @classmethod
    @contextmanager
    def opened(cls, archive: Archive, master: str, conf: Sequence[tuple[str, str]]) -> Iterator[Self]:
        """Yield the engine with a session of Spark, which ends with it.

        Raises: UsageWrong if Java is missing; CheckFailed if a file is not as the manifest has it, or cannot be read.
        """
        folder = archive.store.folder()
        assert folder is not None, "the options refuse a bucket"
        session = _session(master, conf)
        try:
            with _explained():
                _check(session, archive, folder)
                yield cls(archive, folder, session)
        finally:
            session.stop()

    def declare(self, view: str, work: Work, kinds: Collection[str]) -> None:
        """Declare a view of what `work` makes of the span's entries of these kinds. It can be queried once."""
        chosen = self._entries.where(self._entries["kind"].isin(sorted(kinds)))
        _made(chosen, work).createOrReplaceTempView(view)

    def answer(self, statement: str) -> pa.Table:
        """Return the rows of a statement about declared views."""
        return self._session.sql(statement).toArrow()

    def answer_of_legs(self, statement: str) -> pa.Table:
        """Return the rows of a statement about `legs` and `accounts`."""
        self._entries.createOrReplaceTempView("entries")
        self._accounts.createOrReplaceTempView("accounts")
        self._session.sql(_LEGS.format(service=SETTLEMENT)).createOrReplaceTempView("legs")
        return self.answer(statement)


def _session(master: str, conf: Sequence[tuple[str, str]]) -> "SparkSession":
    """Return a new session. Raises: UsageWrong if there is no Java, or Spark does not start with it at this master."""
    java = _java()
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    # Workers are to run this Python, which has the package; Spark's default is the first python3 of the PATH.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(master)
    local = _LOCAL if master.startswith("local") else ()
    for name, value in (*_DEFAULTS, *local, *conf, *_REQUIRED):
        builder = builder.config(name, value)
    try:
        return builder.getOrCreate()
    except (Py4JJavaError, PySparkException) as error:
        said = _said(error.java_exception if isinstance(error, Py4JJavaError) else error)
        raise UsageWrong(
            f"Spark does not start with {java} and --master {master}: {said} It needs a whole Java 17, 21 or 25, which "
            "JAVA_HOME names, and a master such as local[*] or spark://HOST:7077"
        ) from error


def _java() -> str:
    """Return the path of Java. Raises: UsageWrong if there is none."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=None if home is None else f"{home}/bin")
    if found is None:
        where = "on the PATH, and JAVA_HOME is not set" if home is None else f"in JAVA_HOME, {home}"
        raise UsageWrong(
            f"Spark needs Java 17 or later, and there is none {where}; install openjdk-17-jre-headless or its like, or "
            "give --single-process"
        )
    return found


def _frame(session: "SparkSession", table: str, folder: Path, paths: Sequence[str]) -> "DataFrame":
    """Return the rows of a table's files. The path of an archive has no sign that Spark would take for a pattern."""
    columns = ", ".join(f"{field.name} {_ddl(field.type)}" for field in TABLES[table])
    if not paths:
        return session.createDataFrame([], columns)
    return session.read.schema(columns).parquet(*((folder / path).as_uri() for path in paths))


def _ddl(kind: pa.DataType) -> str:
    return f"ARRAY<{_TYPES[kind.value_type]}>" if pa.types.is_list(kind) else _TYPES[kind]


def _made(frame: "DataFrame", work: Work) -> "DataFrame":
    columns = ", ".join(f"{field.name} {_ddl(field.type)}" for field in work.schema)
    return frame.select(*work.columns).mapInArrow(work, columns)


def _check(session: "SparkSession", archive: Archive, folder: Path) -> None:
    """Hash all files of the span in Spark's workers. Raises: CheckFailed if one is not as the manifest has it."""
    listed = session.createDataFrame(pa.Table.from_batches([archive.listed()]))
    slices = session.sparkContext.defaultParallelism * _SLICES
    require_as_archived(
        archive.store.url, _made(listed.repartition(slices), CheckFiles(FolderReader(folder))).toArrow()
    )


@contextmanager
def _explained() -> Iterator[None]:
    """Convert errors of Spark to command errors."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        if (error.getCondition() or "").startswith("FAILED_READ_FILE"):
            raise CheckFailed(f"{_said(error)}; run: pitledger archive verify") from error
        raise SparkFailed(f"Spark: {_said(error)}") from error


class SparkFailed(CommandError):
    """A job of Spark failed."""


def _said(error: object) -> str:
    """Return what an error of Spark says in a line: the first, or the last of a traceback of a worker's Python."""
    lines = str(error).strip().splitlines() or [""]
    return lines[-1 if any(line.startswith("Traceback") for line in lines) else 0].strip()
