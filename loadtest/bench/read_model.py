"""Measure how fast the database alone copies reporting's rows, and multiply the rows to more gaming days."""

import io
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

import psycopg
from psycopg import sql

from loadtest.traffic.journal import DESK

_SCHEMA: Final = "reporting"
_ROUNDS: Final = sql.Identifier(_SCHEMA, "rounds")
_COPY_OF_ROUNDS: Final = sql.Identifier("pg_temp", "copy_of_rounds")
_OF_DAYS: Final = (
    *("day_moments", "dealer_days", "wager_days", "play_days", "chip_hours", "pace_hours", "line_days"),
    *("rounds", "won_lines", "seat_wagers"),
)
"""The tables that are multiplied completely, because all of their rows follow from rounds."""
_OF_JOURNALS: Final = ("positions", "facts", "amounts")
"""Tables whose rows are only multiplied if they follow from rounds (`_OF_ROUNDS`)."""
_OF_ROUNDS: Final = {
    "positions": f"t.service <> 'table-inventory' AND t.shard < {DESK}",
    "facts": f"(t.service <> 'table-inventory' OR t.event LIKE 'vigorish.%') AND t.shard < {DESK}",
    "amounts": f"""t.shard < {DESK} AND (t.service <> 'table-inventory' OR EXISTS (
        SELECT FROM reporting.facts f WHERE f.service = t.service AND f.shard = t.shard AND f.seq = t.seq
        AND f.event LIKE 'vigorish.%'))""",
}
_TEXTS: Final = ("round_id", "item", "data")
"""The text columns that contain gaming days."""
_SUMS: Final = sql.SQL("""
    INSERT INTO reporting.amount_days (gaming_day, property, measure, table_name, shift, item, value)
    SELECT gaming_day, property, measure, table_name, shift, item, sum(value) FROM reporting.amounts
    WHERE seq > {stride} GROUP BY 1, 2, 3, 4, 5, 6""")
_STRIDE: Final = 10_000_000
"""The number added to a row's sequence per day by which the row's copy is shifted."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The seconds that the database needs to copy the rows of rounds into an empty table, and to count these rows."""

    rows: int
    copy_seconds: float
    count_seconds: float

    @property
    def rows_per_second(self) -> float:
        """Return the number of rows copied per second, including the commit."""
        return self.rows / self.copy_seconds

    def __str__(self) -> str:
        return (
            f"the same rows of rounds copied into an empty table: {self.rows_per_second:,.0f} a second; "
            f"counting them: {self.count_seconds:.2f} s"
        )


def baseline(conninfo: str) -> Baseline:
    """Copy the rounds of the read model into an empty table with the same columns, and count them there."""
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


def multiply(conninfo: str, first: date, days: int, wanted: int) -> None:
    """Copy the rows of the first `days` gaming days until there are `wanted` days, with their dates shifted.

    Rows derived from people's work (`loadtest.traffic.ledgers`) are not copied, and must not exist yet on the further
    days.
    """
    with psycopg.connect(conninfo, autocommit=True) as connection:
        for table in (*_OF_JOURNALS, *_OF_DAYS):
            columns = connection.execute(
                "SELECT column_name, data_type FROM information_schema.columns "
                "WHERE table_schema = %s AND table_name = %s AND is_generated = 'NEVER' ORDER BY ordinal_position",
                (_SCHEMA, table),
            ).fetchall()
            which = sql.SQL(_OF_ROUNDS.get(table, "true"))
            for later in range(days, wanted, days):
                _repeat(connection, table, columns, which, [first + timedelta(days=n) for n in range(days + 1)], later)
        connection.execute(_SUMS.format(stride=sql.Literal(_STRIDE)))
    vacuum(conninfo)


def vacuum(conninfo: str) -> None:
    """Vacuum, analyze and checkpoint the database, as PostgreSQL would do automatically over a month.

    The checkpoint is omitted without the role `pg_checkpoint`.
    """
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
        if connection.execute("SELECT pg_has_role('pg_checkpoint', 'usage')").fetchone() == (True,):
            connection.execute("CHECKPOINT")


def _repeat(
    connection: psycopg.Connection[tuple[str, str]],
    table: str,
    columns: Sequence[tuple[str, str]],
    which: sql.Composable,
    days: Sequence[date],
    later: int,
) -> None:
    names = sql.SQL(", ").join(sql.Identifier(name) for name, _ in columns)
    values = sql.SQL(", ").join(_later(name, kind, days, later) for name, kind in columns)
    statement = sql.SQL("INSERT INTO {table} ({names}) SELECT {values} FROM {table} t WHERE {of_first} AND {which}")
    of_first = sql.SQL("seq < {}").format(sql.Literal(_STRIDE))
    if not any(name == "seq" for name, _ in columns):
        of_first = sql.SQL("gaming_day >= {} AND gaming_day < {}").format(sql.Literal(days[0]), sql.Literal(days[-1]))
    place = sql.Identifier(_SCHEMA, table)
    connection.execute(statement.format(table=place, names=names, values=values, of_first=of_first, which=which))


def _later(name: str, kind: str, days: Sequence[date], later: int) -> sql.Composable:
    """Return the SQL expression of a column's value in a row shifted by `later` days."""
    column = sql.Identifier(name)
    if kind == "date":
        return sql.SQL("{} + {}").format(column, sql.Literal(later))
    if kind.startswith("timestamp"):
        return sql.SQL("{} + {} * interval '1 day'").format(column, sql.Literal(later))
    if name == "seq":
        return sql.SQL("{} + {}::bigint").format(column, sql.Literal(later * _STRIDE))
    if name not in _TEXTS:
        return column
    value: sql.Composable = sql.SQL("CAST({} AS text)").format(column)
    for day in reversed(days):  # last day first, so that no replacement is replaced again
        for form in ("%Y-%m-%d", "%Y%m%d"):
            texts = [sql.Literal(f"{one:{form}}") for one in (day, day + timedelta(days=later))]
            value = sql.SQL("replace({}, {}, {})").format(value, *texts)
    return sql.SQL("CAST({} AS {})").format(value, sql.SQL(kind))
