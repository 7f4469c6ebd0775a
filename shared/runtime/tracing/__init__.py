"""Traces: the way of a round from the event of its table to the reports, off unless the environment asks for them.

What travels is the W3C trace context alone: in the Kafka header `traceparent`, or in the extension attribute of that
name of a CloudEvent. Of an entry that is published it is neither hashed nor signed; a reader's hash of the record has
all its headers. Spans hold places, names and counts, of errors the type: no money, and nothing of patrons.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final, Protocol

from starlette.types import ASGIApp

from shared.runtime.errors import FatalServiceError

TRACEPARENT: Final = "traceparent"
_NOTHING: Final[AbstractContextManager[None]] = nullcontext()


class Received(Protocol):
    """A record of a topic."""

    @property
    def partition(self) -> int: ...

    @property
    def offset(self) -> int: ...

    @property
    def value(self) -> bytes: ...

    def header(self, name: str) -> str | None:
        """Return the text of a header, if the record has it."""


class Tracing:
    """What the parts of a service tell of their work. This one takes no notice; `traces.Traces` makes spans of it."""

    def batch(self, topic: str, records: Sequence[Received]) -> AbstractContextManager[None]:
        """Records of a topic are processed."""
        del topic, records
        return _NOTHING

    def step(self, name: str) -> AbstractContextManager[None]:
        """A part of what is done now."""
        del name
        return _NOTHING

    def committed(self, records: Iterable[tuple[Received, str, str]]) -> None:
        """What follows from records of the batch is committed: each record with source and id of its event."""

    def asked(self, key: str) -> None:
        """Somebody asks for a command under this key."""

    def publishing(self, topic: str, causes: Sequence[tuple[str, str]]) -> AbstractContextManager[None]:
        """Entries are published, each caused by the event or command of this source and id."""
        del topic, causes
        return _NOTHING

    def header(self, source: str, event_id: str) -> bytes | None:
        """Return the trace context that goes with what an event or a command led to, if there is one."""
        del source, event_id
        return None

    def outgoing(self) -> Mapping[str, str]:
        """Return the headers of a request that is sent now."""
        return {}

    def application(self, app: ASGIApp) -> ASGIApp:
        """Return an application whose requests are noticed."""
        return app

    def close(self) -> None:
        """Hand over what is not exported yet."""


NO_TRACING: Final = Tracing()


def tracing_of(service: str, environment: Mapping[str, str]) -> Tracing:
    """Return what makes the traces of a service, as the variables of OpenTelemetry say. Raises: FatalServiceError.

    Traces are made where OTEL_TRACES_EXPORTER is `otlp`, or an endpoint for them is named; OTEL_SDK_DISABLED ends that.
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
    """Return whether the environment asks for traces.

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
