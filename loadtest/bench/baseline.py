"""The throughput of the database alone: the journal's rows copied into an identical table without triggers."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import psycopg
from psycopg import sql

_SCHEMA: Final = "loadtest_baseline"
_JOURNAL: Final = "round_settlement"
_TABLE: Final = "entries"
_READ_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Copied:
    """The baseline's result: the number of entries copied, and the seconds including the commit."""

    entries: int
    seconds: float

    @property
    def entries_per_second(self) -> float:
        """Return the number of entries, with their postings, copied per second."""
        return self.entries / self.seconds


def copy_baseline(conninfo: str) -> Copied:
    """Read the journal's entries into memory, then time one COPY of them into an identical table.

    The table has the same columns and indexes, but no triggers, no hashing and no fencing. The copy is dropped
    afterwards.
    """
    with psycopg.connect(conninfo, autocommit=True) as connection, _identical_table(connection) as table:
        chunks = _out(connection)
        started = time.perf_counter()
        with connection.transaction():
            entries = _into(connection, table, chunks)
        return Copied(entries, time.perf_counter() - started)


@contextmanager
def _identical_table(connection: psycopg.Connection) -> Iterator[sql.Identifier]:
    drop = sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(_SCHEMA))
    table = sql.Identifier(_SCHEMA, _TABLE)
    connection.execute(drop)
    connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(_SCHEMA)))
    try:
        connection.execute(
            sql.SQL("CREATE TABLE {} (LIKE {} INCLUDING INDEXES)").format(table, sql.Identifier(_JOURNAL, _TABLE))
        )
        yield table
    finally:
        connection.execute(drop)


def _out(connection: psycopg.Connection) -> list[bytes]:
    table = sql.Identifier(_JOURNAL, _TABLE)
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
