"""A line to a server, byte by byte, that can be cut and led elsewhere; clients know its port alone."""

import contextlib
import socket
from threading import Lock, Thread
from types import TracebackType
from typing import Self

from shared.local.ports import LOOPBACK
from tests.support.wire import readable

_CHUNK = 1 << 16


class Line:
    """From `with` to its end, connections to `port` reach the port here that `leads_to` says; None: nobody."""

    def __init__(self, leads_to: int | None = None) -> None:
        self.leads_to = leads_to
        self._listener = socket.create_server((LOOPBACK, 0))
        self.port: int = self._listener.getsockname()[1]
        self._lock = Lock()
        self._clients: set[socket.socket] = set()
        self._open = True

    def cut(self) -> int:
        """Cut every connection; return how many there were."""
        with self._lock:
            clients = list(self._clients)
        for client in clients:
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
        return len(clients)

    def __enter__(self) -> Self:
        Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._open = False
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while self._open:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            Thread(target=self._connect, args=(client,), daemon=True).start()

    def _connect(self, client: socket.socket) -> None:
        if self.leads_to is None:
            client.close()
            return
        with client, contextlib.suppress(OSError), socket.create_connection((LOOPBACK, self.leads_to)) as server:
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self._clients.add(client)
            try:
                _pass_on(client, server)
            finally:
                with self._lock:
                    self._clients.discard(client)


def _pass_on(one: socket.socket, other: socket.socket) -> None:
    """Pass everything on until one side closes."""
    next_ready = readable(one, other)
    while True:
        ready = next_ready()
        for source, target in ((one, other), (other, one)):
            if source in ready:
                data = source.recv(_CHUNK)
                if not data:
                    return
                target.sendall(data)
