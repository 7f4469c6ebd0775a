"""Structured logs on stderr: one JSON object per line, or readable text; rate-limited by event."""

import logging
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Final, TextIO, cast

import structlog
from prometheus_client import Counter

LINES_LEFT_OUT: Final = Counter(
    "pitledger_log_lines_left_out", "Log lines dropped by rate limiting, by kind", ["kind"], registry=None
)
"""Number of dropped log lines of the whole process; each service in the process reports the same number."""

_MINUTE_SECONDS: Final = 60.0
_SERVICE: Final = "service"
"""The member of a log line that contains the service's name."""
_WITHHELD: Final = "details_withheld"
"""Context variable of tasks whose log lines are reduced to the event's name."""
_WRONG: Final = ("error", "critical")
_TOLD: Final = (_SERVICE, "event", "level", "timestamp", "_record", "_from_structlog")
"""The members that remain in a log line without details; the last two belong to structlog."""
_KINDS_MAX: Final = 1000
"""Maximum number of events with a limit of their own, per service; all further events share one limit."""


class PerMinute:
    """Limits the lines per minute for each event of a service; the next line reports how many lines were dropped.

    Each service in a process has limits of its own, so that a flood from one service drops no lines of another.
    """

    def __init__(self, lines_max: int, clock: Callable[[], float] = monotonic) -> None:
        self._lines_max = lines_max
        self._clock = clock
        self._kinds: defaultdict[str, dict[str, tuple[float, int]]] = defaultdict(dict)
        """Start of the current minute, and number of lines since then, by service and event."""

    def left_out(self, kind: str) -> int | None:
        """Return the number of lines dropped in the previous minute if this line may be logged, or None to drop it."""
        kinds = self._kinds[_current_service()]
        if kind not in kinds and len(kinds) >= _KINDS_MAX:
            kind = "others"
        now = self._clock()
        began, lines = kinds.get(kind, (now, 0))
        before = 0
        if now - began >= _MINUTE_SECONDS:
            before = max(0, lines - self._lines_max)
            began, lines = now, 0
        kinds[kind] = (began, lines + 1)
        if lines < self._lines_max:
            return before
        LINES_LEFT_OUT.labels(kind).inc()
        return None

    def __call__(self, logger: object, method: str, line: structlog.typing.EventDict) -> structlog.typing.EventDict:
        """Add the number of dropped lines to a line, or raise DropEvent to drop it (a structlog processor)."""
        del logger, method
        before = self.left_out(str(line.get("event")))
        if before is None:
            raise structlog.DropEvent
        return {**line, "left_out": before} if before else line

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a line of the standard library's loggers is logged (a logging filter)."""
        return self.left_out(f"{record.name}: {record.msg}"[:200]) is not None


class LogOfService:
    """A stream that writes each line to the log of the current task's service, or to `other` outside of a service."""

    def __init__(self, logs: Mapping[str, TextIO], other: TextIO) -> None:
        self._logs = logs
        self._other = other

    def write(self, text: str) -> int:
        """Write to the log of the current service."""
        return self._log.write(text)

    def flush(self) -> None:
        """Flush the log of the current service."""
        self._log.flush()

    @property
    def _log(self) -> TextIO:
        return self._logs.get(_current_service(), self._other)


def of_service(service: str) -> None:
    """Label all log lines of this task, and of the tasks that it creates, with a service."""
    structlog.contextvars.bind_contextvars(**{_SERVICE: service})


def withhold_details() -> None:
    """Reduce the logging of this task, and of the tasks that it creates, to the names of error events.

    Warnings are dropped, too, because even the retry of a command reveals that there was a command.
    """
    structlog.contextvars.bind_contextvars(**{_WITHHELD: True})


def _withheld(logger: object, method: str, line: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Reduce an error to its event, and drop any other line, if details are withheld (a structlog processor)."""
    del logger, method
    if not line.pop(_WITHHELD, False):
        return line
    if line.get("level") not in _WRONG:
        raise structlog.DropEvent
    told = {name: line[name] for name in _TOLD if name in line}
    record = line.get("_record")  # a library's message may contain anything
    return told if record is None else {**told, "event": record.name}


def _current_service() -> str:
    """Return the service to which the current task belongs; empty for none."""
    return str(structlog.contextvars.get_contextvars().get(_SERVICE, ""))


def configure_logs(
    *, form: str, level: str, lines_per_minute_max: int, stream: TextIO | LogOfService | None = None
) -> None:
    """Set up structlog, and route the standard library's loggers through it; `stream` is stderr by default.

    `form` is "json" for JSON; any other value selects readable text.
    """
    stream = stream or sys.stderr
    per_minute = PerMinute(lines_per_minute_max)
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _withheld,
        structlog.processors.format_exc_info,
    ]
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer() if form == "json" else structlog.dev.ConsoleRenderer()
    )
    structlog.configure(
        processors=[per_minute, *shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(cast(TextIO, stream)),
    )
    handler = logging.StreamHandler(stream)
    handler.addFilter(per_minute)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                renderer,
            ],
        )
    )
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    # psycopg warns about the statements that it discards after an error in a pipeline, but the error itself is raised.
    logging.getLogger("psycopg").setLevel(logging.ERROR)
