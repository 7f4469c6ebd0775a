"""A server of this machine that speaks TLS."""

import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import Message
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

from shared.local.ports import LOOPBACK
from tests.support.certificates import Authority

Reply = Callable[[Message, bytes], bytes]
"""The document with which a request is answered, of its headers and its body."""


@contextmanager
def https(authority: Authority, reply: Reply) -> Iterator[str]:
    """Give the URL of a server that shows a certificate of an authority; it ends with the block."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            document = reply(self.headers, body)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(document)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, format: str, *words: object) -> None:  # noqa: A002 - the library's name
            """Nothing."""

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*authority.issue("id"))
    with HTTPServer((LOOPBACK, 0), Answer) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"https://{LOOPBACK}:{server.server_port}"
        finally:
            server.shutdown()
