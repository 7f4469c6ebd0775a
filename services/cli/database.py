"""Database access for commands: one connection under the service's database role, and errors with a remedy."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TypeVar

import psycopg
from sqlalchemy import MetaData
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from services.cli.environment import settings, without_password
from services.cli.exits import NotFound, UsageWrong
from shared.journal.tables import JournalTables, journal_tables
from shared.runtime.database import create_engine
from shared.runtime.database_names import role_of

T = TypeVar("T")

_NOT_MIGRATED = ("3F000", "42P01", "22023", "42704")
"""SQLSTATEs: the schema, table or role does not exist."""
_NOT_ALLOWED = ("42501",)


@cache
def journal_of(service: str) -> JournalTables:
    """Return the database tables of a service's journal."""
    return journal_tables(MetaData(), role_of(service))


def with_connection(service: str, work: Callable[[AsyncConnection], Awaitable[T]]) -> T:
    """Return the result of `work` on a connection under the service's role.

    Raises: NotFound if the database does not answer or is not migrated.
    """

    async def connected(engine: AsyncEngine) -> T:
        async with engine.connect() as connection:
            return await work(connection)

    return with_engine(service, connected)


def with_engine(service: str, work: Callable[[AsyncEngine], Awaitable[T]]) -> T:
    """Return the result of `work`, which opens its own connections. Raises the same errors as `with_connection`."""
    url = settings().database_url.get_secret_value()

    async def whole() -> T:
        engine = create_engine(url, role=role_of(service))
        try:
            return await work(engine)
        finally:
            await engine.dispose()

    with explained(url):
        return asyncio.run(whole())


@contextmanager
def explained(url: str) -> Iterator[None]:
    """Convert database errors to command errors; other exceptions propagate unchanged."""
    try:
        yield
    except ArgumentError:
        raise UsageWrong(f"DATABASE_URL {without_password(url)!r} is not a SQLAlchemy URL") from None
    except (DBAPIError, psycopg.Error) as error:
        raise _trouble(error, url) from error


def _trouble(error: DBAPIError | psycopg.Error, url: str) -> Exception:
    cause = error.orig if isinstance(error, DBAPIError) else error
    state = cause.sqlstate if isinstance(cause, psycopg.Error) else None
    shown = without_password(url)
    said = (str(cause).splitlines() or [type(cause).__name__])[0]
    if state in _NOT_MIGRATED:
        return NotFound(f"the database {shown} is not ready: {said}; run: pitledger db upgrade")
    if state in _NOT_ALLOWED:
        return NotFound(f"the login of {shown} may not do this: {said}; give a login with the rights in DATABASE_URL")
    if isinstance(cause, psycopg.OperationalError):
        return NotFound(f"the database {shown} does not answer: {said}; DATABASE_URL says where it is")
    return error
