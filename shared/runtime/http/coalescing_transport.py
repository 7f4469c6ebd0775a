"""Coalesce what is written to a connection in one turn of the event loop: an answer's head and body.

Sent separately they take two system calls, and wake the client twice.
"""

import asyncio
from typing import Any, Final

_BYTES_MAX: Final = 64 * 1024
"""Larger writes are sent at once, so that the writer notices when the client does not read."""


class CoalescingTransport:
    """A transport that sends at the end of the loop's turn; otherwise it behaves as the wrapped one."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._loop = asyncio.get_running_loop()
        self._waiting: list[bytes] = []
        self._bytes = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send data together with everything else written in this turn."""
        if not self._waiting:
            self._loop.call_soon(self._send)
        self._waiting.append(data)
        self._bytes += len(data)
        if self._bytes > _BYTES_MAX:
            self._send()

    def write_eof(self) -> None:
        """Flush, and half-close the connection."""
        self._send()
        self._transport.write_eof()

    def close(self) -> None:
        """Flush, and close the connection."""
        self._send()
        self._transport.close()

    def abort(self) -> None:
        """Close the connection at once, and drop unsent data."""
        self._waiting, self._bytes = [], 0
        self._transport.abort()

    def _send(self) -> None:
        if self._waiting:
            waiting, self._waiting, self._bytes = self._waiting, [], 0
            if not self._transport.is_closing():  # the client may have gone meanwhile
                self._transport.write(b"".join(waiting))
