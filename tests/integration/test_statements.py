"""Statements that are sent together."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from shared.journal.statements import arguments, insert, pipeline
from tests.support import Databases

COLUMNS = {"number": "int", "content": "bytea", "said": "json"}
ROWS = [(1, b"\x00\xff", '{"b": 1,  "a": 1.50}'), (2, b"", "null")]
ADD = insert("things", COLUMNS)


Work = Callable[[AsyncConnection], Awaitable[None]]
Things = list[tuple[Any, ...]]


class TooFew(Exception):
    """Not all rows were written."""


@pytest.fixture
def with_things(databases: Databases) -> Iterator[Callable[[Work], Things]]:
    """Does something in a transaction with an empty table; gives what is in the table then."""
    url = databases.create()

    async def main(work: Work) -> Things:
        engine = create_async_engine(url)
        async with engine.begin() as connection:
            await connection.execute(text("CREATE TABLE things (number int PRIMARY KEY, content bytea, said json)"))
        try:
            async with engine.begin() as connection:
                await work(connection)
        finally:
            async with engine.connect() as connection:
                found = await connection.execute(text("SELECT number, content, said::text FROM things ORDER BY 1"))
                things.extend(map(tuple, found))
            await engine.dispose()
        return things

    things: Things = []
    yield lambda work: asyncio.run(main(work))
    databases.drop(url)


def test_rows_arrive_as_they_were_given(with_things: Callable[[Work], Things]) -> None:
    """Bytes, and JSON byte for byte; a question sent behind them sees them."""

    async def work(connection: AsyncConnection) -> None:
        async with pipeline(connection) as sent:
            await sent.write(ADD, arguments(COLUMNS, ROWS), rows=2, otherwise=TooFew())
            asked = await sent.execute("SELECT count(*) AS n FROM things WHERE number >= %(least)s", {"least": 2})
        assert [1] == [row.n for row in await asked.fetchall()]

    assert ROWS == with_things(work)


def test_rows_that_were_not_written_are_noticed(with_things: Callable[[Work], Things]) -> None:
    """What was promised of a statement is looked at when all are through."""

    async def work(connection: AsyncConnection) -> None:
        async with pipeline(connection) as sent:
            await sent.write(ADD, arguments(COLUMNS, ROWS[:1]), rows=1, otherwise=ZeroDivisionError())
            await sent.write(f"{ADD} ON CONFLICT DO NOTHING", arguments(COLUMNS, ROWS), rows=2, otherwise=TooFew())

    with pytest.raises(TooFew):
        with_things(work)


def test_an_error_is_raised_and_nothing_is_done(with_things: Callable[[Work], Things]) -> None:
    """The first error is that of the pipeline; a statement behind it is not done."""

    async def work(connection: AsyncConnection) -> None:
        async with pipeline(connection) as sent:
            await sent.execute(ADD, arguments(COLUMNS, ROWS))
            await sent.execute(ADD, arguments(COLUMNS, ROWS[:1]))
            await sent.execute("SELECT pg_terminate_backend(pg_backend_pid())", {})

    with pytest.raises(psycopg.errors.UniqueViolation):
        with_things(work)
