"""Traces of a running stack at a real OTLP endpoint: one trace leads from the table's event to the read model."""

import os
from collections.abc import Iterator
from functools import partial

import httpx
import pytest

from loadtest.bench.collector import Collector, collecting
from services.cli.stack.running_stack import RunningStack
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
