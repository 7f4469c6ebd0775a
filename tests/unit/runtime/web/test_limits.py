"""What one client may take of a service: attacks on a real socket, by somebody whom nobody knows."""

import asyncio
import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from resource import getpagesize
from threading import Thread
from typing import Any, Self

import pytest
import uvicorn
from fastapi import APIRouter, Request
from structlog.testing import capture_logs

from shared.contracts.rejection import Reason
from shared.local.ports import LOOPBACK
from shared.runtime.http.access import Caller
from shared.runtime.http.app import create_app
from shared.runtime.http.command_routes import command_route
from shared.runtime.http.connection_limits import ConnectionLimits, protocol_of
from shared.runtime.http.roles import declare_role
from shared.runtime.logs import PerMinute
from shared.runtime.metrics import Metrics
from shared.runtime.settings import Settings
from tests.support import eventually
from tests.support.identities import KnownTokens
from tests.unit.runtime.web.test_commands import FakeEngine, NewSlip, Slip

SEND = declare_role("tests.void", "Void slips in a test.")
SHORT = ConnectionLimits(
    body_bytes_max=64 * 1024,
    connections_max=12,
    connections_per_client_max=10,
    head_bytes_max=8 * 1024,
    headers_max=20,
    head_seconds_max=0.3,
    body_seconds_max=0.3,
    answer_seconds_max=0.3,
)
ANN = "Authorization: Bearer token of ann\r\n"
POST = "POST /slips/new HTTP/1.1\r\nHost: x\r\n"
MUCH = 100_000_000
PAGE_SIZE = getpagesize()


class Server:
    """A service on a port of its own."""

    def __init__(self, limits: ConnectionLimits = SHORT, request_seconds_max: float | None = None) -> None:
        self.metrics = Metrics()
        router = APIRouter()
        command_route(router, FakeEngine(), NewSlip, "/slips/new", role=SEND, answers=Slip)

        @router.get("/much")
        async def much() -> str:
            return "x" * MUCH

        @router.get("/long")
        async def long() -> None:
            await asyncio.Event().wait()

        async def recorded(request: Request, caller: Caller, reason: Reason, detail: str) -> None:
            """Refusals go nowhere."""

        app = create_app(
            service="test",
            version="1",
            metrics=self.metrics,
            checks={},
            identities=KnownTokens({"ann": ["tests.void"]}),
            record_refusal=recorded,
            router=router,
            request_seconds_max=request_seconds_max,
        )
        config = uvicorn.Config(
            app,
            host=LOOPBACK,
            port=0,
            http=protocol_of(limits, self.metrics),
            ws="none",
            log_config=None,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._thread = Thread(target=self._server.run, name="service")

    def __enter__(self) -> Self:
        self._thread.start()
        eventually(lambda: self._server.started, because="the service listens")
        self._port = self._server.servers[0].sockets[0].getsockname()[1]
        return self

    def __exit__(self, *reason: object) -> None:
        self._server.should_exit = True
        self._thread.join()

    def connect(self) -> socket.socket:
        """A connection."""
        return socket.create_connection((LOOPBACK, self._port), timeout=20)

    def send(self, *parts: bytes) -> tuple[int, Any]:
        """Send parts of a request over a connection of its own; gives the status and the body of the answer, 0 none."""
        with self.connect() as connection:
            with suppress(ConnectionError):
                for part in parts:
                    connection.sendall(part)
            return answer_of(connection)

    def cut_off(self, why: str) -> float:
        """How many clients were cut off for this."""
        return self.metrics.registry.get_sample_value("pitledger_http_cut_off_total", {"why": why}) or 0.0

    def connections(self) -> float | None:
        """How many connections there are."""
        return self.metrics.registry.get_sample_value("pitledger_http_connections")


def answer_of(connection: socket.socket) -> tuple[int, Any]:
    """What is answered until the connection ends."""
    read = b""
    with suppress(ConnectionError):
        while found := connection.recv(65536):
            read += found
    if not read:
        return 0, None
    head, _, body = read.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body) if b"json" in head else body


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A service with short limits."""
    with Server() as server:
        yield server


def memory_bytes() -> int:
    """The memory that this process has now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_SIZE


def with_body(body: bytes, more: str = ANN) -> bytes:
    """A command with a body."""
    return f"{POST}{more}Idempotency-Key: k\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def test_what_is_within_the_limits_is_served(server: Server) -> None:
    """Also a body just as large as allowed: it is malformed, and that is said."""
    assert 200 == server.send(with_body(b'{"property":"riverbend"}'))[0]
    assert 422 == server.send(with_body(b"x" * SHORT.body_bytes_max))[0]


@pytest.mark.parametrize("who", [ANN, "", "Authorization: Bearer token of nobody\r\n"])
def test_a_body_of_100_megabytes_is_refused_before_it_is_read(server: Server, who: str) -> None:
    """By its announced length, at once, whoever sends it."""
    head = f"{POST}{who}Idempotency-Key: k\r\nContent-Length: {MUCH}\r\n\r\n".encode()
    before = server.cut_off("large_body")
    status, problem = server.send(head)
    assert (413, "urn:pitledger:problem:body-too-large") == (status, problem["type"])
    assert f"the body has more than {SHORT.body_bytes_max} bytes" == problem["detail"]
    assert before + 1 == server.cut_off("large_body")


