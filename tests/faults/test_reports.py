"""Reports that take long: so many are answered at once, so many wait, and whoever leaves makes room."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx
import pytest

from shared.contracts.rejection import Reason
from shared.runtime.http.problems import problem_uri
from tests.faults.stage import Door, Stage
from tests.faults.subjects import reporting
from tests.faults.test_pools import locked
from tests.support import AnyBroker, Databases, eventually
from tests.support.rounds import PROPERTY
from tests.support.services import running

pytestmark = pytest.mark.any_broker

_REPORTS = 16
_AT_ONCE = 2
_WAITING = 3
_PATH = f"/reports/win-as-settled?property={PROPERTY}&gaming_day=2026-11-20"
_SETTINGS = {
    "PITLEDGER_REPORTS_AT_ONCE": str(_AT_ONCE),
    "PITLEDGER_REPORTS_WAITING_MAX": str(_WAITING),
    "PITLEDGER_DATABASE_WAIT_SECONDS_MAX": "30",
}
_BUSY = problem_uri(Reason.BUSY)
_UNAVAILABLE = httpx.codes.SERVICE_UNAVAILABLE


def test_more_reports_than_there_are_places_for(fresh_broker: AnyBroker, databases: Databases) -> None:
    """Those beyond are told when to ask again; a client that has gone frees its place; and all work afterwards."""
    stage = Stage(reporting.SUBJECT, fresh_broker.bootstrap_servers, databases)
    with ExitStack() as stack:
        url = stack.enter_context(stage.database())
        door = stack.enter_context(Door(reporting.SUBJECT))
        worker = stack.enter_context(running(**stage.options(url, **door.settings, **_SETTINGS)))
        pool = stack.enter_context(ThreadPoolExecutor(_REPORTS))
        stage.tell()
        stage.wait(url, worker)
        door.ready(worker)
        token = door.token("audit.kim", "reports.read")

        def read(seconds: float | None = None) -> httpx.Response | None:
            try:
                return door.get(_PATH, token, seconds=seconds)
            except httpx.ReadTimeout:
                return None  # it has left, and nobody waits

        def is_busy(answer: httpx.Response | None) -> bool:
            return answer is not None and answer.status_code == _UNAVAILABLE and answer.json()["type"] == _BUSY

        def is_full() -> bool:
            return is_busy(read(0.5))

        def stay(seconds: float | None = None) -> httpx.Response | None:
            """Ask until there is a place: whoever only looks whether there is one has it for a moment."""
            answer = read(seconds)
            while is_busy(answer):
                answer = read(seconds)
            return answer

        with locked(url, "reporting.properties"):
            staying = [pool.submit(stay) for _ in range(_AT_ONCE + _WAITING - 1)]
            leaving = pool.submit(stay, 5)
            eventually(is_full, because="every place is taken, and every place to wait")
            answers = [one.result() for one in [pool.submit(read) for _ in range(_REPORTS - len(staying) - 1)]]
            assert {(503, "10", _BUSY)} == {
                (one.status_code, one.headers["Retry-After"], one.json()["type"]) for one in answers if one is not None
            }
            assert leaving.result() is None
            eventually(lambda: not is_full(), because="who has left makes room")
        assert {200: len(staying)} == Counter(one.result().status_code for one in staying)  # type: ignore[union-attr]
        again = eventually(read, because="there is a place again")
        assert again.status_code == httpx.codes.OK
