"""Database connections of a service, under its own role: a separate pool for each kind of work."""

import asyncio
import select
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, Self

from psycopg.types.json import set_json_loads
from pydantic_core import from_json
from sqlalchemy import event, text
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from shared.journal.shard import Seals
from shared.runtime.database_names import application_name
from shared.runtime.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Limits of a connection pool: number of connections, and durations in seconds; 0 means unlimited.

    `wait_seconds` limits the wait for a free connection, `lock_seconds` the wait for a lock, and `statement_seconds` a
    statement. The server closes a connection that is unused for `idle_seconds`.
    """

    connections_max: int = 15
    wait_seconds: float = 30
    lock_seconds: float = 30
    statement_seconds: float = 0
    idle_seconds: float = 120

    @property
    def kept(self) -> int:
        """Return the number of unused connections to keep open: slightly more than half of the maximum."""
        return self.connections_max // 2 + 1


_USUAL: Final = Pool()
_SEALS: Final = "pitledger_seals"


@dataclass(frozen=True, slots=True)
class Pools:
    """The connection pools of a service, one per kind of work, so that one kind of work does not block the others.

    `readers` serve queries, and `commands` serve changes. `background` serves consuming, publishing, verifying and
    comparing.
    """

    readers: AsyncEngine
    commands: AsyncEngine
    background: AsyncEngine

    @classmethod
    def of(cls, settings: Settings, role: str) -> Self:
        """Return the pools of a service with these settings.

        A reader waits for a lock no longer than for a connection, and its statements run no longer than a request may
        take.
        """
        url, wait = settings.database_url.get_secret_value(), settings.database_wait_seconds_max
        readers = Pool(
            connections_max=settings.database_readers_max,
            wait_seconds=wait,
            lock_seconds=wait,
            statement_seconds=settings.http_request_seconds_max,
        )
        commands = Pool(connections_max=settings.database_commands_max, wait_seconds=wait)
        background = Pool(connections_max=settings.database_background_max)
        return cls(*(create_engine(url, role=role, pool=pool) for pool in (readers, commands, background)))

    @classmethod
    def of_one(cls, engine: AsyncEngine) -> Self:
        """Return pools that share one engine, for command lines and tests."""
        return cls(engine, engine, engine)

    def sign_by(self, seals: Seals | None) -> None:
        """Provide the keys of signed rows to all connections, from which `seals_of` returns them."""
        for engine in (self.readers, self.commands, self.background):
            engine.sync_engine.update_execution_options(**{_SEALS: seals})

    async def dispose(self) -> None:
        """Close all connections."""
        await asyncio.gather(*(engine.dispose() for engine in {self.readers, self.commands, self.background}))


def create_engine(url: str, *, role: str, pool: Pool = _USUAL) -> AsyncEngine:
    """Return an engine whose connections act as `role`, even if they log in as a different role.

    In production the login role is `role` itself. Server-side timeouts keep a forgotten transaction from blocking a
    shard forever. JIT compilation is off, because compiling a statement takes longer (tens of milliseconds) than
    running it. The most recently used connection is reused first, because its statements are already prepared and
    planned. After a busy period, the server closes the connections that stay unused. Waiting too long for a connection
    raises SQLAlchemy's TimeoutError.
    """
    limits = {
        "timezone": "UTC",
        "idle_in_transaction_session_timeout": "60s",
        "lock_timeout": f"{pool.lock_seconds * 1000:.0f}ms",
        "statement_timeout": f"{pool.statement_seconds * 1000:.0f}ms",
        "idle_session_timeout": f"{pool.idle_seconds * 1000:.0f}ms",
        "jit": "off",
    }
    engine = create_async_engine(
        url,
        pool_size=pool.kept,
        max_overflow=pool.connections_max - pool.kept,
        pool_timeout=pool.wait_seconds,
        pool_use_lifo=True,
        connect_args={
            "connect_timeout": 10,
            "application_name": application_name(role),
            "options": " ".join(f"-c {name}={value}" for name, value in limits.items()),
        },
    )

    @event.listens_for(engine.sync_engine, "connect")
    def become(connection: Any, record: Any) -> None:
        del record
        set_json_loads(from_json, connection.driver_connection)  # takes a quarter of the time of the json module
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
            raise DisconnectionError(str(error)) from error  # the pool then uses another connection

    return engine


def _has_said_something(connection: Any) -> bool:
    """Return whether a connection is closed or has unread data, usually a notice that the server is closing it.

    This check replaces a ping, which would take as long as a statement at each use.
    """
    if connection.closed:
        return True
    waiting = select.poll()
    waiting.register(connection.pgconn.socket, select.POLLIN)
    return bool(waiting.poll(0))


def seals_of(connection: AsyncConnection) -> Seals | None:
    """Return the keys for signed rows of the service that owns a connection, or None if it signs no rows."""
    assert connection.sync_connection is not None, "the connection is open"
    found: Seals | None = connection.sync_connection.get_execution_options().get(_SEALS)
    return found


async def keep_open(connection: AsyncConnection) -> None:
    """Exempt a connection from `idle_seconds`, because it is held for a long time and not returned to the pool."""
    await connection.execute(text("SET idle_session_timeout = 0"))


def reading(engine: AsyncEngine) -> AsyncConnection:
    """Return an autocommit connection for reading: each statement sees all committed data."""
    return engine.execution_options(isolation_level="AUTOCOMMIT").connect()


@asynccontextmanager
async def snapshot(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """Yield a read-only connection in one snapshot of the database."""
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        yield connection
