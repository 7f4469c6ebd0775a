"""Before services are ended, they may take in what waits."""

import math
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from services.cli.stack import draining
from services.cli.stack.draining import drain
from shared.local.ports import LOOPBACK, free_port
from shared.runtime.metrics import Metrics

LAGS = """
# TYPE pitledger_consumer_lag_records gauge
pitledger_consumer_lag_records{{topic="table.events",partition="0"}} {}
pitledger_consumer_lag_records{{topic="table.events",partition="1"}} 2.0
# TYPE pitledger_relay_backlog_entries gauge
pitledger_relay_backlog_entries 0.0
"""
NOTHING = "# TYPE pitledger_relay_backlog_entries gauge\npitledger_relay_backlog_entries 0.0\n"


@pytest.fixture
def answers() -> list[str]:
    """What the service says of its metrics, one look after the other; the last for ever."""
    return []


@pytest.fixture
def url(answers: list[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Where the service listens; nothing may wait for a tenth of a second."""
    monkeypatch.setattr(draining, "_SETTLED_SECONDS", 0.1)
    monkeypatch.setattr(draining, "_LOOK_SECONDS", 0.01)

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write((answers.pop(0) if len(answers) > 1 else answers[0]).encode())

        def log_message(self, format: str, *words: object) -> None:  # noqa: A002 - the library's name
            """Nothing."""

    with ThreadingHTTPServer((LOOPBACK, 0), Answer) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://{LOOPBACK}:{server.server_port}"
        server.shutdown()


def test_it_waits_until_nothing_is_left(url: str, answers: list[str]) -> None:
    """What one service passes on another has to take in: it is over only when nothing has waited for a while."""
    answers += [LAGS.format(40), NOTHING, LAGS.format(1), NOTHING]
    assert {} == drain({"vigorish": url}, seconds_max=20)
    assert [NOTHING] == answers


def test_what_is_left_is_named(url: str, answers: list[str]) -> None:
    """When the time is over, the services that are not done are named, with what waits for them."""
    answers.append(LAGS.format(40))
    assert {"vigorish": 42} == drain({"vigorish": url}, seconds_max=0.2)


def test_what_is_not_known_is_waited_for_and_said(url: str, answers: list[str]) -> None:
    """A service that does not hear its broker may have much left."""
    answers.append(LAGS.format("NaN"))
    [(service, count)] = drain({"vigorish": url}, seconds_max=0.2).items()
    assert "vigorish" == service
    assert math.isnan(count)


def test_one_that_does_not_answer_is_not_waited_for() -> None:
    """A service that is gone takes nothing in."""
    assert {} == drain({"vigorish": f"http://{LOOPBACK}:{free_port()}"}, seconds_max=0)


def test_the_metrics_exist() -> None:
    """A renamed metric would end every wait at once."""
    names = {family.name for family in Metrics().registry.collect()}
    assert set(draining.WAITING) <= names
