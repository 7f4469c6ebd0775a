"""Read one snapshot of the database on two connections, so that parts of an answer are read concurrently.

    async with read_at_once(engine) as read:
        windows, boxes = await asyncio.gather(windows_of_day(read, *key), boxes_of_day(read, *key))

Sequential statements use one connection; only concurrent statements open the second one.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final, Protocol

from sqlalchemy import CursorResult, Executable, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.pool import QueuePool

from shared.runtime.database import snapshot

_CONNECTIONS: Final = 2
_EXPORT: Final = text("SELECT pg_export_snapshot()")
_PLANNING: Final = text("""
    SELECT set_config('work_mem', '32MB', true), set_config('hash_mem_multiplier', '4', true),
           set_config('plan_cache_mode', 'force_custom_plan', true)""")
"""Planner settings for large reports, such as a month by dealer with 25,000 sums, or its slips with 130,000 steps.

Sorts and hashes stay in memory, because spilling to disk doubles their time. Each statement is planned for its
parameters, because a generic plan reads all days, which takes seconds even for few tables.
"""


class Executes(Protocol):
    """A connection, or a reader that uses several connections."""

    async def execute(self, statement: Executable, parameters: Any = None, /) -> CursorResult[Any]:
        """Execute a statement and return all of its rows."""


class SnapshotReader:
    """Executes statements on one snapshot of the database, one at a time per connection.

    The second connection is used only if the pool has a free one, so that no holder of a connection waits for another.
    """

    def __init__(self, first: AsyncConnection, exported: str, connections: AsyncExitStack) -> None:
        self.connection = first
        """The first connection, for callers that need a connection; nothing else may read while it is in use."""
        self._idle = [first]
        self._number = 1
        self._exported = exported
        self._connections = connections
        self._turns = asyncio.Semaphore(1)
        self._opening = asyncio.Lock()
        self._finished = False

    async def execute(self, statement: Executable, parameters: Mapping[str, Any] | None = None, /) -> CursorResult[Any]:
        """Execute a statement and return all of its rows. Raises: RuntimeError after `finish`."""
        if self._turns.locked() and self._number < _CONNECTIONS:
            await self._open_another()
        async with self._turns:
            if self._finished:
                raise RuntimeError("another part of what is read has failed")
            connection = self._idle.pop()
            try:
                return await connection.execute(statement, parameters)
            finally:
                self._idle.append(connection)

    async def _open_another(self) -> None:
        async with self._opening:
            pool = self.connection.engine.pool
            assert isinstance(pool, QueuePool), "create_engine makes engines with one"
            if self._finished or self._number == _CONNECTIONS or pool.checkedout() >= pool.size():
                return
            connection = await self._connections.enter_async_context(snapshot(self.connection.engine))
            await connection.exec_driver_sql(f"SET TRANSACTION SNAPSHOT '{self._exported}'")
            await connection.execute(_PLANNING)
            self._number += 1
            self._idle.append(connection)
            self._turns.release()

    async def finish(self) -> None:
        """Wait for running statements, and let later ones fail, so that a failed part of an answer ends the others."""
        async with self._opening:
            for _ in range(self._number):
                await self._turns.acquire()
            self._finished = True
            for _ in range(self._number):
                self._turns.release()


@asynccontextmanager
async def read_at_once(engine: AsyncEngine) -> AsyncIterator[SnapshotReader]:
    """Yield a reader of the database's current snapshot, on up to two connections."""
    async with AsyncExitStack() as connections:
        first = await connections.enter_async_context(snapshot(engine))
        await first.execute(_PLANNING)
        found = SnapshotReader(first, (await first.execute(_EXPORT)).scalar_one(), connections)
        try:
            yield found
        finally:
            await found.finish()
