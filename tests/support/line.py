"""A line to a server, byte by byte, that can be cut and led elsewhere; clients know its port alone."""

import contextlib
import select
import socket
from collections.abc import Callable
from threading import Lock, Thread
from types import TracebackType
from typing import Self

from shared.local.ports import LOOPBACK

CHUNK = 1 << 16


class Line:
    """From `with` to its end, connections to `port` reach the address that `leads_to` says; None: nobody."""

    def __init__(self, leads_to: tuple[str, int] | None = None) -> None:
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
        with client, contextlib.suppress(OSError), socket.create_connection(self.leads_to) as server:
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self._clients.add(client)
            try:
                self.carry(client, server)
            finally:
                with self._lock:
                    self._clients.discard(client)

    def carry(self, client: socket.socket, server: socket.socket) -> None:
        """Pass everything on until one side closes."""
        next_ready = readable(client, server)
        while True:
            ready = next_ready()
            for source, target in ((client, server), (server, client)):
                if source in ready:
                    data = source.recv(CHUNK)
                    if not data:
                        return
                    target.sendall(data)


def readable(*ends: socket.socket) -> Callable[[], list[socket.socket]]:
    """What waits for any of these and gives those that have something to say, however many are open elsewhere."""
    poll = select.poll()  # select.select() takes no descriptor above 1023
    by_number = {end.fileno(): end for end in ends}
    for number in by_number:
        poll.register(number, select.POLLIN)
    return lambda: [by_number[number] for number, _ in poll.poll()]
