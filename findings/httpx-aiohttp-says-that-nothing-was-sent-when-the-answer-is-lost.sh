#!/bin/sh
# What a wallet's client meets that sends a debit over httpx, when the service takes the request and dies before it
# answers: does the error say that the money may have moved?
#
# Guess, written down first: the transports of httpx are interchangeable. httpx says ReadError or RemoteProtocolError,
# never ConnectError or ConnectTimeout, which mean that no connection came about, so that everybody who retries (httpx's
# own `retries=`, and the usual policies on top of it) sends again after these alone.
#
# Versions: httpx 0.28.1, httpx-aiohttp 0.2.0, aiohttp 3.13.2, Python 3.11.
#
# Behavior, one POST, whose body the server reads whole before it closes the connection:
#   httpx's own transport          RemoteProtocolError
#   httpx-aiohttp                  ConnectTimeout, at once, with nothing that timed out
# The transport maps aiohttp's ClientConnectionError, of which ServerDisconnectedError is one, to ConnectTimeout.
#
# What follows: behind this transport ConnectTimeout does not show that a command was not sent. A command without a key
# that makes its repetition harmless must not be sent again after it; with such a key, it may after any error.
set -eu
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'httpx==0.28.1' 'httpx-aiohttp==0.2.0' 'aiohttp==3.13.2'
cat >"$folder/tried.py" <<'PYTHON'
import asyncio
import sys

import httpx
from httpx_aiohttp import AiohttpTransport

SEEN = {"httpx's own transport": "RemoteProtocolError", "httpx-aiohttp": "ConnectTimeout"}
BODY = b'{"amount_cents": 2500}'


async def debit(transport: httpx.AsyncBaseTransport) -> tuple[str, bytes]:
    """Return the error of one POST, and what the server had read of it when it closed the connection."""
    taken: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        taken.append(await reader.readexactly(len(BODY)))
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, httpx.AsyncClient(transport=transport) as client:
        try:
            await client.post(f"http://127.0.0.1:{port}/debits", content=BODY)
        except httpx.TransportError as error:
            return type(error).__name__, b"".join(taken)
    return "answered", b"".join(taken)


def main() -> int:
    found = {}
    for name, transport in (("httpx's own transport", httpx.AsyncHTTPTransport()), ("httpx-aiohttp", AiohttpTransport())):
        error, taken = asyncio.run(debit(transport))
        print(f"{name:24} {error:22} the server had read: {taken.decode()}")
        assert taken == BODY
        found[name] = error
    return 0 if found == SEEN else 1


sys.exit(main())
PYTHON
"$folder/venv/bin/python" "$folder/tried.py" && echo "as stated"
