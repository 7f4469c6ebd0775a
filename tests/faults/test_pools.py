"""One kind of work that waits for the database keeps none of the others waiting, and ends no service."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import httpx
import psycopg
import pytest
from sqlalchemy import make_url

from tests.faults.stage import Door, Stage
from tests.faults.subject import Subject
from tests.faults.subjects import READING
from tests.support import AnyBroker, Databases, eventually
from tests.support.nightly import sampled
from tests.support.services import query, running

pytestmark = pytest.mark.any_broker

_READERS = 40
_CONNECTIONS = 3
_FEW = {
    "PITLEDGER_DATABASE_READERS_MAX": str(_CONNECTIONS),
    "PITLEDGER_DATABASE_WAIT_SECONDS_MAX": "0.5",
    "PITLEDGER_VERIFICATION_SECONDS": "0.2",
}
_WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = '{schema}.quarantine'::regclass"


@contextmanager
def locked(url: str, table: str) -> Iterator[None]:
    """Hold a table as somebody who changes it does: nobody reads it meanwhile."""
    with psycopg.connect(make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)) as other:
        other.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        yield


@sampled(1)
@pytest.mark.parametrize("subject", READING, ids=lambda one: one.name)
def test_a_table_is_locked_under_many_readers(subject: Subject, fresh_broker: AnyBroker, databases: Databases) -> None:
    """They are told to try again; commands on other tables are answered; the service lives, and works afterwards."""
    stage = Stage(subject, fresh_broker.bootstrap_servers, databases)
    with ExitStack() as stack:
        url = stack.enter_context(stage.database(commands=False))
        door = stack.enter_context(Door(subject))
        worker = stack.enter_context(running(**stage.options(url, **door.settings, **_FEW)))
        door.ready(worker)
        pool = stack.enter_context(ThreadPoolExecutor(_READERS))
        token = door.token("audit.kim", "quarantine.read")

        def read() -> list[Future[httpx.Response]]:
            return [pool.submit(door.get, "/quarantine", token) for _ in range(_READERS)]

        with locked(url, f"{subject.schema}.quarantine"):
            asked = read()
            waiting = _WAITING.format(schema=subject.schema)
            eventually(lambda: query(url, waiting)[0][0] >= _CONNECTIONS, because="readers wait for the table")
            door.ask_all(subject.commands)
            answers = [one.result() for one in asked]
            stage.tell()
            eventually(lambda: query(url, waiting)[0][0] >= 1, because="what is read waits for the table")
        assert {httpx.codes.SERVICE_UNAVAILABLE: _READERS} == Counter(one.status_code for one in answers)
        assert {"1"} == {one.headers["Retry-After"] for one in answers}
        assert {"urn:pitledger:problem:try-again"} == {one.json()["type"] for one in answers}
        door.ready(worker)
        after = {one.result().status_code for one in read()}
        assert httpx.codes.OK in after <= {httpx.codes.OK, httpx.codes.SERVICE_UNAVAILABLE}
        stage.wait(url, worker)
        stage.check(url)
