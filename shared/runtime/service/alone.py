"""Work that one process of a service does for all of them."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine


@asynccontextmanager
async def alone(engine: AsyncEngine, work: str) -> AsyncIterator[Callable[[], Awaitable[bool]]]:
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
