"""OpenTelemetry spans: one per batch, linked to the events in it, and one per event in the event's own trace.

A batch contains events of many traces. The batch's span is therefore a root of its own, linked to its sampled events,
and each event gets a span in its sender's trace, linked to the batch. Entries carry the context of their event's span,
so that one trace leads from the table to the last service that reads them.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib.metadata import version
from time import time_ns
from typing import Any, Final

import msgspec
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult
from opentelemetry.trace import Link, Span, SpanContext, SpanKind
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.types import Attributes
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shared.runtime.tracing import TRACEPARENT, Received, Tracing

LINKS_MAX: Final = 128
"""Maximum number of links of a span, OpenTelemetry's default."""
_KEPT_MAX: Final = 20_000
"""Maximum number of trace contexts kept until the resulting entries are published."""
_PROPAGATOR: Final = TraceContextTextMapPropagator()
_SERVER_ERROR: Final = 500


class _Extended(msgspec.Struct):
    traceparent: str | None = None


_extended: Final = msgspec.json.Decoder(_Extended)


def exporting(service: str) -> TracerProvider:
    """Return a span provider: the environment sets sampler (OTEL_TRACES_SAMPLER), endpoint and resource attributes."""
    named = {"service.name": f"pitledger-{service}", "service.version": version("pitledger")}
    provider = TracerProvider(resource=Resource.create(named))
    provider.sampler = WithLinked(provider.sampler)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


class WithLinked(Sampler):
    """A sampler that samples root spans linked to a sampled span, and leaves all other spans to the sampler `other`."""

    def __init__(self, other: Sampler) -> None:
        self._other = other

    def should_sample(
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,
        trace_state: Any = None,
    ) -> SamplingResult:
        """Decide whether a span is recorded: for a root span by its links, otherwise by the other sampler."""
        parent = trace.get_current_span(parent_context).get_span_context()
        if not parent.is_valid and any(link.context.trace_flags.sampled for link in links or ()):
            return SamplingResult(Decision.RECORD_AND_SAMPLE, attributes)
        return self._other.should_sample(parent_context, trace_id, name, kind, attributes, links, trace_state)

    def get_description(self) -> str:
        """Return the sampler's description."""
        return f"WithLinked{{{self._other.get_description()}}}"


@dataclass(frozen=True, slots=True)
class _Batch:
    topic: str
    begun_ns: int
    contexts: Mapping[tuple[int, int], Context]
    link: Link


_BATCH: Final[ContextVar[_Batch | None]] = ContextVar("batch", default=None)


