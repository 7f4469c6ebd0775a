"""Connections of a service, as they are when they are wanted again."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import text

from shared.runtime.database import create_engine
from tests.support import Databases
from tests.support.services import query, settled_database

_PID = text("SELECT pg_backend_pid()")


def test_a_connection_that_the_server_has_ended_is_replaced(
    databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever wants one gets one that works; it is asked whether it does only where the server has said something."""
    url = settled_database(databases, "vigorish")

    async def work() -> None:
        engine = create_engine(url, role="vigorish")
        asked, ask = list[Any](), engine.dialect.do_ping

        def do_ping(connection: Any) -> bool:
            asked.append(connection)
            return ask(connection)

        async def pid() -> int:
            async with engine.connect() as connection:
                return int((await connection.execute(_PID)).scalar_one())

        monkeypatch.setattr(engine.dialect, "do_ping", do_ping)
        try:
            first = await pid()
            assert [first, first] == [await pid(), await pid()]
            assert [] == asked
            await asyncio.to_thread(query, url, f"SELECT pg_terminate_backend({first}, 5000)")
            assert await pid() != first
            assert 1 == len(asked)
            async with engine.connect() as connection:
                driver: Any = (await connection.get_raw_connection()).driver_connection
            await driver.close()
            assert await pid()
            assert 2 == len(asked)
        finally:
            await engine.dispose()

    asyncio.run(work())
