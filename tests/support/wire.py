"""PostgreSQL at the end of a wire that can be cut at the moment of a commit, before or after the server has done it."""

import socket
import struct
from collections.abc import Callable, Iterator

from sqlalchemy import make_url

from shared.local.ports import LOOPBACK
from tests.support.line import CHUNK, Line, readable

_ENCRYPTION_REQUESTS = (80877103, 80877104)
"""SSLRequest and GSSENCRequest: answered with N, for no."""
_CANCEL_REQUEST = 80877102


class Commit:
    """A COMMIT on its way to the server."""

    def __init__(self, statements: tuple[str, ...], carry_out: Callable[[], None]) -> None:
        self.statements = statements
        self.happened = False
        self._carry_out = carry_out

    def happen(self) -> None:
        """Lets the server commit, and waits until it has said so; whoever asked does not know it yet."""
        self._carry_out()
        self.happened = True

    def writes(self, table: str) -> bool:
        """Whether the transaction inserted into a table."""
        return any(text.lstrip().upper().startswith(("INSERT", "COPY")) and table in text for text in self.statements)


def pass_on(commit: Commit) -> bool:
    """The commit happens, and is answered."""
    commit.happen()
    return True


class Wire(Line):
    """From `with` to its end, connections to `url` reach the server of the URL that was given.

    `at_commit` decides on every commit and gives whether the wire holds: a commit that it did not let happen and a wire
    that does not hold are a connection lost before the commit, one that happened without an answer is the other case.
    It is called in a thread of the connection, and may block it.
    """

    def __init__(self, url: str, at_commit: Callable[[Commit], bool] = pass_on) -> None:
        super().__init__()
        self.lead_to(url)
        self.at_commit = at_commit
        self.url = make_url(url).set(host=LOOPBACK, port=self.port).render_as_string(hide_password=False)

    def lead_to(self, url: str | None) -> None:
        """Has connections from now on reach another server, or with None nobody."""
        server = None if url is None else make_url(url)
        self.leads_to = None if server is None else (server.host or LOOPBACK, server.port or 5432)

    def carry(self, client: socket.socket, server: socket.socket) -> None:
        """Passes everything on, and asks at every commit."""
        _Connection(client, server, self).run()


class _Connection:
    """One connection, message by message (PostgreSQL's frontend/backend protocol 3.0)."""

    def __init__(self, client: socket.socket, server: socket.socket, wire: Wire) -> None:
        self._client = client
        self._server = server
        self._wire = wire
        self._prepared: dict[bytes, str] = {}
        self._statements: list[str] = []
        self._answer = b""

    def run(self) -> None:
        """Passes everything on until one side closes, or the wire is cut."""
        if not self._start_up():
            return
        coming, next_ready = b"", readable(self._client, self._server)
        while True:
            ready = next_ready()
            if self._server in ready:
                data = self._server.recv(CHUNK)
                if not data:
                    return
                self._client.sendall(data)
            if self._client in ready:
                data = self._client.recv(CHUNK)
                if not data:
                    return
                coming += data
                for message in _messages(coming):
                    coming = coming[len(message) :]
                    if not self._pass(message):
                        return

    def _start_up(self) -> bool:
        """Passes the first message on, which has no type; a request for encryption is refused. False: it is over."""
        while True:
            length, code = struct.unpack("!ii", self._exactly(8))
            if code in _ENCRYPTION_REQUESTS:
                self._client.sendall(b"N")
                continue
            self._server.sendall(struct.pack("!ii", length, code) + self._exactly(length - 8))
            return bool(code != _CANCEL_REQUEST)

    def _exactly(self, length: int) -> bytes:
        data = b""
        while len(data) < length:
            more = self._client.recv(length - len(data))
            if not more:
                raise ConnectionResetError("closed while it was connecting")
            data += more
        return data

    def _pass(self, message: bytes) -> bool:
        """Passes a message of the client on. False: the wire is cut."""
        kind, body = message[:1], message[5:]
        text: str | None = None
        if kind == b"Q":
            text = body.rstrip(b"\0").decode()
        elif kind == b"P":
            name, query = body.split(b"\0")[:2]
            self._prepared[name] = query.decode()
        elif kind == b"B":
            text = self._prepared[body.split(b"\0")[1]]
        if text is None:
            self._server.sendall(message)
            return True
        if text != "COMMIT":
            self._statements.append(text)
            if text == "ROLLBACK":
                self._statements.clear()
            self._server.sendall(message)
            return True
        commit = Commit(tuple(self._statements), lambda: self._commit(message))
        self._statements.clear()
        holds = self._wire.at_commit(commit)
        if holds:
            self._client.sendall(self._answer)
        return holds

    def _commit(self, message: bytes) -> None:
        """Sends COMMIT and takes the server's answer, up to its ReadyForQuery."""
        assert message[:1] == b"Q", "COMMIT comes as a simple query"
        self._server.sendall(message)
        self._answer = b""
        while not any(answer[:1] == b"Z" for answer in _messages(self._answer)):
            data = self._server.recv(CHUNK)
            if not data:
                raise ConnectionResetError("the server is gone")
            self._answer += data


def _messages(data: bytes) -> Iterator[bytes]:
    """The whole messages at the beginning of the data: type, length, body."""
    while len(data) >= 5:
        (length,) = struct.unpack("!i", data[1:5])
        if len(data) < length + 1:
            return
        yield data[: length + 1]
        data = data[length + 1 :]
