"""Work that one process of a service does for all of them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from shared.runtime.background.periodic import every


@asynccontextmanager
async def leadership(engine: AsyncEngine, work: str) -> AsyncIterator[Callable[[], Awaitable[bool]]]:
    """Give what says whether this process is to do some work: no other one is, from the first yes to the end of this.

    Another one takes over where this one ends or loses its connection, of which the next question tells.
    """
    lock = select(func.pg_try_advisory_lock(func.hashtextextended(work, 0)))
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="AUTOCOMMIT")

        async def is_ours() -> bool:
            return bool((await connection.execute(lock)).scalar_one())

        try:
            yield is_ours
        finally:
            await connection.invalidate()  # the lock ends with the connection


async def run_on_leader(
    engine: AsyncEngine, name: str, seconds: float, work: Callable[[], Awaitable[object]], failed: str
) -> None:
    """Do some work every so often in one process of a service, until cancelled; the others wait until it has ended.

    What fails for a while is logged as `failed`, and may then be another's; a bug is raised.
    """

    async def while_ours() -> None:
        async with leadership(engine, name) as is_ours:
            while True:
                if await is_ours():
                    await work()
                await asyncio.sleep(seconds)

    await every(seconds, while_ours, failed)
