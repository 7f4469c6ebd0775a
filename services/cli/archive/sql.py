"""`pitledger sql`: query the archived days in SQL; DuckDB reads the files."""

import csv
import sys
from datetime import date, datetime
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from services.cli.environment import settings
from services.cli.exits import InputRefused, UsageWrong
from services.cli.output import AsJson, names, numbers, print_json, show, table, write_bytes
from shared.journal.archive.manifest import ARCHIVE
from shared.runtime.extras import require_extra

if TYPE_CHECKING:
    import pyarrow as pa

    from services.cli.archive.store import Store

FormName = Literal["table", "csv", "json", "parquet"]

POSTINGS: Final = """
    CREATE VIEW postings AS
    SELECT e.service, e.property, e.gaming_day, e.shard, e.shard_name, e.seq, e.kind, e.occurred_at, e.recorded_at,
        e.line, e.account, a.account_property, a.table_name, a.wager, a.leg, e.posted AS cents
    FROM (
        SELECT service, property, gaming_day, shard, shard_name, seq, kind, occurred_at, recorded_at,
            unnest(accounts) AS account, unnest(cents) AS posted, unnest(range(len(cents))) AS line
        FROM entries) e
    JOIN accounts a USING (service, property, gaming_day, account)"""
"""The view of postings as rows, each with its account; `line` counts from 0."""


def sql(
    query: Annotated[str, typer.Argument(help="One SELECT statement in SQL; - for stdin.")],
    store: Annotated[
        str | None,
        typer.Option(
            metavar="STORE", help="Archive store: a folder or s3://bucket/prefix (default: PITLEDGER_ARCHIVE_STORE)."
        ),
    ] = None,
    form: Annotated[FormName, typer.Option("--as", help="Output format.")] = "table",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write to this file instead of stdout.")] = None,
    as_json: AsJson = False,
) -> None:
    """Query the archive in SQL.

    The tables are entries, postings, accounts and checkpoints; each archived day is read from its latest manifest.
    DuckDB reads only the archive's files: it loads no extension, reads no other file, and writes none. Times are in
    UTC. Amounts are whole cents, and sums of them are BIGINT. Reads the store and no database.

    Example: pitledger sql "SELECT gaming_day, leg, sum(cents) FROM postings GROUP BY ALL ORDER BY ALL"
    Example: pitledger sql --as parquet -o win.parquet "SELECT * FROM postings WHERE leg = 'payout'"
    """
    require_extra(ARCHIVE)
    from services.cli.archive.store import Store, explained_store

    where = store or settings().archive_store
    if where is None:
        raise UsageWrong("where is the archive? give --store, or PITLEDGER_ARCHIVE_STORE")
    question = sys.stdin.read() if query == "-" else query
    with explained_store(where):
        answer = ask(Store.opened(where), question)
    write_answer(answer, "json" if as_json else form, output)


def ask(store: "Store", question: str) -> "pa.Table":
    """Return the result of one SELECT statement, with HUGEINT columns converted to BIGINT.

    Raises: InputRefused if it is not one SELECT statement, or fails; CheckFailed if the tables' files differ from those
    in the manifests.
    """
    import duckdb
    import pyarrow as pa

    connection = duckdb.connect(
        ":memory:", config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    )
    try:
        _declare(connection, store)
        try:
            statements = connection.extract_statements(question)
        except duckdb.Error as error:
            raise InputRefused(_first_line(error)) from error
        # Files that may be read may be written, too: COPY without a temporary file replaces one of the archive.
        if len(statements) != 1 or statements[0].type not in (
            duckdb.StatementType.SELECT,
            duckdb.StatementType.EXPLAIN,
        ):
            raise InputRefused("give one SELECT statement: the archive is read, never written")
        try:
            relation = connection.sql(question)
            answer = relation.to_arrow_table()
            wide = [str(kind) in ("HUGEINT", "UHUGEINT") for kind in relation.types]
        except duckdb.Error as error:
            raise InputRefused(_first_line(error)) from error
        try:
            columns = [
                column.cast(pa.int64()) if is_wide else column
                for column, is_wide in zip(answer.columns, wide, strict=True)
            ]
        except pa.ArrowInvalid as error:
            raise InputRefused(f"a sum does not fit into BIGINT: {error}") from error
        return pa.Table.from_arrays(columns, names=answer.column_names)
    finally:
        connection.close()


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


def _declare(connection: Any, store: "Store") -> None:
    """Declare the tables of the archive, and disable access to everything else."""
    from services.cli.archive.latest_files import latest_files

    connection.execute("SET TimeZone = 'UTC'")
    allowed: list[str] = []
    for name, files in latest_files(store).items():
        allowed += _declare_table(connection, store, name, [one.file.path for one in files])
    connection.execute(POSTINGS)
    connection.execute("SET allowed_paths = $paths", {"paths": allowed})
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _declare_table(connection: Any, store: "Store", name: str, paths: list[str]) -> list[str]:
    """Declare a table of the archive; return the files that DuckDB must be allowed to read for it."""
    from services.cli.archive.remote import dataset_of
    from shared.journal.archive.columns import TABLES

    columns = ", ".join(f'"{column}"' for column in TABLES[name].names)
    if not paths:
        connection.register(f"{name}_rows", TABLES[name].empty_table())
        connection.execute(f"CREATE VIEW {name} AS SELECT {columns} FROM {name}_rows")  # noqa: S608 - our own names
        return []
    if (folder := store.folder()) is None:
        connection.register(f"{name}_rows", dataset_of(store, name, paths))
        connection.execute(f"CREATE VIEW {name} AS SELECT {columns} FROM {name}_rows")  # noqa: S608 - our own names
        return []
    files = [str(folder / path) for path in paths]
    listed = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
    # Nothing is taken from names of folders: a property 007 would become the number 7.
    source = f"read_parquet([{listed}], hive_partitioning = false, union_by_name = false)"
    connection.execute(f"CREATE VIEW {name} AS SELECT {columns} FROM {source}")  # noqa: S608 - our own names
    return files


def write_answer(answer: "pa.Table", form: FormName, output: Path | None) -> None:
    """Write rows to a file or stdout. Raises: UsageWrong if the form is one that is only for stdout."""
    if form == "parquet":
        import pyarrow as pa
        from pyarrow import parquet

        sink = pa.BufferOutputStream()
        parquet.write_table(answer, sink, compression="zstd")
        write_bytes(sink.getvalue().to_pybytes(), output, "Parquet", readable=False)
        return
    rows = [[_plain(value) for value in row.values()] for row in answer.to_pylist()] if answer.num_columns else []
    if form == "csv":
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(answer.column_names)
        writer.writerows(rows)
        write_bytes(text.getvalue().encode(), output, "CSV", readable=True)
    elif form == "json":
        if output is not None:
            raise UsageWrong("--output is of csv and parquet: JSON goes to stdout, one row a line")
        for row in rows:
            print_json(dict(zip(answer.column_names, row, strict=True)))
    else:
        if output is not None:
            raise UsageWrong("--output is of csv and parquet: name one of them with --as")
        columns = [
            column
            for field in answer.schema
            for column in (numbers(field.name) if _is_number(field.type) else names(field.name))
        ]
        show(table(columns, [["" if value is None else str(value) for value in row] for row in rows]))


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _plain(value: Any) -> Any:
    """Return a value in output form: bytes as text if they are UTF-8, else in hexadecimal; times in UTC."""
    match value:
        case bytes():
            try:
                return value.decode()
            except UnicodeDecodeError:
                return value.hex()
        case datetime() | date():
            return value.isoformat()
        case Decimal():
            return str(value)
        case _:
            return value
