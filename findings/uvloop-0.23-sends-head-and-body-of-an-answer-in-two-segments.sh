#!/bin/sh
# What leaves a server for one answer of 120 bytes, on uvloop: how many segments does a wallet's client receive?
#
# Guess, written down first: uvloop keeps what is written during one turn of its loop and sends it at the end of that turn
# with one system call, as it always has. uvicorn writes head and body of an answer one after the other, so an answer is
# one segment on any uvloop, and a minor release changes nothing of it.
#
# Versions: uvicorn 0.54.0, httptools 0.9.0; uvloop 0.22.1 and 0.23.0; Python 3.11.
#
# Behavior, segments with data that one client receives for 50 answers on a kept connection (Linux, TCP_INFO):
#   uvloop 0.22.1    50: head and body together
#   uvloop 0.23.0   100: since it sends at once whenever nothing waits, as the loop of the standard library does
#
# What follows: whoever serves small answers pays a second system call and a second segment for each, the client a second
# read. It cannot be seen in any release's interface, and `TCP_NODELAY`, which uvloop sets, rules out that the kernel joins
# them. A client that reads once and takes that for the answer has half of it.
set -eu
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cat >"$folder/tried.py" <<'PYTHON'
import http.client
import socket
import struct
import sys
import threading
import time

import uvicorn

ANSWERS = 50
DATA_SEGMENTS_IN = 152
"""Where tcpi_data_segs_in lies in Linux's struct tcp_info: 32 bits."""


async def authorized(scope, receive, send):
    """Answer every request with a short document."""
    assert scope["type"] == "http"
    body = b'{"authorization":"a-1","held_cents":2500,"available_cents":97500,"decided":"2026-11-29T12:00:00Z"}'
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": body})


def main(expected: int) -> int:
    config = uvicorn.Config(authorized, port=0, loop="uvloop", http="httptools", lifespan="off", log_level="error", access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    client = http.client.HTTPConnection("127.0.0.1", port)
    for _ in range(ANSWERS):
        client.request("GET", "/")
        answer = client.getresponse()
        assert len(answer.read()) == int(answer.headers["content-length"])
    told = client.sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    (segments,) = struct.unpack_from("I", told, DATA_SEGMENTS_IN)
    client.close()
    server.should_exit = True
    thread.join()
    print(f"{ANSWERS} answers: {segments} segments with data")
    return 0 if segments == expected else 1


sys.exit(main(int(sys.argv[1])))
PYTHON
changed=0
for row in '0.22.1 50' '0.23.0 100'; do
    set -- $row
    python3 -m venv "$folder/$1"
    "$folder/$1/bin/pip" install --quiet --disable-pip-version-check "uvloop==$1" 'uvicorn==0.54.0' 'httptools==0.9.0'
    printf 'uvloop %s: ' "$1"
    "$folder/$1/bin/python" "$folder/tried.py" "$2" || changed=1
done
exit $changed
