"""Reading in one snapshot of the database."""

import asyncio

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine

from shared.runtime.database import snapshot


def test_a_snapshot_is_one_state(database_url: str) -> None:
    """What is committed meanwhile is not seen, nothing can be written, and the next connection is as it was."""

    async def run() -> None:
        engine = create_async_engine(database_url, pool_size=1, max_overflow=1)
        try:
            async with engine.begin() as writer:
                await writer.execute(text("CREATE TABLE seen (n int)"))
            async with snapshot(engine) as reader:
                assert 0 == (await reader.execute(text("SELECT count(*) FROM seen"))).scalar_one()
                async with engine.begin() as writer:
                    await writer.execute(text("INSERT INTO seen VALUES (1)"))
                assert 0 == (await reader.execute(text("SELECT count(*) FROM seen"))).scalar_one()
                with pytest.raises(DBAPIError, match="read-only"):
                    await reader.execute(text("INSERT INTO seen VALUES (2)"))
            async with engine.begin() as writer:
                await writer.execute(text("INSERT INTO seen VALUES (3)"))
                assert 2 == (await writer.execute(text("SELECT count(*) FROM seen"))).scalar_one()
        finally:
            await engine.dispose()

    asyncio.run(run())
