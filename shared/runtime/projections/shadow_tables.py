"""Shadow copies of a service's tables, filled by the service's own code.

The copies are temporary tables, visible to nobody else, not even a superuser. Statements on the service's tables are
redirected to the copies; the journal and other sources are read in place.
"""

import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from psycopg import AsyncCursor
from sqlalchemy import MetaData, Table
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine


def copy_of(table: Table) -> Table:
    """Return the copy of a table."""
    return table.to_metadata(MetaData(), schema="pg_temp")


@asynccontextmanager
async def second_copy(
    engine: AsyncEngine, tables: Sequence[Table]
) -> AsyncIterator[tuple[AsyncConnection, "Redirect"]]:
    """Yield a transaction in one snapshot, with empty copies of these tables; it is rolled back at the end.

    The copies have the declared columns, even if the real tables were altered. Statements go to the copies until
    redirection is turned off.
    """
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="REPEATABLE READ")
        async with connection.begin() as transaction:
            for table in tables:
                await connection.run_sync(copy_of(table).create, checkfirst=False)
            raw = await connection.get_raw_connection()
            redirect = Redirect(raw.driver_connection, tables)
            redirect.to_copies()
            try:
                yield connection, redirect
            finally:
                redirect.to_tables()
                await transaction.rollback()


class Redirect:
    """Whether the statements of a connection go to the copies or to the tables themselves."""

    def __init__(self, driver: Any, tables: Sequence[Table]) -> None:
        self._driver = driver
        self._usual = driver.cursor_factory
        self._copies = _cursor(redirected_to_copies(tables))

    def to_copies(self) -> None:
        """Send statements to the copies from now on."""
        self._driver.cursor_factory = self._copies

    def to_tables(self) -> None:
        """Send statements to the tables from now on."""
        self._driver.cursor_factory = self._usual


def redirected_to_copies(tables: Sequence[Table]) -> Callable[[Any], Any]:
    """Return the function that names the copies in a statement, text or bytes, instead of the tables."""
    names = "|".join(re.escape(table.name) for table in tables)
    schemas = "|".join({re.escape(str(table.schema)) for table in tables})
    named = re.compile(rf'(?<![\w"])(?:{schemas})\.("?)({names})\1(?!["\w])')

    def redirected(query: Any) -> Any:
        if isinstance(query, bytes):
            return named.sub(r"pg_temp.\1\2\1", query.decode()).encode()
        assert isinstance(query, str), f"a statement of type {type(query).__name__} cannot be redirected"
        return named.sub(r"pg_temp.\1\2\1", query)

    return redirected


def _cursor(redirected: Callable[[Any], Any]) -> type[AsyncCursor[Any]]:
    class Redirected(AsyncCursor[Any]):
        async def execute(self, query: Any, *given: Any, **more: Any) -> Any:
            return await super().execute(redirected(query), *given, **more)

        async def executemany(self, query: Any, *given: Any, **more: Any) -> None:
            await super().executemany(redirected(query), *given, **more)

        def copy(self, statement: Any, *given: Any, **more: Any) -> Any:
            return super().copy(redirected(statement), *given, **more)

    return Redirected
