"""What the database alone can take: the journal's own rows, copied into identical tables without triggers."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import psycopg
from psycopg import sql

_SCHEMA: Final = "loadtest_baseline"
_JOURNAL: Final = "round_settlement"
_TABLES: Final = ("entries", "postings")
_READ_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Copied:
    """Rows that were copied and the seconds that it took, commit included."""

    entries: int
    postings: int
    seconds: float

    @property
    def entries_per_second(self) -> float:
        """Return entries (each with its postings) a second."""
        return self.entries / self.seconds

    @property
    def rows_per_second(self) -> float:
        """Return rows of both tables a second."""
        return (self.entries + self.postings) / self.seconds


def copy_baseline(conninfo: str) -> Copied:
    """Read the journal's entries and postings into memory, then times one COPY of each into identical tables.

    The tables have the same columns and indexes; there is no trigger, no hash, no fence. They are dropped again.
    """
    with psycopg.connect(conninfo, autocommit=True) as connection, _identical_tables(connection):
        rows = {table: _out(connection, sql.Identifier(_JOURNAL, table)) for table in _TABLES}
        started = time.perf_counter()
        with connection.transaction():
            counts = {
                table: _into(connection, sql.Identifier(_SCHEMA, table), chunks) for table, chunks in rows.items()
            }
        seconds = time.perf_counter() - started
    return Copied(counts["entries"], counts["postings"], seconds)


@contextmanager
def _identical_tables(connection: psycopg.Connection) -> Iterator[None]:
    drop = sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(_SCHEMA))
    connection.execute(drop)
    connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(_SCHEMA)))
    try:
        for table in _TABLES:
            connection.execute(
                sql.SQL("CREATE TABLE {} (LIKE {} INCLUDING INDEXES)").format(
                    sql.Identifier(_SCHEMA, table), sql.Identifier(_JOURNAL, table)
                )
            )
        yield
    finally:
        connection.execute(drop)


def _out(connection: psycopg.Connection, table: sql.Identifier) -> list[bytes]:
    statement = sql.SQL("COPY (SELECT * FROM {} ORDER BY shard, seq) TO STDOUT (FORMAT binary)").format(table)
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        chunks: list[bytes] = []
        pending = bytearray()
        for chunk in copy:
            pending += chunk
            if len(pending) >= _READ_BYTES:
                chunks.append(bytes(pending))
                pending.clear()
        return [*chunks, bytes(pending)]


def _into(connection: psycopg.Connection, table: sql.Identifier, chunks: list[bytes]) -> int:
    with connection.cursor() as cursor:
        with cursor.copy(sql.SQL("COPY {} FROM STDIN (FORMAT binary)").format(table)) as copy:
            for chunk in chunks:
                copy.write(chunk)
        return cursor.rowcount
