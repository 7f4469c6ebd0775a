"""Statements about many rows, and several statements in one wait.

A statement takes its rows as one JSON text, which is quicker to write and to send than an array a column. Statements
that do not depend on each other's answers are sent together: waiting for the server costs more than most of them do.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from psycopg import AsyncConnection as Driver
from psycopg import AsyncCursor
from psycopg.rows import namedtuple_row
from pydantic_core import to_json
from sqlalchemy.ext.asyncio import AsyncConnection

_FROM_TEXT = {"bytea": "decode({}, 'hex')", "json": "{}::json"}
"""How what JSON has only as a text becomes a value: bytes, and JSON that is kept byte for byte."""


def came(columns: Mapping[str, str]) -> str:
    """The rows of `arguments` in a statement, as `v`, given the names and types of their columns."""
    kinds = ", ".join(f'"{name}" {"text" if kind in _FROM_TEXT else kind}' for name, kind in columns.items())
    return f"json_to_recordset(%(rows)s::json) AS v ({kinds})"


def values(columns: Mapping[str, str]) -> dict[str, str]:
    """The expressions that give the columns of the rows that `came`, by name."""
    return {name: _FROM_TEXT.get(kind, "{}").format(f'v."{name}"') for name, kind in columns.items()}


def insert(table: str, columns: Mapping[str, str]) -> str:
    """A statement that inserts the rows of `arguments`."""
    names = ", ".join(f'"{name}"' for name in columns)
    return f"INSERT INTO {table} ({names}) SELECT {', '.join(values(columns).values())} FROM {came(columns)}"  # noqa: S608 - our names


def arguments(names: Iterable[str], rows: Iterable[Sequence[Any]]) -> dict[str, str]:
    """Rows as `came` wants them."""
    names = tuple(names)
    return {"rows": to_json([dict(zip(names, row, strict=True)) for row in rows], bytes_mode="hex").decode()}


def copy_text(value: str) -> str:
    """A text as PostgreSQL's COPY text format wants it."""
    return value.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


async def copy_rows(connection: AsyncConnection, table: str, columns: Sequence[str], rows: str) -> None:
    """Sends rows in COPY text format: fields separated by tabs, each row ended by a newline."""
    raw = await connection.get_raw_connection()
    driver: Any = raw.driver_connection
    names = ", ".join(f'"{column}"' for column in columns)
    async with driver.cursor() as cursor, cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
        await copy.write(rows.encode())


class Pipeline:
    """Statements on their way to the server; what they gave is there when the pipeline has ended."""

    def __init__(self, driver: Driver[Any]) -> None:
        self._driver = driver
        self._promises: list[tuple[AsyncCursor[Any], int, Exception]] = []

    async def execute(self, statement: str, given: Mapping[str, Any]) -> AsyncCursor[Any]:
        """Sends a statement with what its parameters are given. Its rows have the columns as attributes."""
        return await self._driver.cursor(row_factory=namedtuple_row).execute(statement.encode(), given)

    async def write(self, statement: str, given: Mapping[str, Any], *, rows: int, otherwise: Exception) -> None:
        """Sends a statement that writes so many rows. The pipeline raises `otherwise` where it wrote more or fewer."""
        self._promises.append((await self.execute(statement, given), rows, otherwise))

    def check(self) -> None:
        """Raises what was to be raised."""
        for cursor, rows, otherwise in self._promises:
            if cursor.rowcount != rows:
                raise otherwise


@asynccontextmanager
async def pipeline(connection: AsyncConnection) -> AsyncIterator[Pipeline]:
    """Sends statements together, in their order; after the first that fails none is done, and its error is raised."""
    raw = await connection.get_raw_connection()
    driver: Any = raw.driver_connection
    async with driver.pipeline():
        sent = Pipeline(driver)
        yield sent
    sent.check()
