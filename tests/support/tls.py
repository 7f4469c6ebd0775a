"""TLS in front of the embedded PostgreSQL, whose build has none: as a server with a certificate does it."""

import socket
import ssl
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

from shared.local.ports import LOOPBACK

_SSL, _GSS = 80877103, 80877104
_BYTES = 65_536


@contextmanager
def tls_in_front_of(port: int, *, certificate: Path, key: Path) -> Iterator[int]:
    """Give a port on which PostgreSQL answers over TLS alone; what comes in plain text is cut off."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with socket.create_server((LOOPBACK, 0)) as door:
        Thread(target=_admit, args=(door, context, port), daemon=True).start()
        yield door.getsockname()[1]
        door.shutdown(socket.SHUT_RDWR)


def _admit(door: socket.socket, context: ssl.SSLContext, port: int) -> None:
    with suppress(OSError):  # the door is closed
        while True:
            client, _ = door.accept()
            Thread(target=_serve, args=(client, context, port), daemon=True).start()


def _serve(client: socket.socket, context: ssl.SSLContext, port: int) -> None:
    with suppress(OSError), client:
        while (asked := struct.unpack("!ii", client.recv(8, socket.MSG_WAITALL))[1]) == _GSS:
            client.sendall(b"N")
        if asked != _SSL:
            return
        client.sendall(b"S")
        with context.wrap_socket(client, server_side=True) as inside, socket.create_connection((LOOPBACK, port)) as to:
            back = Thread(target=_pass_on, args=(to, inside), daemon=True)
            back.start()
            _pass_on(inside, to)
            back.join()


def _pass_on(from_: socket.socket, to: socket.socket) -> None:
    with suppress(OSError):
        while got := from_.recv(_BYTES):
            to.sendall(got)
    with suppress(OSError):
        to.shutdown(socket.SHUT_WR)
