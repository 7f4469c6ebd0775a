"""The end of a service: its parts one after the other, and the process in time, whatever is left of them."""

import asyncio
import faulthandler
from collections.abc import Coroutine
from typing import Any

import structlog

log = structlog.get_logger()

_STOP_SECONDS = 20.0
"""Longest wait for all parts of a service to end: shorter than the grace of whoever stops it."""
_LAST_SECONDS = 5.0
"""How long after that the process may still need for itself."""


def end_in_time() -> None:
    """Have the process of a service that is ending end in time, and say where its threads are if it has to.

    Threads of librdkafka cannot be cancelled, and need not return.
    """
    faulthandler.dump_traceback_later(_STOP_SECONDS + _LAST_SECONDS, exit=True)


class Shutdown:
    """End the parts of a service one after the other, all of them within one time."""

    def __init__(self) -> None:
        self._until = asyncio.get_running_loop().time() + _STOP_SECONDS

    async def wait(self, part: str, ended: Coroutine[Any, Any, object]) -> None:
        """Wait until a part has ended, as long as there is time."""
        try:
            async with asyncio.timeout_at(self._until):
                await ended
        except TimeoutError:
            log.warning("shutdown timed out", part=part)

    async def cancel(self, part: str, *tasks: asyncio.Task[None]) -> None:
        """Cancel tasks and wait for them."""
        for task in tasks:
            task.cancel()
        await self.wait(part, asyncio.wait(tasks))
