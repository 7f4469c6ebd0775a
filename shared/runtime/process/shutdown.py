"""Shutdown of a service: its parts in order, then the process, all within one time limit."""

import asyncio
import faulthandler
import signal
from collections.abc import Coroutine
from typing import Any

import structlog

log = structlog.get_logger()

_STOP_SECONDS = 20.0
"""Maximum time for all parts of a service to end, less than the supervisor's grace period."""
_LAST_SECONDS = 5.0
"""Additional time for the process to exit."""


def stop_on_signals() -> asyncio.Event:
    """Return an event that SIGINT or SIGTERM sets, for the running event loop."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    return stop


def end_in_time() -> None:
    """Start a watchdog that dumps the tracebacks of all threads and exits if the shutdown exceeds the time limit.

    This is necessary because librdkafka's threads cannot be cancelled, and may never return.
    """
    faulthandler.dump_traceback_later(_STOP_SECONDS + _LAST_SECONDS, exit=True)


class Shutdown:
    """Ends the parts of a service in order, within one time limit."""

    def __init__(self) -> None:
        self._until = asyncio.get_running_loop().time() + _STOP_SECONDS

    async def wait(self, part: str, ended: Coroutine[Any, Any, object]) -> None:
        """Wait until a part has ended or the time limit is reached."""
        try:
            async with asyncio.timeout_at(self._until):
                await ended
        except TimeoutError:
            log.warning("shutdown timed out", part=part)

    async def cancel(self, part: str, *tasks: asyncio.Task[None]) -> None:
        """Cancel the tasks of a part and wait for them."""
        for task in tasks:
            task.cancel()
        await self.wait(part, asyncio.wait(tasks))
