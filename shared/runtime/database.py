"""The database connection of a service, under the service's own role."""

import select
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from psycopg.types.json import set_json_loads
from pydantic_core import from_json
from sqlalchemy import event
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine


def role_of(service: str) -> str:
    """Return the database role and schema of a service."""
    return service.replace("-", "_")


_KEPT: Final = 8
"""Connections that are kept: some of work that is done by one process, and five for the rest."""

_MORE_MAX: Final = 7
"""Connections besides, for a while."""


def create_engine(url: str, *, role: str) -> AsyncEngine:
    """Return an engine whose connections act as `role`, whoever logs in.

    A login that is the role itself, as in production, changes nothing by it. Server-side timeouts keep a forgotten
    transaction from blocking a shard for ever. No statement is compiled (`jit`): those that the planner would compile
    run for tens of milliseconds, less than it takes. The connection that was used last is used next: its statements are
    prepared, and their plans made.
    """
    engine = create_async_engine(
        url,
        pool_size=_KEPT,
        max_overflow=_MORE_MAX,
        pool_use_lifo=True,
        connect_args={
            "connect_timeout": 10,
            "application_name": f"pitledger {role}",
            "options": "-c timezone=UTC -c idle_in_transaction_session_timeout=60s -c lock_timeout=30s -c jit=off",
        },
    )

    @event.listens_for(engine.sync_engine, "connect")
    def become(connection: Any, record: Any) -> None:
        del record
        set_json_loads(from_json, connection.driver_connection)  # a quarter of the time that json takes
        cursor = connection.cursor()
        cursor.execute(f'SET ROLE "{role}"')
        cursor.close()
        connection.commit()

    @event.listens_for(engine.sync_engine, "checkout")
    def look(connection: Any, record: Any, proxy: Any) -> None:
        del record, proxy
        if not _has_said_something(connection.driver_connection):
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            raise DisconnectionError(str(error)) from error  # the pool takes another

    return engine


def _has_said_something(connection: Any) -> bool:
    """Return whether a server has sent something unasked: that it ends the connection, as a rule. Or it is ended here.

    To ask it each time whether it is there takes as long as a statement.
    """
    if connection.closed:
        return True
    waiting = select.poll()
    waiting.register(connection.pgconn.socket, select.POLLIN)
    return bool(waiting.poll(0))


def reading(engine: AsyncEngine) -> AsyncConnection:
    """Return a connection for reading, on which each statement sees what is committed: no transaction to wait for."""
    return engine.execution_options(isolation_level="AUTOCOMMIT").connect()


@asynccontextmanager
async def snapshot(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """Give a connection that reads one state of the database, whatever is recorded meanwhile, and writes nothing."""
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        yield connection
