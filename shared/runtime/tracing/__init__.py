"""Traces: the path of a round from the table's event to the reports; off unless the environment enables them.

Only the W3C trace context is propagated: in the Kafka header `traceparent`, or in the CloudEvent extension attribute of
that name. A published entry's hash and signature do not cover it, but a consumer's hash of the record covers all
headers. Spans contain positions, names, counts and the types of errors, but no money and no patron data.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final, Protocol

from starlette.types import ASGIApp

from shared.runtime.errors import FatalServiceError

TRACEPARENT: Final = "traceparent"
_NOTHING: Final[AbstractContextManager[None]] = nullcontext()


class Received(Protocol):
    """A record of a topic, with the attributes that tracing reads."""

    @property
    def partition(self) -> int: ...

    @property
    def offset(self) -> int: ...

    @property
    def value(self) -> bytes: ...

    def header(self, name: str) -> str | None:
        """Return the text of a header, or None if the record does not have it."""


class Tracing:
    """The tracing hooks of a service. This class does nothing; its subclass `traces.Traces` creates spans."""

    def batch(self, topic: str, records: Sequence[Received]) -> AbstractContextManager[None]:
        """Return a context manager that traces the processing of a batch of a topic's records."""
        del topic, records
        return _NOTHING

    def step(self, name: str) -> AbstractContextManager[None]:
        """Return a context manager that traces a step of the current work."""
        del name
        return _NOTHING

    def committed(self, records: Iterable[tuple[Received, str, str]]) -> None:
        """Record that a batch was committed; each item is a record with its event's source and id."""

    def asked(self, key: str) -> None:
        """Associate the command under this Idempotency-Key with the trace of the current request."""

    def publishing(self, topic: str, causes: Sequence[tuple[str, str]]) -> AbstractContextManager[None]:
        """Return a context manager that traces publishing entries; `causes` are (source, id) of events or commands."""
        del topic, causes
        return _NOTHING

    def header(self, source: str, event_id: str) -> bytes | None:
        """Return the trace context for entries that an event or command caused, or None."""
        del source, event_id
        return None

    def outgoing(self) -> Mapping[str, str]:
        """Return the trace headers for an outgoing request."""
        return {}

    def application(self, app: ASGIApp, *, withheld: Callable[[str], bool] = lambda _: False) -> ASGIApp:
        """Return the application with its requests traced, except requests for withheld paths."""
        del withheld
        return app

    def close(self) -> None:
        """Export the remaining spans."""


NO_TRACING: Final = Tracing()


def tracing_of(service: str, environment: Mapping[str, str]) -> Tracing:
    """Return the tracing that the OpenTelemetry variables configure. Raises: FatalServiceError.

    Traces are created if OTEL_TRACES_EXPORTER is `otlp`, or if an endpoint is set. OTEL_SDK_DISABLED turns them off.
    """
    if not wanted(environment):
        return NO_TRACING
    try:
        from shared.runtime.tracing.traces import Traces, exporting
    except ModuleNotFoundError as error:
        raise FatalServiceError(
            f"traces are wanted, and {error.name} is not installed: pip install 'pitledger[tracing]'"
        ) from error
    return Traces(exporting(service))


def wanted(environment: Mapping[str, Any]) -> bool:
    """Return whether the environment enables tracing.

    >>> wanted({}), wanted({"OTEL_TRACES_EXPORTER": "otlp"}), wanted({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://there"})
    (False, True, True)
    >>> wanted({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://there", "OTEL_TRACES_EXPORTER": "none"})
    False
    """
    if str(environment.get("OTEL_SDK_DISABLED", "")).lower() == "true":
        return False
    exporter = environment.get("OTEL_TRACES_EXPORTER")
    named = environment.get("OTEL_EXPORTER_OTLP_ENDPOINT") or environment.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    return exporter == "otlp" if exporter else bool(named)
