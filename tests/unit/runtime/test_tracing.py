"""Spans of batches, events and requests, and the context that travels: without a collector, without a broker."""

from datetime import UTC, datetime

import pytest
from fastapi import FastAPI
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, ParentBased, Sampler

from shared.contracts.topics import SETTLEMENTS
from shared.runtime.ingest.handler import InputRecord
from shared.runtime.ingest.signature_check import content_digest
from shared.runtime.tracing import NO_TRACING, TRACEPARENT, tracing_of
from shared.runtime.tracing.traces import LINKS_MAX, Traces, WithLinked
from tests.support.asgi import AppClient

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
SAMPLED, UNSAMPLED = f"00-{TRACE}-{PARENT}-01", f"00-{TRACE}-{PARENT}-00"
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


class Traced:
    """Traces whose spans are kept here."""

    def __init__(self, root: Sampler = ALWAYS_ON) -> None:
        self._kept = InMemorySpanExporter()
        provider = TracerProvider(sampler=WithLinked(ParentBased(root)))
        provider.add_span_processor(SimpleSpanProcessor(self._kept))
        self.traces = Traces(provider)

    def named(self, name: str) -> list[ReadableSpan]:
        """Return the finished spans of a name."""
        return [one for one in self._kept.get_finished_spans() if one.name == name]

    def process(self, *records: InputRecord) -> None:
        """Process records as a batch, each caused by an event of its offset's name."""
        with self.traces.batch("table.events", records):
            self.traces.committed((one, "/t", f"e-{one.offset}") for one in records)


def a_record(offset: int = 0, value: bytes = b"{}", **headers: str) -> InputRecord:
    """A record with these headers."""
    named = tuple((name, said.encode()) for name, said in headers.items())
    return InputRecord("table.events", 3, offset, b"/t", value, NOON, named)


@pytest.mark.parametrize(
    "record",
    [
        a_record(traceparent=SAMPLED),
        a_record(ce_traceparent=SAMPLED),
        a_record(value=b'{"specversion": "1.0", "traceparent": "%b"}' % SAMPLED.encode()),
    ],
    ids=["header", "binary mode", "extension attribute"],
)
def test_an_event_goes_on_in_the_trace_of_its_sender(record: InputRecord) -> None:
    """Its span is a child of the sender's and linked to its batch, and what it led to carries on from that span."""
    traced = Traced(ALWAYS_OFF)
    traced.process(record)
    [one], [batch] = traced.named("process one of table.events"), traced.named("process table.events")
    assert one.parent is not None
    assert (TRACE, PARENT) == (f"{one.context.trace_id:032x}", f"{one.parent.span_id:016x}")
    assert [PARENT] == [f"{link.context.span_id:016x}" for link in batch.links], "sampled for what it is linked to"
    assert [batch.context.span_id] == [link.context.span_id for link in one.links]
    assert batch.parent is None
    header = traced.traces.header("/t", "e-0")
    assert f"00-{TRACE}-{one.context.span_id:016x}-01".encode() == header


@pytest.mark.parametrize("said", ["", "nonsense", f"00-{'0' * 32}-{PARENT}-01", "ff-x"])
def test_what_is_no_context_begins_a_trace(said: str) -> None:
    """Whoever sends an event can name a trace and break nothing by it."""
    traced = Traced()
    traced.process(a_record(traceparent=said))
    [one] = traced.named("process one of table.events")
    assert one.parent is None
    assert TRACE != f"{one.context.trace_id:032x}"


def test_an_entry_that_is_sent_again_without_its_trace_is_a_duplicate() -> None:
    """A relay that was started again knows no traces; only what a reader notes of the record tells the two apart."""
    with_trace, without = a_record(traceparent=SAMPLED), a_record()
    assert content_digest(SETTLEMENTS, with_trace) == content_digest(SETTLEMENTS, without)
    assert with_trace.digest() != without.digest()


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"[]",
        b'{"traceparent": 5}',
        b'{"traceparent": "\xff"}',
        b'{"data": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
    ids=["empty", "no object", "no text", "no UTF-8", "too deep"],
)
def test_what_nobody_can_read_is_left_to_quarantine(value: bytes) -> None:
    """A record that holds up its batch with traces, and not without them, would stop its service."""
    traced = Traced()
    traced.process(a_record(value=value))
    [one] = traced.named("process one of table.events")
    assert one.parent is None


