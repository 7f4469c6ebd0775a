"""A process that freezes in the middle of a request holds its locks until another process ends its session."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from sqlalchemy import make_url
from structlog.testing import capture_logs

from loadtest.traffic.target import conninfo_of
from shared.runtime.background.stalled_sessions import end_stalled_sessions
from shared.runtime.database import create_engine
from tests.support import Databases, eventually

ROLE = "stalled_service"
"""The login of a service in production: it is nobody else's, and no superuser."""
LOCKED = "SELECT 1 FROM held FOR UPDATE NOWAIT"

CLIENT = f"""
import asyncio, sys
from sqlalchemy import text
from shared.journal.pipeline import pipeline
from shared.runtime.database import create_engine

async def main(url, where):
    async with create_engine(url, role="{ROLE}").connect() as connection:
        driver = (await connection.get_raw_connection()).driver_connection
        if where == "between requests":
            await driver.execute("SELECT 1 FROM held FOR UPDATE")
            await stay()
        elif where == "in a pipeline":
            async with pipeline(connection) as sent:
                await (await sent.execute("SELECT 1 FROM held FOR UPDATE", {{}})).fetchall()
                await stay()
        else:
            await driver.execute("SELECT 1 FROM held FOR UPDATE")
            async with driver.cursor().copy("COPY held FROM STDIN") as copying:
                await copying.write("1\\n" * 100_000)
                await stay()

async def stay():
    print("there", flush=True)
    await asyncio.Event().wait()

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.fixture(params=["the service's login", "the owner's login"])
def url(databases: Databases, request: pytest.FixtureRequest) -> Iterator[str]:
    """A database of a service with a row that somebody can hold."""
    url = databases.create()
    owner = conninfo_of(url)
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute("CREATE TABLE held (one int); INSERT INTO held VALUES (1); GRANT ALL ON held TO PUBLIC")
        connection.execute(f"CREATE ROLE {ROLE} LOGIN PASSWORD 'stalled'".encode())
    own = make_url(url).set(username=ROLE, password="stalled").render_as_string(hide_password=False)
    yield own if request.param == "the service's login" else url
    databases.drop(url)
    with psycopg.connect(owner.replace(str(make_url(url).database), "postgres"), autocommit=True) as connection:
        connection.execute(f"DROP ROLE {ROLE}".encode())


@contextmanager
def frozen(url: str, where: str) -> Iterator[int]:
    """A process that holds the row, and has stopped there; yields its id."""
    client = subprocess.Popen([sys.executable, "-c", CLIENT, url, where], stdout=subprocess.PIPE)
    try:
        assert client.stdout is not None
        assert b"there\n" == client.stdout.readline()
        os.kill(client.pid, signal.SIGSTOP)
        yield client.pid
    finally:
        client.kill()
        client.communicate()


@pytest.mark.parametrize(("where", "ended"), [("in a pipeline", 1), ("in COPY", 1), ("between requests", 0)])
def test_a_session_is_ended_that_waits_for_the_rest_of_a_request(url: str, where: str, ended: int) -> None:
    """Its lock is free then; one that is idle has PostgreSQL's own limit."""

    async def end(seconds: float) -> int:
        engine = create_engine(url, role=ROLE)
        try:
            return await end_stalled_sessions(engine, ROLE, after_seconds=seconds)
        finally:
            await engine.dispose()

    with frozen(url, where), psycopg.connect(conninfo_of(url), autocommit=True) as other, capture_logs() as logs:
        eventually(lambda: _waits_for_client(other), because=f"the session waits {where}")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            other.execute(LOCKED)
        assert 0 == asyncio.run(end(60.0)), "not yet"
        assert ended == asyncio.run(end(0.0))
        if ended:
            eventually(
                lambda: other.execute(LOCKED), because="the lock is free", retry_on=psycopg.errors.LockNotAvailable
            )
    assert ["stalled database session terminated"] * ended == [one["event"] for one in logs]


def _waits_for_client(connection: psycopg.Connection) -> bool:
    query = "SELECT 1 FROM pg_stat_activity WHERE application_name = %s AND wait_event = 'ClientRead'"
    return connection.execute(query, [f"pitledger {ROLE}"]).fetchone() is not None
