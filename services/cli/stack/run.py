"""Run one service in its own process (`pitledger run`), or several services in one process (for `pitledger up`)."""

import asyncio
import gc
import os
import sys
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Annotated, Any, Final, TextIO

import structlog
import uvloop
from confluent_kafka import KafkaException
from fastapi.dependencies import models as fastapi_dependencies

from services.cli.environment import settings
from services.cli.exits import ExitCode
from services.cli.output import AsJson
from services.cli.services import CONSOLE, load, running_argument, urls
from services.cli.stack.supervision import Delay
from shared.journal.signed_note import CheckpointError
from shared.runtime.errors import ErrorKind, FatalServiceError, kind_of
from shared.runtime.extras import ExtraMissing, require_extra
from shared.runtime.logs import LogOfService, configure_logs, of_service
from shared.runtime.process.run import serve
from shared.runtime.process.shutdown import end_in_time, stop_on_signals
from shared.runtime.settings import Settings

log = structlog.get_logger()

_THREADS_OF_SERVICE: Final = 4
"""Threads for blocking calls, per service of a process."""

_Serving = Callable[[asyncio.Event | None], Coroutine[Any, Any, None]]
"""A function that runs a service until the event is set or, if it is None, until the process gets a signal."""


def run(
    service: Annotated[str, running_argument("Service to run.")],
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
        lines_per_minute_max=found.log_lines_per_minute_max,
    )
    of_service(service)

    try:
        uvloop.run(_serving(service, found, ending=end_in_time)(None))
    except Exception as error:  # noqa: BLE001 - the outermost frame of the service: every error is logged
        return _ended(error)
    log.info("stopped")
    return ExitCode.FINE


def run_together(environments: Mapping[str, Mapping[str, str]], logs: Mapping[str, Path], *, until: TextIO) -> bool:
    """Run services in this process until SIGTERM or a line on `until`; return False if `until` ends first.

    Each service has its own environment and log; the services share only the event loop. A service that exits
    unexpectedly is restarted after a delay, while the others keep running. Raises: UsageWrong for an invalid setting.
    """
    running: dict[str, _Serving] = {}
    for service, environment in environments.items():
        os.environ.clear()
        os.environ.update(environment)
        found = settings()
        running[service] = _serving(service, found)
    with ExitStack() as open_logs:
        streams = {service: open_logs.enter_context(path.open("a")) for service, path in logs.items()}
        configure_logs(
            form=found.log_format,
            level=found.log_level,
            lines_per_minute_max=found.log_lines_per_minute_max,
            stream=LogOfService(streams, sys.stderr),
        )
        return uvloop.run(_keep_running(running, until))


async def _keep_running(running: Mapping[str, _Serving], until: TextIO) -> bool:
    loop, stop, lines = asyncio.get_running_loop(), stop_on_signals(), list[str]()
    loop.set_default_executor(ThreadPoolExecutor(_THREADS_OF_SERVICE * len(running)))

    def read() -> None:
        lines.append(until.readline())
        loop.remove_reader(until)
        stop.set()

    loop.add_reader(until, read)
    async with asyncio.TaskGroup() as group:
        for service, serving in running.items():
            group.create_task(_keep(service, serving, stop), name=service)
        await stop.wait()
        end_in_time()
    return lines != [""]


async def _keep(service: str, serving: _Serving, stop: asyncio.Event) -> None:
    """Run a service, and restart it after each unexpected exit, until `stop` is set."""
    of_service(service)
    clock, delay = asyncio.get_running_loop().time, Delay()
    while not stop.is_set():
        started = clock()
        try:
            await serving(stop)
            log.info("stopped")
        except Exception as error:  # noqa: BLE001 - the outermost frame of the service: every error is logged
            _ended(error)
        if not stop.is_set():
            _free()
            with suppress(TimeoutError):
                async with asyncio.timeout(delay.after(clock() - started)):
                    await stop.wait()


def _free() -> None:
    """Free all objects of an ended service, including its Kafka clients with their threads and connections.

    Two things keep these objects alive: FastAPI's cache of route functions, and `gc.freeze` when a service starts.
    """
    for one in vars(fastapi_dependencies).values():
        if hasattr(one, "cache_clear"):
            one.cache_clear()
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def _serving(service: str, found: Settings, *, ending: Callable[[], None] = lambda: None) -> _Serving:
    """Return a coroutine function that runs a service with these settings and the service URLs in the environment."""
    known = urls() if service == CONSOLE else {}

    async def serving(stop: asyncio.Event | None) -> None:
        require_extra(service)
        if service == CONSOLE:
            from services.console.serve import serve as serve_console  # of an extra, which the services do not need

            await serve_console(found, known, stop=stop)
        else:
            await serve(load(service), found, stop=stop, ending=ending)

    return serving


def _ended(error: Exception) -> ExitCode:
    """Log why the service ended, with a traceback only if the cause is a bug."""
    expected = isinstance(error, FatalServiceError | ExtraMissing | KafkaException | CheckpointError | OSError)
    if expected or kind_of(error) is not ErrorKind.BUG:
        log.critical("exited because it cannot continue", error=" ".join(str(error).split()))
        return ExitCode.NOT_THERE
    log.critical("exited because of a defect", error=f"{type(error).__name__}: {error}", exc_info=error)
    return ExitCode.BUG