def test_a_flood_for_one_reason_hides_no_other_in_the_log(server: Server) -> None:
    """Of lines of a kind so many are written in a minute: each reason to cut a client off is a kind of its own."""
    large_body, large_head = f"{POST}{ANN}Content-Length: {MUCH}\r\n\r\n".encode(), POST.encode() + b"a: b\r\n" * 30
    per_minute = PerMinute(1)
    with capture_logs() as lines:
        assert [413, 413, 431] == [server.send(head)[0] for head in (large_body, large_body, large_head)]
    assert [0, None, 0] == [per_minute.left_out(line["event"]) for line in lines if "why" in line]


def test_a_body_without_a_length_is_refused_when_it_is_too_large(server: Server) -> None:
    """Chunk by chunk: memory does not grow with what somebody sends, and sending comes to an end."""
    before = memory_bytes()
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    head = f"{POST}Idempotency-Key: k\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    status, _ = server.send(head, *[chunk] * (MUCH // 0x10000))
    assert status in (0, 401, 413)  # a client that does not stop sending may miss what it is told
    assert memory_bytes() - before < 20_000_000
    eventually(lambda: server.connections() == 0, because="the client is cut off")


@pytest.mark.parametrize(
    "head",
    [
        POST + "".join(f"X-{number}: 1\r\n" for number in range(30)),
        f"{POST}X-Long: {'x' * 20_000}\r\n",
        f"GET /{'x' * 20_000} HTTP/1.1\r\nHost: x\r\n",
        f"{POST}X-Endless: {'x' * 300_000}",
    ],
    ids=["many", "long", "url", "endless"],
)
def test_headers_without_end_are_refused(server: Server, head: str) -> None:
    """Many, long, a long URL, or one that never ends: 431 before anything else is looked at."""
    status, problem = server.send(head.encode() + b"\r\n")
    assert (431, "urn:pitledger:problem:head-too-large") == (status, problem["type"])


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        ("POST /slips/new HT", "slow_head"),
        (f"{POST}X-1: 1\r\n", "slow_head"),
        (f"{POST}{ANN}Idempotency-Key: k\r\nContent-Length: 10\r\n\r\n12345", "slow_body"),
        (f"{POST}{ANN}Idempotency-Key: k\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n12\r\n", "slow_body"),
    ],
)
def test_a_client_that_does_not_finish_its_request_is_cut_off(server: Server, sent: str, why: str) -> None:
    """In the head or in the body: told that it is too slow, and gone."""
    before = server.cut_off(why)
    status, problem = server.send(sent.encode())
    assert (408, "urn:pitledger:problem:too-slow") == (status, problem["type"])
    assert before + 1 == server.cut_off(why)


def test_who_is_unknown_and_keeps_the_body_back_is_answered_and_gone(server: Server) -> None:
    """The answer does not wait for the body, and the connection not for ever."""
    with server.connect() as connection:
        connection.sendall(f"{POST}Idempotency-Key: k\r\nContent-Length: 10\r\n\r\n".encode())
        assert b" 401 " in connection.recv(65536)
        while connection.recv(65536):
            pass
    eventually(lambda: server.connections() == 0, because="the client is cut off")


def test_a_connection_on_which_nothing_is_asked_ends(server: Server) -> None:
    """Also a second request on a connection that was kept."""
    assert (0, None) == server.send()
    with server.connect() as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"alive" in connection.recv(65536)
        connection.sendall(b"GET /healthz HTTP/1.1\r\n")
        assert 408 == answer_of(connection)[0]
    with server.connect() as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"alive" in connection.recv(65536)
        connection.sendall(b"\r\n")
        assert (0, None) == answer_of(connection)


def test_a_client_that_does_not_read_its_answer_is_cut_off(server: Server) -> None:
    """What is written for it does not stay in memory."""
    with server.connect() as connection:
        connection.sendall(b"GET /much HTTP/1.1\r\nHost: x\r\n\r\n")
        eventually(lambda: server.cut_off("unread_answer") == 1, because="the client is cut off")
        assert connection.recv(1)
    eventually(lambda: server.connections() == 0, because="the connection is gone")


def test_one_client_has_so_many_connections(server: Server) -> None:
    """One more is told so and closed; when others end there is room again."""
    with ExitStack() as many:
        open_ones = [many.enter_context(server.connect()) for _ in range(SHORT.connections_per_client_max)]
        for one in open_ones:
            one.sendall(b"GET /long HTTP/1.1\r\nHost: x\r\n\r\n")
        eventually(lambda: server.connections() == len(open_ones), because="all are open")
        status, problem = server.send()
        assert (503, "urn:pitledger:problem:too-many-connections") == (status, problem["type"])
    eventually(lambda: server.connections() == 0, because="they are closed")
    assert 200 == server.send(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")[0]


def test_work_on_a_request_has_an_end() -> None:
    """Whoever asked may try again."""
    with Server(request_seconds_max=0.1) as server:
        status, problem = server.send(b"GET /long HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert (503, "urn:pitledger:problem:try-again") == (status, problem["type"])


def test_a_service_has_the_limits_of_its_settings() -> None:
    """As the operations page lists them."""
    limits = ConnectionLimits.of(
        Settings(http_body_bytes_max=2048, http_connections_max=7, http_connections_per_client_max=3)
    )
    assert (2048, 7, 3) == (limits.body_bytes_max, limits.connections_max, limits.connections_per_client_max)
