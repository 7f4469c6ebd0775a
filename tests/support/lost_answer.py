"""A broker whose answer to what was sent is lost on its way, once: the client sends it again."""

import socket
import struct
from typing import Final

from shared.local.ports import LOOPBACK
from tests.support.line import CHUNK, Line, readable

_PRODUCE: Final = 0
_HOST: Final = LOOPBACK.encode()


class LostAnswer(Line):
    """From `with` to its end, clients of `bootstrap_servers` reach a broker of one node on this machine.

    The broker names itself as it is reached here. It carries out the first batch that is sent and its answer is lost,
    with the connection; `lost` counts that.
    """

    def __init__(self, broker: str) -> None:
        host, _, port = broker.partition(":")
        super().__init__((host, int(port)))
        self.bootstrap_servers = f"{LOOPBACK}:{self.port}"
        self.lost = 0
        self._named = _HOST + struct.pack(">i", int(port)), _HOST + struct.pack(">i", self.port)

    def carry(self, client: socket.socket, server: socket.socket) -> None:
        """Pass whole requests and answers on until one side closes, or the answer is to be lost."""
        produced: set[bytes] = set()
        coming, next_ready = {client: b"", server: b""}, readable(client, server)
        while True:
            for source in next_ready():
                data = source.recv(CHUNK)
                if not data:
                    return
                coming[source] += data
                while (frame := _first(coming[source])) is not None:
                    coming[source] = coming[source][len(frame) :]
                    if source is client:
                        if _PRODUCE == int.from_bytes(frame[4:6], "big"):
                            produced.add(frame[8:12])
                        server.sendall(frame)
                    elif not self.lost and frame[4:8] in produced:
                        self.lost += 1
                        return
                    else:
                        client.sendall(frame.replace(*self._named))


def _first(data: bytes) -> bytes | None:
    """Return the first whole request or answer, with the four bytes of its length."""
    size = 4 + int.from_bytes(data[:4], "big")
    return data[:size] if 4 <= len(data) and size <= len(data) else None
