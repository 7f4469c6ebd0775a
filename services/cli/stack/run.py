"""`pitledger run`: one service as a process of its own."""

from typing import Annotated

import structlog
import uvloop
from confluent_kafka import KafkaException

from services.cli.environment import settings
from services.cli.exits import ExitCode
from services.cli.output import AsJson
from services.cli.services import CONSOLE, load, running_argument, urls
from shared.journal.signed_note import CheckpointError
from shared.runtime.errors import ErrorKind, FatalServiceError, kind_of
from shared.runtime.extras import ExtraMissing, require_extra
from shared.runtime.logs import configure_logs
from shared.runtime.process.run import serve
from shared.runtime.process.shutdown import end_in_time

log = structlog.get_logger()


def run(
    service: Annotated[str, running_argument("The service to run.")],
    as_json: AsJson = False,
) -> int:
    """Run one service until it is stopped.

    It shuts down cleanly on SIGTERM and Ctrl-C. Logs go to stderr in the format of PITLEDGER_LOG_FORMAT; --json
    overrides it. Settings come from the environment: see `pitledger config`.

    Example: pitledger run round-settlement
    """
    found = settings()
    configure_logs(
        form="json" if as_json else found.log_format,
        level=found.log_level,
        service=service,
        lines_per_minute_max=found.log_lines_per_minute_max,
    )
    try:
        require_extra(service)
        if service == CONSOLE:
            from services.console.serve import serve as serve_console

            uvloop.run(serve_console(found, urls()))
        else:
            uvloop.run(serve(load(service), found, ending=end_in_time))
    except Exception as error:  # noqa: BLE001 - the outermost frame of the service: the log says why it ended
        return _ended(error)
    log.info("stopped")
    return ExitCode.FINE


def _ended(error: Exception) -> ExitCode:
    """Log why the service ended, with a traceback only if the cause is a bug."""
    expected = isinstance(error, FatalServiceError | ExtraMissing | KafkaException | CheckpointError | OSError)
    if expected or kind_of(error) is not ErrorKind.BUG:
        log.critical("stopped", kind="stop", error=" ".join(str(error).split()))
        return ExitCode.NOT_THERE
    log.critical("stopped", kind="bug", error=f"{type(error).__name__}: {error}", exc_info=error)
    return ExitCode.BUG
