"""Electronic tables send their commands however the service treats their connections."""

import socketserver
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import pytest

from loadtest.floor.electronic import AccountsRefused, Desk, ElectronicTables

ANSWER = b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}"


class _Service(socketserver.ThreadingTCPServer):
    """Answers so many commands, one a connection, and closes each without having said so; then none."""

    daemon_threads = True

    def __init__(self, answers: int) -> None:
        super().__init__(("127.0.0.1", 0), _OneAnswer)
        self.answers = answers
        self.keys: list[str] = []


class _OneAnswer(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        assert isinstance(self.server, _Service)
        head = {}
        while line := self.rfile.readline().strip():
            name, _, value = line.decode().partition(": ")
            head[name] = value
        if head and len(self.server.keys) < self.server.answers:
            self.rfile.read(int(head["Content-Length"]))
            self.server.keys.append(head["Idempotency-Key"])
            self.wfile.write(ANSWER)


@contextmanager
def _tables(service: _Service) -> Iterator[ElectronicTables]:
    with service:
        Thread(target=service.serve_forever, daemon=True).start()
        port = service.server_address[1]
        tables = ElectronicTables(Desk(f"http://127.0.0.1:{port}", "cashier", "table"), "riverside", frozenset())
        yield tables
        tables._connection().close()
        service.shutdown()


def test_a_connection_that_was_closed_meanwhile_is_opened_again() -> None:
    """The command goes out again under its key; the players' day goes on."""
    service = _Service(answers=3)
    with _tables(service) as tables:
        for number in range(3):
            tables._post("/captures", {}, f"k-{number}", "table")
    assert ["k-0", "k-1", "k-2"] == service.keys


def test_a_service_that_does_not_answer_is_said() -> None:
    """Once more is enough: then it is a failure."""
    with _tables(_Service(answers=0)) as tables, pytest.raises(AccountsRefused, match="POST /captures"):
        tables._post("/captures", {}, "k", "table")
