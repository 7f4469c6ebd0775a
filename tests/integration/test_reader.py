"""Parts of a report are read at once, all of one state of the database."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from shared.runtime.database import create_engine
from shared.runtime.snapshot_reader import SnapshotReader, read_at_once
from tests.support import Databases
from tests.support.rebuilding import execute
from tests.support.services import settled_database

BACKEND = text("SELECT pg_backend_pid(), pg_sleep(0.2)")
NUMBERS = text("SELECT count(*) FROM reporting.numbers")


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database of reporting, with a table to write into meanwhile."""
    url = settled_database(databases, "reporting")
    execute(url, "CREATE TABLE reporting.numbers (number integer); GRANT SELECT ON reporting.numbers TO reporting")
    yield url
    databases.drop(url)


def reading(url: str, read: Callable[[SnapshotReader, AsyncEngine], Awaitable[Any]]) -> Any:
    """Return what is read from one state of the database."""

    async def run() -> Any:
        engine = create_engine(url, role="reporting")
        try:
            async with read_at_once(engine) as found:
                return await read(found, engine)
        finally:
            await engine.dispose()

    return asyncio.run(run())


async def backends(found: SnapshotReader, number: int) -> set[int]:
    """Return the processes of the database that so many statements at once are executed by."""
    rows = await asyncio.gather(*(found.execute(BACKEND) for _ in range(number)))
    return {row.one()[0] for row in rows}


def test_two_statements_are_executed_at_once(url: str) -> None:
    """One after the other takes one connection; of many at once two are executed."""

    async def read(found: SnapshotReader, _: AsyncEngine) -> tuple[int, int]:
        alone = [row for _ in range(2) for row in await backends(found, 1)]
        return len(set(alone)), len(await backends(found, 5))

    assert (1, 2) == reading(url, read)


def test_both_see_what_was_there_when_reading_began(url: str) -> None:
    """What is committed before the second connection is opened is not seen on it."""

    async def read(found: SnapshotReader, _: AsyncEngine) -> list[int]:
        execute(url, "INSERT INTO reporting.numbers VALUES (1)")
        rows = await asyncio.gather(found.execute(BACKEND), *(found.execute(NUMBERS) for _ in range(4)))
        return [row.scalar_one() for row in rows[1:]]

    assert [0, 0, 0, 0] == reading(url, read)


def test_without_a_connection_to_spare_one_reads_all(url: str) -> None:
    """Nobody who holds a connection waits for another."""

    async def read(found: SnapshotReader, engine: AsyncEngine) -> int:
        async with AsyncExitStack() as taken:
            for _ in range(7):
                await taken.enter_async_context(engine.connect())
            return len(await backends(found, 3))

    assert 1 == reading(url, read)


def test_where_one_part_fails_the_others_end(url: str) -> None:
    """The failure is what is told, and nothing reads on a connection that is given back."""
    steps: list[str] = []

    async def other(found: SnapshotReader) -> None:
        await found.execute(BACKEND)
        steps.append("read")
        await found.execute(NUMBERS)
        steps.append("read on")

    async def read(found: SnapshotReader, _: AsyncEngine) -> None:
        await asyncio.gather(other(found), found.execute(text("SELECT 1 / 0")))

    with pytest.raises(DBAPIError, match="division by zero"):
        reading(url, read)
    assert ["read"] == steps
