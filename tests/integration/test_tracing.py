"""Traces of a running stack at a real OTLP endpoint: one trace leads from the table's event to the read model."""

import gzip
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from services.cli.stack import RunningStack
from tests.support.brokers import AnyBroker
from tests.support.polling import eventually
from tests.support.properties import OF_ANY_AGE, property_event
from tests.support.rounds import completed, submission
from tests.support.services import produce
from tests.support.stack import rows, signer_of

pytestmark = [pytest.mark.broker, pytest.mark.any_broker]

PARENT = "b7ad6b7169203331"
TRACED, SENT, UNSAMPLED = "1" * 32, "2" * 32, "3" * 32
SERVICES = ("round-settlement", "reporting")


class Seen(NamedTuple):
    """A span that was exported."""

    service: str
    name: str
    trace: str
    span: str
    parent: str
    links: frozenset[str]
    """The spans that it is linked to."""


class Collector(ThreadingHTTPServer):
    """Takes what is exported."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Taking)
        self.spans: list[Seen] = []

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def take(self, body: bytes) -> None:
        """Keep the spans of a request."""
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            [service] = [one.value.string_value for one in resource.resource.attributes if one.key == "service.name"]
            for scope in resource.scope_spans:
                for span in scope.spans:
                    ids = (span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex())
                    self.spans.append(
                        Seen(service, span.name, *ids, frozenset(link.span_id.hex() for link in span.links))
                    )

    def of(self, trace: str) -> dict[tuple[str, str], Seen]:
        """The spans of a trace by service and name."""
        return {(one.service, one.name): one for one in self.spans if one.trace == trace}


class _Taking(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        self.server.take(body)  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the standard library
        """Say nothing."""


@contextmanager
def collecting() -> Iterator[Collector]:
    """Give a collector that listens."""
    with Collector() as collector:
        thread = threading.Thread(target=collector.serve_forever, daemon=True)
        thread.start()
        yield collector
        collector.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    """A collector that listens."""
    with collecting() as collector:
        yield collector


@pytest.fixture(scope="module")
def traced(module_database_url: str, module_broker: AnyBroker, collector: Collector) -> Iterator[RunningStack]:
    """Round settlement and reporting with traces, after three rounds of which the tables say their contexts."""
    servers = {"DATABASE_URL": module_database_url, "KAFKA_BOOTSTRAP_SERVERS": module_broker.bootstrap_servers}
    settings = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_BSP_SCHEDULE_DELAY": "100"}
    with RunningStack(environment={**os.environ, **servers}, settings=settings, services=SERVICES) as running:
        registry = signer_of(running, "paytable-registry")
        produce(running.bootstrap_servers, "properties", [property_event(plausibility=OF_ANY_AGE)], signer=registry)
        produce(running.bootstrap_servers, "submissions", [submission()], signer=registry)
        eventually(
            lambda: rows(running, "SELECT 1 FROM round_settlement.properties, round_settlement.submissions"),
            because="property and submission arrived",
            seconds=60,
        )
        said = completed("BJ-01", 1) | {"traceparent": f"00-{TRACED}-{PARENT}-01"}
        produce(running.bootstrap_servers, "table.events", [said])
        for table, trace, flags in (("BJ-02", SENT, "01"), ("BJ-03", UNSAMPLED, "00")):
            header = ("traceparent", f"00-{trace}-{PARENT}-{flags}".encode())
            produce(running.bootstrap_servers, "table.events", [completed(table, 1)], header=partial(_said, header))
        eventually(
            lambda: rows(running, "SELECT 1 FROM reporting.rounds OFFSET 2"), because="all are reported", seconds=60
        )
        yield running


def _said(header: tuple[str, bytes], value: bytes) -> tuple[str, bytes]:
    del value
    return header


@pytest.mark.parametrize("trace", [TRACED, SENT], ids=["extension attribute", "header"])
def test_one_trace_leads_from_the_table_to_the_reports(traced: RunningStack, collector: Collector, trace: str) -> None:
    """Reporting's span is the child of settlement's, and that of the table's; each is linked to its batch."""
    wanted = {
        ("pitledger-round-settlement", "process one of table.events"),
        ("pitledger-reporting", "process one of settlements"),
    }
    eventually(lambda: wanted <= collector.of(trace).keys(), because="the spans are exported", seconds=20)
    settled, reported = (collector.of(trace)[one] for one in sorted(wanted, reverse=True))
    assert (PARENT, settled.span) == (settled.parent, reported.parent)
    for one, topic, cause in ((settled, "table.events", PARENT), (reported, "settlements", settled.span)):
        batches = [each for each in collector.spans if each.name == f"process {topic}" and {each.span} == one.links]
        [batch] = batches
        assert (one.service, True, "") == (batch.service, cause in batch.links, batch.parent)
        assert {"derive", "commit"} == {each.name for each in collector.spans if each.parent == batch.span}
    assert any(settled.span in one.links for one in collector.spans if one.name == "send settlements")


def test_what_is_not_sampled_is_not_exported(traced: RunningStack, collector: Collector) -> None:
    """The round is settled and reported all the same."""
    eventually(lambda: collector.of(SENT), because="others are exported", seconds=20)
    assert {} == collector.of(UNSAMPLED)


def test_a_report_is_in_the_trace_of_whoever_asks(traced: RunningStack, collector: Collector) -> None:
    """Under the name of its route."""
    trace = "4" * 32
    headers = {"traceparent": f"00-{trace}-{PARENT}-01"}
    assert 401 == httpx.get(f"{traced.urls['reporting']}/reports/win-as-settled", headers=headers).status_code
    eventually(lambda: collector.of(trace), because="the request is exported", seconds=20)
    [(name, span)] = collector.of(trace).items()
    assert (("pitledger-reporting", "GET /reports/{report}"), PARENT) == (name, span.parent)