def test_of_an_error_a_span_has_the_type_alone() -> None:
    """What PostgreSQL says of a row that it refuses is the row itself."""
    traced = Traced()
    said = "Failing row contains (jane-roe, 12500)"
    with (
        pytest.raises(ValueError, match="jane-roe"),
        traced.traces.publishing("settlements", []),
        traced.traces.batch("table.events", [a_record()]),
        traced.traces.step("commit"),
    ):
        raise ValueError(said)
    for name in ("commit", "process table.events", "send settlements"):
        [span] = traced.named(name)
        assert (False, "ValueError") == (span.status.is_ok, (span.attributes or {})["error.type"])
        assert "jane-roe" not in span.to_json()


def test_what_its_sender_does_not_sample_is_not_sampled_here(recwarn: pytest.WarningsRecorder) -> None:
    """Nor by the next service: its context goes on, flags and all."""
    traced = Traced()
    traced.process(a_record(traceparent=UNSAMPLED))
    assert [] == traced.named("process one of table.events")
    [batch] = traced.named("process table.events")
    assert 0 == len(batch.links)
    header = traced.traces.header("/t", "e-0")
    assert header is not None
    assert (header.startswith(f"00-{TRACE}-".encode()), header[-3:]) == (True, b"-00")


def test_links_are_bounded() -> None:
    """A batch of thousands is linked to the first."""
    traced = Traced()
    traced.process(*(a_record(number, traceparent=f"00-{number:032x}-{PARENT}-01") for number in range(1, 1_001)))
    [batch] = traced.named("process table.events")
    assert (LINKS_MAX, 1_000) == (len(batch.links), (batch.attributes or {})["messaging.batch.message_count"])


def test_a_request_is_named_by_its_route_and_its_command_goes_on_in_its_trace() -> None:
    """What a path names, such as a patron, is in no span."""
    traced = Traced()
    app = FastAPI()

    @app.get("/patrons/{patron}")
    async def read(patron: str) -> dict[str, str]:
        traced.traces.asked("key-1")
        return dict(traced.traces.outgoing())

    with AppClient(traced.traces.application(app)) as client:  # type: ignore[arg-type]
        answer = client.get("/patrons/jane-roe", headers={TRACEPARENT: SAMPLED}).json()
    [span] = traced.named("GET /patrons/{patron}")
    assert span.parent is not None
    assert PARENT == f"{span.parent.span_id:016x}"
    assert "jane-roe" not in span.to_json()
    own = f"00-{TRACE}-{span.context.span_id:016x}-01"
    assert {TRACEPARENT: own} == answer
    assert own.encode() == traced.traces.header("/commands/1", "key-1")


def test_of_a_request_that_fails_a_span_has_the_type_alone() -> None:
    """Its error is logged; it is nothing for a collector."""
    traced = Traced()
    app = FastAPI()

    @app.get("/patrons/{patron}")
    async def read(patron: str) -> None:
        raise ValueError(patron)

    with (
        AppClient(traced.traces.application(app)) as client,  # type: ignore[arg-type]
        pytest.raises(ValueError, match="jane-roe"),
    ):
        client.get("/patrons/jane-roe")
    [span] = traced.named("GET /patrons/{patron}")
    assert (False, "ValueError") == (span.status.is_ok, (span.attributes or {})["error.type"])
    assert "jane-roe" not in span.to_json()


def test_without_an_exporter_there_are_no_traces() -> None:
    """Nothing is imported, and nothing is done."""
    assert tracing_of("reporting", {"OTEL_TRACES_EXPORTER": "none"}) is NO_TRACING
    with NO_TRACING.batch("table.events", [a_record()]), NO_TRACING.step("derive"):
        NO_TRACING.committed([])
    assert (None, {}) == (NO_TRACING.header("/t", "e-0"), NO_TRACING.outgoing())