class Traces(Tracing):
    """Creates spans for a service's work."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("pitledger", version("pitledger"))
        self._known: OrderedDict[tuple[str, str], SpanContext] = OrderedDict()

    @contextmanager
    def batch(self, topic: str, records: Sequence[Received]) -> Iterator[None]:
        """Trace the processing of a batch of a topic's records: one span, linked to the sampled events."""
        contexts = {(one.partition, one.offset): context_of(one) for one in records}
        about = {**_kafka(topic, "process"), "messaging.batch.message_count": len(records)}
        found = (trace.get_current_span(one).get_span_context() for one in contexts.values())
        begun = time_ns()
        with _current(
            self._tracer,
            f"process {topic}",
            context=Context(),
            kind=SpanKind.CONSUMER,
            links=_links(found),
            attributes=about,
            start_time=begun,
        ) as span:
            token = _BATCH.set(_Batch(topic, begun, contexts, Link(span.get_span_context())))
            try:
                yield
            finally:
                _BATCH.reset(token)

    def step(self, name: str) -> AbstractContextManager[Any]:
        """Return a context manager that traces a step of the current work."""
        return _current(self._tracer, name)

    def committed(self, records: Iterable[tuple[Received, str, str]]) -> None:
        """Create a span for each committed event, from the start of its batch until now."""
        batch = _BATCH.get()
        if batch is None:
            return
        for record, source, event_id in records:
            about = {
                **_kafka(batch.topic, "process"),
                "messaging.destination.partition.id": str(record.partition),
                "messaging.kafka.offset": record.offset,
                "cloudevents.event_id": event_id,
                "cloudevents.event_source": source,
            }
            span = self._tracer.start_span(
                f"process one of {batch.topic}",
                context=batch.contexts.get((record.partition, record.offset), Context()),
                kind=SpanKind.CONSUMER,
                links=[batch.link],
                attributes=about,
                start_time=batch.begun_ns,
            )
            span.end()
            self._keep((source, event_id), span.get_span_context())

    def asked(self, key: str) -> None:
        """Associate the command under this Idempotency-Key with the trace of the current request."""
        self._keep(("", key), trace.get_current_span().get_span_context())

    def publishing(self, topic: str, causes: Sequence[tuple[str, str]]) -> AbstractContextManager[Any]:
        """Trace the publishing of entries: one span, linked to the sampled causes of the entries."""
        about = {**_kafka(topic, "send"), "messaging.batch.message_count": len(causes)}
        links = _links(found for one in causes if (found := self._of(*one)) is not None)
        return _current(
            self._tracer, f"send {topic}", context=Context(), kind=SpanKind.PRODUCER, links=links, attributes=about
        )

    def header(self, source: str, event_id: str) -> bytes | None:
        """Return the W3C trace context for entries that an event or command caused, or None."""
        found = self._of(source, event_id)
        return None if found is None else _written(found).encode()

    def outgoing(self) -> Mapping[str, str]:
        """Return the trace headers for an outgoing request."""
        headers: dict[str, str] = {}
        _PROPAGATOR.inject(headers)
        return headers

    def application(self, app: ASGIApp, *, withheld: Callable[[str], bool] = lambda _: False) -> ASGIApp:
        """Return the application with a span per request, named by its route, except for withheld paths."""
        return _Traced(app, self._tracer, withheld)

    def close(self) -> None:
        """Export the remaining spans, within OTEL_BSP_EXPORT_TIMEOUT, and shut down."""
        self._provider.shutdown()

    def _keep(self, cause: tuple[str, str], found: SpanContext) -> None:
        if not found.is_valid:
            return
        self._known[cause] = found
        self._known.move_to_end(cause)
        while len(self._known) > _KEPT_MAX:
            self._known.popitem(last=False)

    def _of(self, source: str, event_id: str) -> SpanContext | None:
        return self._known.get((source, event_id)) or self._known.get(("", event_id))


def context_of(record: Received) -> Context:
    """Return the trace context of a record, from its header or else from its CloudEvent; empty if there is none."""
    said = record.header(TRACEPARENT) or record.header(f"ce_{TRACEPARENT}")
    if said is None:
        try:
            said = _extended.decode(record.value).traceparent
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # its consumer quarantines it
            said = None
    return Context() if said is None else _PROPAGATOR.extract({TRACEPARENT: said}, context=Context())


@contextmanager
def _current(tracer: trace.Tracer, name: str, **about: Any) -> Iterator[Span]:
    """Yield a span that is current in the block. It records errors by type only: a message may quote money."""
    with tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False, **about) as span:
        try:
            yield span
        except Exception as error:
            span.set_status(trace.StatusCode.ERROR)
            span.set_attribute("error.type", type(error).__qualname__)
            raise


def _links(contexts: Iterator[SpanContext]) -> list[Link]:
    found: dict[tuple[int, int], Link] = {}
    for one in contexts:
        if one.is_valid and one.trace_flags.sampled and len(found) < LINKS_MAX:
            found.setdefault((one.trace_id, one.span_id), Link(one))
    return list(found.values())


def _kafka(topic: str, operation: str) -> dict[str, Any]:
    return {
        "messaging.system": "kafka",
        "messaging.destination.name": topic,
        "messaging.operation.type": operation,
    }


def _written(context: SpanContext) -> str:
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"


class _Traced:
    """Middleware that creates a span for each request, with method, route template and status."""

    def __init__(self, app: ASGIApp, tracer: trace.Tracer, withheld: Callable[[str], bool]) -> None:
        self._app = app
        self._withheld = withheld
        self._tracer = tracer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._withheld(scope["path"]):
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        parent = _PROPAGATOR.extract(headers, context=Context())
        method = scope["method"]
        with _current(self._tracer, method, context=parent, kind=SpanKind.SERVER) as span:
            span.set_attribute("http.request.method", method)

            async def answered(message: Message) -> None:
                if message["type"] == "http.response.start":
                    _note(span, scope, message["status"])
                await send(message)

            await self._app(scope, receive, answered)


def _note(span: Span, scope: Scope, status: int) -> None:
    route = getattr(scope.get("route"), "path", None)
    if route is not None:
        span.update_name(f"{scope['method']} {route}")
        span.set_attribute("http.route", route)
    span.set_attribute("http.response.status_code", status)
    if status >= _SERVER_ERROR:
        span.set_status(trace.StatusCode.ERROR)
