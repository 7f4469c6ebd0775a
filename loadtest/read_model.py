"""The read model of reporting as rows: what the database alone takes to hold them, and more days of the same rows."""

import io
import time
from dataclasses import dataclass
from typing import Final

import psycopg
from psycopg import sql

_SCHEMA: Final = "reporting"
_ROUNDS: Final = sql.Identifier(_SCHEMA, "rounds")
_COPY_OF_ROUNDS: Final = sql.Identifier("pg_temp", "copy_of_rounds")
_OF_DAYS: Final = (
    *("day_moments", "positions", "round_days", "wager_days", "play_days", "line_days", "amount_days"),
    "rounds",
)
"""The tables that are multiplied: what reports of rounds are made of."""
_STRIDE: Final = 10_000_000
"""The sequences of a day that was multiplied begin so much later."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """How long the database takes for rows alone: to copy them into an empty table without indexes, to count them."""

    rows: int
    copy_seconds: float
    count_seconds: float

    @property
    def rows_per_second(self) -> float:
        """Return rows copied a second, commit included."""
        return self.rows / self.copy_seconds


def baseline(conninfo: str) -> Baseline:
    """Copy the rounds of the read model out, into an empty table of the same columns, and count them there."""
    with psycopg.connect(conninfo) as connection, connection.cursor() as cursor:
        held = io.BytesIO()
        with cursor.copy(sql.SQL("COPY {} TO STDOUT").format(_ROUNDS)) as out:
            for chunk in out:
                held.write(chunk)
        cursor.execute("CREATE TEMP TABLE copy_of_rounds (LIKE reporting.rounds)")
        connection.commit()
        started = time.perf_counter()
        with cursor.copy(sql.SQL("COPY {} FROM STDIN").format(_COPY_OF_ROUNDS)) as into:
            into.write(held.getbuffer())
        connection.commit()
        copied = time.perf_counter()
        row = cursor.execute(sql.SQL("SELECT count(*) FROM {}").format(_COPY_OF_ROUNDS)).fetchone()
        counted = time.perf_counter()
    assert row is not None
    return Baseline(row[0], copied - started, counted - copied)


def multiply(conninfo: str, days: int, wanted: int) -> None:
    """Repeat the first gaming days until there are as many as wanted: the same rows, so many days later."""
    with psycopg.connect(conninfo, autocommit=True) as connection:
        for table in _OF_DAYS:
            columns = connection.execute(
                "SELECT column_name, data_type FROM information_schema.columns "
                "WHERE table_schema = %s AND table_name = %s ORDER BY ordinal_position",
                (_SCHEMA, table),
            ).fetchall()
            names = sql.SQL(", ").join(sql.Identifier(name) for name, _ in columns)
            values = sql.SQL(", ").join(_later(name, kind) for name, kind in columns)
            name = sql.Identifier(_SCHEMA, table)
            statement = sql.SQL("INSERT INTO {} ({}) SELECT {} FROM {}, generate_series({}, {}, {}) AS later")
            last = sql.Literal(wanted - days)
            connection.execute(statement.format(name, names, values, name, sql.Literal(days), last, sql.Literal(days)))
        connection.execute("ANALYZE")


def _later(name: str, kind: str) -> sql.Composable:
    """Return the value of a column in a row of so many days later."""
    column = sql.Identifier(name)
    if kind == "date":
        return sql.SQL("{} + later").format(column)
    if kind.startswith("timestamp"):
        return sql.SQL("{} + later * interval '1 day'").format(column)
    if name == "seq":
        return sql.SQL("{} + later * {}::bigint").format(column, sql.Literal(_STRIDE))
    return column
