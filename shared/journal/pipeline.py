"""Send several statements in one round trip, because a round trip costs more than most statements."""

from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from psycopg import AsyncConnection as Driver
from psycopg import AsyncCursor
from psycopg.rows import namedtuple_row
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.journal.bulk import Row, Statement


class Pipeline:
    """Statements on their way to the server; their results are available after the pipeline ends."""

    def __init__(self, driver: Driver[Any]) -> None:
        self._driver = driver
        self._expected: list[tuple[AsyncCursor[Any], int, Exception]] = []

    async def execute(self, sql: str, parameters: Mapping[str, Any]) -> AsyncCursor[Any]:
        """Send a statement; the rows of its result have the columns as attributes."""
        return await self._driver.cursor(row_factory=namedtuple_row).execute(sql.encode(), parameters)

    async def read(self, statement: Statement, rows: Iterable[Row]) -> AsyncCursor[Any]:
        """Send a statement on many rows."""
        return await self.execute(statement.sql, statement.parameters(rows))

    async def write(self, statement: Statement, rows: Collection[Row], *, otherwise: Exception | None = None) -> None:
        """Send a statement on many rows, unless there are none.

        At its end the pipeline raises `otherwise` if the statement wrote more or fewer rows than were given.
        """
        if not rows:
            return
        cursor = await self.read(statement, rows)
        if otherwise is not None:
            self._expected.append((cursor, len(rows), otherwise))

    def check(self) -> None:
        """Raise the error of the first statement that did not write all of its rows."""
        for cursor, rows, otherwise in self._expected:
            if cursor.rowcount != rows:
                raise otherwise


@asynccontextmanager
async def pipeline(connection: AsyncConnection) -> AsyncIterator[Pipeline]:
    """Yield a pipeline; its statements run in order, and the first failure rolls back all of them and is raised."""
    raw = await connection.get_raw_connection()
    driver: Any = raw.driver_connection
    async with driver.pipeline():
        sent = Pipeline(driver)
        yield sent
    sent.check()
