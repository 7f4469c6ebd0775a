"""What is written to a connection in one turn of the loop goes out together: the head of an answer and its body.

A server that sends each by itself has two system calls for an answer, and its client wakes up twice.
"""

import asyncio
from typing import Any, Final

_BYTES_MAX: Final = 64 * 1024
"""So many bytes do not wait: whoever writes more must be told when the client does not read."""


class CoalescingTransport:
    """A transport that sends when the turn ends; for everything else it is the one that it wraps."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._loop = asyncio.get_running_loop()
        self._waiting: list[bytes] = []
        self._bytes = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send this, with what else is written in the same turn."""
        if not self._waiting:
            self._loop.call_soon(self._send)
        self._waiting.append(data)
        self._bytes += len(data)
        if self._bytes > _BYTES_MAX:
            self._send()

    def write_eof(self) -> None:
        """Send what waits, and say that nothing follows."""
        self._send()
        self._transport.write_eof()

    def close(self) -> None:
        """Send what waits, and close the connection."""
        self._send()
        self._transport.close()

    def abort(self) -> None:
        """Cut the connection off, and send nothing more."""
        self._waiting, self._bytes = [], 0
        self._transport.abort()

    def _send(self) -> None:
        if self._waiting:
            waiting, self._waiting, self._bytes = self._waiting, [], 0
            if not self._transport.is_closing():  # the client may have gone meanwhile
                self._transport.write(b"".join(waiting))
