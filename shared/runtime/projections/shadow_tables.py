"""Temporary copies of a service's tables, filled by the service's own code.

No other session can see the copies, not even a superuser's. Statements on the service's tables are redirected to the
copies, whereas the journal and other sources are read in place.
"""

import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, Final

from psycopg import AsyncCursor
from sqlalchemy import MetaData, Table
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from shared.journal.columns import COPIED

TEMPORARY: Final = "pg_temp"


@cache
def copy_of(table: Table, schema: str = TEMPORARY) -> Table:
    """Return the copy of a table, cached because statements on a new `Table` object would be compiled again.

    The copy has only the unique indexes and the indexes marked `COPIED`, because no report reads it.
    """
    copy = table.to_metadata(MetaData(), schema=schema)
    kept = {index.name for index in table.indexes if index.unique or index.info.items() >= COPIED.items()}
    copy.indexes = {index for index in copy.indexes if index.name in kept}
    return copy


@asynccontextmanager
async def second_copy(
    engine: AsyncEngine, tables: Sequence[Table], beside: Sequence[Table] = ()
) -> AsyncIterator[tuple[AsyncConnection, "Redirect"]]:
    """Yield a connection in one snapshot, with empty copies of these tables, and a `Redirect`; roll back at the end.

    The copies have the columns that the service declares, even if the tables in the database were altered. Initially,
    statements on these tables and on the `beside` tables go to the copies; `Redirect` can change that.
    """
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="REPEATABLE READ")
        async with connection.begin() as transaction:
            for table in (*tables, *beside):
                await connection.run_sync(copy_of(table).create, checkfirst=False)
            raw = await connection.get_raw_connection()
            redirect = Redirect(raw.driver_connection, tables, beside)
            redirect.to_all_copies()
            try:
                yield connection, redirect
            finally:
                redirect.to_tables()
                await transaction.rollback()


class Redirect:
    """Switches the statements of a connection between the copies and the tables themselves."""

    def __init__(
        self, driver: Any, tables: Sequence[Table], beside: Sequence[Table] = (), schema: str = TEMPORARY
    ) -> None:
        self._driver = driver
        self._usual = driver.cursor_factory
        self._copies = _cursor(redirected_to_copies(tables, schema))
        self._all_copies = _cursor(redirected_to_copies([*tables, *beside], schema))

    def to_all_copies(self) -> None:
        """Direct later statements to the copies, including the copies of the `beside` tables."""
        self._driver.cursor_factory = self._all_copies

    def to_copies(self) -> None:
        """Direct later statements to the copies, but statements on `beside` tables to the tables themselves."""
        self._driver.cursor_factory = self._copies

    def to_tables(self) -> None:
        """Direct later statements to the tables themselves."""
        self._driver.cursor_factory = self._usual


def redirected_to_copies(tables: Sequence[Table], schema: str = TEMPORARY) -> Callable[[Any], Any]:
    """Return a function that replaces table names in a statement (text or bytes) by the names of their copies.

    It raises AssertionError for a statement that would write to a table of the service without a copy, or that calls a
    function of the service, because such a function reads the tables themselves.
    """
    names = "|".join(re.escape(table.name) for table in tables)
    schemas = "|".join({re.escape(str(table.schema)) for table in tables})
    named = re.compile(rf'(?<![\w"])(?:{schemas})\.("?)({names})\1(?!["\w])')
    writes = re.compile(
        rf"\b(?:INSERT INTO|UPDATE|DELETE FROM|COPY|MERGE INTO|TRUNCATE) (?:{schemas})\.", re.IGNORECASE
    )
    called = re.compile(rf'(?<![\w"])(?:{schemas})\.\w+\(')
    copies = rf"{schema}.\1\2\1"

    def redirected(query: Any) -> Any:
        if isinstance(query, bytes):
            return redirected(query.decode()).encode()
        assert isinstance(query, str), f"a statement of type {type(query).__name__} cannot be redirected"
        sent = named.sub(copies, query)
        assert writes.search(sent) is None, f"there is no copy of what is written: {sent}"
        assert called.search(sent) is None, f"a function reads the tables and not their copies: {sent}"
        return sent

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
