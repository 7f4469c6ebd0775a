"""Free TCP ports of the loopback interface."""

import errno
import random
import socket

from shared.local.errors import LocalStackError

LOOPBACK = "127.0.0.1"
# Below every system's ephemeral ports: an outgoing connection cannot take the port while a server restarts on it.
_FIRST, _LAST = 20_000, 32_000
_ATTEMPTS = 200


def free_port() -> int:
    """Return a port of 127.0.0.1 on which nobody listens now; another process may still take it first."""
    randomness = random.SystemRandom()
    for _ in range(_ATTEMPTS):
        port = randomness.randrange(_FIRST, _LAST)
        if port_is_free(port):
            return port
    raise LocalStackError(f"no free port found on {LOOPBACK} in {_ATTEMPTS} tries between {_FIRST} and {_LAST}")


def port_is_free(port: int) -> bool:
    """Return whether a server could listen on this port of 127.0.0.1 now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError as error:
            if error.errno in (errno.EADDRINUSE, errno.EACCES):
                return False
            raise
    return True
