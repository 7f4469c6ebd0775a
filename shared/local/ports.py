"""Free TCP ports of the loopback interface."""

import errno
import os
import random
import socket
from collections import deque
from typing import Final

from shared.local.errors import LocalStackError

LOOPBACK = "127.0.0.1"
# Below the ephemeral ports of every system, so that no outgoing connection takes a port while its server restarts.
_FIRST, _LAST = 20_000, 32_000
_ATTEMPTS = 200
_HELD_MAX = 128
_HELD: Final[deque[int]] = deque()
"""Descriptors of the sockets that reserve the most recently returned ports; they close when the process ends."""


def free_port() -> int:
    """Return a free port of 127.0.0.1.

    The port is reserved: a server can listen on it, but this function does not return it again.
    """
    randomness = random.SystemRandom()
    for _ in range(_ATTEMPTS):
        port = randomness.randrange(_FIRST, _LAST)
        if (bound := _bound(port, shared=False)) is not None:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # from now on a server can bind it, too
            _HELD.append(bound.detach())
            if len(_HELD) > _HELD_MAX:
                os.close(_HELD.popleft())
            return port
    raise LocalStackError(f"no free port found on {LOOPBACK} in {_ATTEMPTS} tries between {_FIRST} and {_LAST}")


def port_is_free(port: int) -> bool:
    """Return whether a server could listen on this port of 127.0.0.1 now."""
    if (bound := _bound(port, shared=True)) is None:
        return False
    bound.close()
    return True


def _bound(port: int, *, shared: bool) -> socket.socket | None:
    """Return a socket bound to this port of 127.0.0.1, or None if the port is not free.

    With `shared`, only a listening server makes the port not free.
    """
    probe = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, shared)
    try:
        probe.bind((LOOPBACK, port))
    except OSError as error:
        probe.close()
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            return None
        raise
    return probe
