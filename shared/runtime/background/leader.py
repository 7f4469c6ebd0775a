"""Leader election for background work that one process of a service does for all its processes."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from shared.runtime.background.periodic import every
from shared.runtime.database import keep_open


@asynccontextmanager
async def leadership(engine: AsyncEngine, work: str) -> AsyncIterator[Callable[[], Awaitable[bool]]]:
    """Yield a function that returns whether this process is the leader for `work`.

    A leader remains leader until the block ends or its database connection is lost; then another process takes over.
    After its connection is lost, the function raises.
    """
    lock = select(func.pg_try_advisory_lock(func.hashtextextended(work, 0)))
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        await keep_open(connection)

        async def is_ours() -> bool:
            return bool((await connection.execute(lock)).scalar_one())

        try:
            yield is_ours
        finally:
            await connection.invalidate()  # invalidating the connection releases the advisory lock


async def run_on_leader(
    engine: AsyncEngine, name: str, seconds: float, work: Callable[[], Awaitable[object]], failed: str
) -> None:
    """Run `work` periodically in one process of a service until cancelled; another takes over when that process ends.

    `seconds` is the pause between two runs. A transient failure is logged with `failed` as the name of the work;
    leadership may then pass to another process. Bugs are raised.
    """

    async def while_ours() -> None:
        async with leadership(engine, name) as is_ours:
            while True:
                if await is_ours():
                    await work()
                await asyncio.sleep(seconds)

    await every(seconds, while_ours, failed)
