"""A service is killed while people command it: whoever got no answer asks again, and gets what was or is now done."""

import contextlib
import os
import signal
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.faults.books import check_order, check_published
from tests.faults.stage import Door, Stage
from tests.faults.subject import Subject
from tests.faults.subjects import MECHANISMS
from tests.support import AnyBroker, Databases, eventually
from tests.support.nightly import sampled
from tests.support.processes import alive
from tests.support.services import Worker, query, running
from tests.support.wire import Commit, Wire, pass_on

_KILLS = 4
"""Of so many commands of a story, the first among them, none is answered at first."""

_KEYS = [f"again-{number}" for number in range(200)]
_CLIENTS = 8

pytestmark = [
    pytest.mark.any_broker,
    pytest.mark.parametrize("subject", [one for one in MECHANISMS if one.commands], ids=lambda subject: subject.name),
]


@sampled(1, of="killed beside commands")
@pytest.mark.parametrize("happens", [True, False], ids=["after the commit", "before the commit"])
def test_killed_before_a_command_is_answered(
    subject: Subject, happens: bool, fresh_broker: AnyBroker, databases: Databases
) -> None:
    """kill -9 while the commit is under way, then a restart: the command is recorded once, and answered the same."""
    stage = Stage(subject, fresh_broker.bootstrap_servers, databases)
    doomed: list[int] = []

    def kill(commit: Commit) -> bool:
        if not doomed or not commit.writes("idempotency"):
            return pass_on(commit)
        if happens:
            commit.happen()
        pid = doomed.pop()
        os.kill(pid, signal.SIGKILL)
        eventually(lambda: not alive(pid), because="the process is dead")
        return False

    with stage.database(commands=False) as url, Wire(url, kill) as wire, Door(subject) as door:
        options = stage.options(wire.url, **door.settings)
        unanswered = {len(subject.commands) * number // _KILLS for number in range(_KILLS)}
        worker = Worker(**options)
        try:
            door.ready(worker)
            for number, ask in enumerate(subject.commands):
                if number in unanswered:
                    doomed.append(worker.pid)
                    with pytest.raises(httpx.TransportError):
                        door.send(ask, f"k-{number}")
                    assert -9 == worker.wait()
                    worker.kill()
                    worker = Worker(**options)
                    door.ready(worker, "/healthz")
                door.ask_all([ask], first=number)
            stage.tell()
            stage.wait(url, worker)
            worker.stop()
        finally:
            worker.kill()
        stage.check(url)


@sampled(1, of="killed beside commands")
def test_killed_while_many_commands_are_under_way(
    subject: Subject, fresh_broker: AnyBroker, databases: Databases
) -> None:
    """Several clients at once; each asks again under the same key: everything is done once, and no answer was a lie."""
    stage = Stage(subject, fresh_broker.bootstrap_servers, databases)
    ask, answers = subject.repeated, dict[str, httpx.Response]()
    assert ask is not None

    def send(door: Door, key: str) -> None:
        with contextlib.suppress(httpx.TransportError):
            got = door.send(ask, key)
            assert (ask.status, got.text) == (got.status_code, answers.setdefault(key, got).text)

    with stage.database() as url, ThreadPoolExecutor(_CLIENTS) as clients, Door(subject) as door:
        killed = Worker(**stage.options(url, **door.settings))
        try:
            door.ready(killed)
            sending = [clients.submit(send, door, key) for key in _KEYS]
            some = len(_KEYS) // 8
            eventually(lambda: len(answers) > some, seconds=60, every=0.002, because="some commands are answered")
        finally:
            killed.kill()
        for future in sending:
            future.result()
        assert len(answers) < len(_KEYS)
        with running(**stage.options(url, **door.settings)) as worker:
            door.ready(worker)
            for future in [clients.submit(send, door, key) for key in _KEYS]:
                future.result()
            stage.wait(url, worker)
        assert set(_KEYS) == answers.keys()
        assert len(_KEYS) == len({answer.text for answer in answers.values()})
        recorded = query(url, f"SELECT event_id FROM {subject.schema}.entries WHERE event_id LIKE 'again-%'")
        assert sorted(_KEYS) == sorted(key for (key,) in recorded)
        check_order(subject, url)
        check_published(subject, url, stage.servers)
