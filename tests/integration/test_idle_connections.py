"""Connections that nobody uses: the server closes them, and the next use takes another."""

import asyncio
from collections.abc import Iterator

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from shared.runtime.background.leader import leadership
from shared.runtime.database import Pool, create_engine, reading
from tests.support import Databases
from tests.support.services import settled_database

ROLE = "reporting"
_SECONDS_MAX = 30
_IS_THERE = text("SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE pid = :pid)")


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database with the schema of reporting."""
    url = settled_database(databases, ROLE)
    yield url
    databases.drop(url)


async def session_of(engine: AsyncEngine) -> int:
    """Return the process id of the session that the pool gives, which it has back then."""
    async with engine.connect() as connection:
        return int((await connection.execute(select(func.pg_backend_pid()))).scalar_one())


def test_what_is_left_over_is_closed_and_the_connection_of_a_leader_stays(url: str) -> None:
    """A leader's is idle between its turns, here for longer than the one that is closed: the lock is still its own."""

    async def main() -> None:
        engine, other = create_engine(url, role=ROLE, pool=Pool(idle_seconds=0.2)), create_engine(url, role=ROLE)
        async with asyncio.timeout(_SECONDS_MAX), leadership(engine, "reporting.some_work") as is_ours:
            assert await is_ours()
            session = await session_of(engine)
            async with reading(other) as looking:
                while (await looking.execute(_IS_THERE, {"pid": session})).scalar_one():  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(0.01)
            assert session != await session_of(engine)
            assert await is_ours()
        await engine.dispose()
        await other.dispose()

    asyncio.run(main())
