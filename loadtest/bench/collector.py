"""An in-process OTLP endpoint that receives the services' exported spans."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import NamedTuple

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from shared.local.ports import LOOPBACK


class Seen(NamedTuple):
    """An exported span with its ids."""

    service: str
    name: str
    trace: str
    span: str
    parent: str
    links: frozenset[str]
    """The ids of the spans that this span links to."""


class Collector(ThreadingHTTPServer):
    """An HTTP server that stores exports, and parses them only on request, because parsing is slower than receiving."""

    def __init__(self) -> None:
        super().__init__((LOOPBACK, 0), _Taking)
        self.taken: list[bytes] = []

    @property
    def url(self) -> str:
        """Return the URL of the endpoint."""
        return f"http://{LOOPBACK}:{self.server_port}"

    @property
    def spans(self) -> list[Seen]:
        """Return all spans received."""
        return [span for body in self.taken for span in _spans(body)]

    def of(self, trace: str) -> dict[tuple[str, str], Seen]:
        """Return the spans of a trace by (service, name)."""
        return {(one.service, one.name): one for one in self.spans if one.trace == trace}


@contextmanager
def collecting() -> Iterator[Collector]:
    """Yield a listening collector."""
    with Collector() as collector:
        thread = Thread(target=collector.serve_forever, daemon=True)
        thread.start()
        try:
            yield collector
        finally:
            collector.shutdown()
            thread.join()


class _Taking(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        packed = self.headers.get("Content-Encoding") == "gzip"
        self.server.taken.append(gzip.decompress(body) if packed else body)  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *words: object) -> None:  # noqa: A002 - the library's name
        """Log nothing."""


def _spans(body: bytes) -> Iterator[Seen]:
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        [service] = [one.value.string_value for one in resource.resource.attributes if one.key == "service.name"]
        for scope in resource.scope_spans:
            for span in scope.spans:
                ids = (span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex())
                yield Seen(service, span.name, *ids, frozenset(link.span_id.hex() for link in span.links))
