"""Limits on clients before authentication: bytes, headers, seconds, connections.

The limits apply to incoming bytes, below the application, so that input beyond a limit never becomes a request. A
client that exceeds a limit gets an answer with the reason, and is disconnected.
"""

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

import structlog
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from shared.contracts.rejection import Reason
from shared.runtime.http.problems import problem
from shared.runtime.metrics import Metrics
from shared.runtime.settings import Settings

log = structlog.get_logger()

_LINGER_SECONDS: Final = 1.0
"""How long a disconnected client's further input is discarded, so that it can still read the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """The limits on clients: maximum bytes, headers, seconds and connections.

    `head_seconds_max` counts from the connection or the first byte of a request head, `body_seconds_max` from the end
    of the head.
    """

    body_bytes_max: int
    connections_max: int
    connections_per_client_max: int
    head_bytes_max: int = 32 * 1024
    headers_max: int = 64
    head_seconds_max: float = 10.0
    body_seconds_max: float = 30.0
    answer_seconds_max: float = 30.0
    """How long a client may leave an answer unread before it is disconnected."""

    @classmethod
    def of(cls, settings: Settings) -> "ConnectionLimits":
        """Return the limits of a service with these settings."""
        return cls(
            body_bytes_max=settings.http_body_bytes_max,
            connections_max=settings.http_connections_max,
            connections_per_client_max=settings.http_connections_per_client_max,
        )


class _Door:
    """The limits, and the open connections by client address, which all connections of a service share."""

    def __init__(self, limits: ConnectionLimits, metrics: Metrics) -> None:
        self.limits = limits
        self.by_client: Counter[str] = Counter()
        self._metrics = metrics

    def let_in(self, client: str) -> bool:
        """Count a new connection; return whether it is within the limits."""
        self.by_client[client] += 1
        total = self.by_client.total()
        self._metrics.http_connections.set(total)
        return total <= self.limits.connections_max and self.by_client[client] <= self.limits.connections_per_client_max

    def let_out(self, client: str) -> None:
        """Count a connection that was closed."""
        self.by_client[client] -= 1
        if not self.by_client[client]:
            del self.by_client[client]
        self._metrics.http_connections.set(self.by_client.total())

    def note(self, client: str, why: str) -> None:
        """Log and count a client that is disconnected. Each reason has its own log event and so its own rate limit."""
        self._metrics.http_cut_off.labels(why).inc()
        log.warning(f"connection closed: {why.replace('_', ' ')}", client=client, why=why)


def protocol_of(limits: ConnectionLimits, metrics: Metrics) -> type[HttpToolsProtocol]:
    """Return the protocol class for a server, all of whose connections share these limits."""
    door = _Door(limits, metrics)

    class Limited(_Limited):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self._door = door

    return Limited


class _Limited(HttpToolsProtocol):
    """A client connection under the limits."""

    _door: _Door

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._timer: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._waits_for_body = False
        self._is_cut_off = False
        self._is_receiving = False
        self._is_in_head = True
        self._head_bytes = self._header_bytes = self._body_bytes = 0

    @property
    def _host(self) -> str:
        return self.client[0] if self.client else ""

    # --- connections ---

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if not self._door.let_in(self._host):
            self._refuse(Reason.TOO_MANY_CONNECTIONS, "connections", "this client, or all, have too many connections")
            return
        self._wait(self._door.limits.head_seconds_max, self._slow_head)

    def connection_lost(self, exc: Exception | None) -> None:
        self._door.let_out(self._host)
        self._stop_waiting()
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._is_cut_off:
            return
        self._head_bytes += len(data)
        super().data_received(data)
        if not self._is_cut_off:
            self._look_at_what_is_left()

    def _look_at_what_is_left(self) -> None:
        """Start a timer for the rest of an incomplete request. Most requests arrive whole and need no timer."""
        limits = self._door.limits
        if self._is_receiving and not self._is_in_head:
            if not self._waits_for_body:
                self._wait(limits.body_seconds_max, self._slow_body)
                self._waits_for_body = True
        elif self._is_receiving and self._head_bytes > limits.head_bytes_max:
            self._too_large_head(f"URL and headers have more than {limits.head_bytes_max} bytes")
        elif self._timer is None and (self._is_receiving or self._is_idle):
            self._wait(limits.head_seconds_max, self._slow_head)

    @property
    def _is_idle(self) -> bool:
        """Return whether no request is in progress and uvicorn's keep-alive timer is not running."""
        return self.timeout_keep_alive_task is None and (self.cycle is None or self.cycle.response_complete)

    # --- requests, part by part as parsed ---

    def on_message_begin(self) -> None:
        self._is_receiving = True
        self._is_in_head = True
        self._head_bytes = self._header_bytes = self._body_bytes = 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        limits = self._door.limits
        self._header_bytes += len(name) + len(value)
        if len(self.headers) > limits.headers_max:
            self._too_large_head(f"there are more than {limits.headers_max} headers")
        elif self._header_bytes + len(self.url) > limits.head_bytes_max:
            self._too_large_head(f"URL and headers have more than {limits.head_bytes_max} bytes")

    def on_headers_complete(self) -> None:
        if self._is_cut_off:
            return
        self._is_in_head = False
        length = next((value for name, value in self.headers if name == b"content-length"), b"0")
        if int(length) > self._door.limits.body_bytes_max:
            self._too_large_body()
            return
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        if self._is_cut_off:
            return
        self._body_bytes += len(body)
        if self._body_bytes > self._door.limits.body_bytes_max:
            self._too_large_body()
            return
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self._is_cut_off:
            return
        self._is_receiving = False
        self._stop_waiting()
        super().on_message_complete()

    # --- answers ---

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._is_receiving and not self._is_in_head and not self.transport.is_closing():
            self._is_cut_off = True  # the request is answered, so the rest of its body is useless
            self._linger()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(self._door.limits.answer_seconds_max, self._unread_answer)

    def resume_writing(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None
        if self.flow is not None:
            super().resume_writing()

    # --- limits exceeded ---

    def _wait(self, seconds: float, too_long: Any) -> None:
        self._stop_waiting()
        self._timer = self.loop.call_later(seconds, too_long)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._waits_for_body = False

    def _slow_head(self) -> None:
        if not self._is_receiving:  # no request was begun
            self.transport.close()
            return
        self._refuse(Reason.TOO_SLOW, "slow_head", "the request did not come in time")

    def _slow_body(self) -> None:
        self._refuse(Reason.TOO_SLOW, "slow_body", "the body did not come in time")

    def _unread_answer(self) -> None:
        self._unread = None
        self._door.note(self._host, "unread_answer")
        self._is_cut_off = True
        self.transport.abort()

    def _too_large_head(self, detail: str) -> None:
        self._refuse(Reason.HEAD_TOO_LARGE, "large_head", detail)

    def _too_large_body(self) -> None:
        detail = f"the body has more than {self._door.limits.body_bytes_max} bytes"
        self._refuse(Reason.BODY_TOO_LARGE, "large_body", detail)

    def _refuse(self, reason: Reason, why: str, detail: str) -> None:
        """Answer with the reason and disconnect; a handler in progress sees the client as disconnected."""
        if self._is_cut_off or self.transport.is_closing():
            return
        self._is_cut_off = True
        self._door.note(self._host, why)
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()
            if cycle.response_started:  # part of an answer is already sent
                self.transport.abort()
                return
        response = problem(reason, detail)
        headers = [*response.raw_headers, (b"connection", b"close")]
        lines = b"".join(b"%b: %b\r\n" % header for header in headers)
        self.transport.write(b"%b%b\r\n%b" % (STATUS_LINE[response.status_code], lines, bytes(response.body)))
        self._linger()

    def _linger(self) -> None:
        """Discard further input for a short time, so that the client can read the answer; then close."""
        self._unset_keepalive_if_required()
        self.flow.resume_reading()
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._wait(_LINGER_SECONDS, self.transport.abort)
