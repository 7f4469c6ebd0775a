"""Connections of a service, as they are when they are wanted again."""

import asyncio

import psycopg
from sqlalchemy import event, text

from shared.runtime.database import create_engine
from tests.support import Databases
from tests.support.services import query, settled_database

_PID = text("SELECT pg_backend_pid()")


def test_a_connection_that_the_server_has_ended_is_replaced(databases: Databases) -> None:
    """Whoever wants one gets one that works, and no statement asks whether it does while the server says nothing."""
    url = settled_database(databases, "vigorish")

    async def work() -> None:
        engine, asked = create_engine(url, role="vigorish"), list[str]()
        event.listen(engine.sync_engine, "before_cursor_execute", lambda _c, _k, statement, *_: asked.append(statement))
        pinged = list[psycopg.Connection]()
        ping = engine.dialect.do_ping
        engine.dialect.do_ping = lambda connection: pinged.append(connection) or ping(connection)  # type: ignore[method-assign]
        try:
            pids = []
            for _ in range(3):
                async with engine.connect() as connection:
                    pids.append((await connection.execute(_PID)).scalar_one())
            assert [pids[0]] * 3 == pids
            assert ([], 3) == (pinged, len(asked))
            await asyncio.to_thread(query, url, f"SELECT pg_terminate_backend({pids[0]}, 5000)")
            async with engine.connect() as connection:
                assert (await connection.execute(_PID)).scalar_one() != pids[0]
            assert 1 == len(pinged)
        finally:
            await engine.dispose()

    asyncio.run(work())
