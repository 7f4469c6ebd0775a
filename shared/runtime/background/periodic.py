"""Periodic work of a service."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from shared.runtime.errors import ErrorKind, kind_of

log = structlog.get_logger()


async def every(seconds: float, work: Callable[[], Awaitable[object]], failed: str) -> None:
    """Run `work` periodically until cancelled. A transient failure is logged as that of `failed`; a bug is raised."""
    await repeat(
        seconds, work, lambda error: log.warning("periodic work failed, retrying", work=failed, error=str(error))
    )


async def repeat(
    seconds: float,
    work: Callable[[], Awaitable[object]],
    note: Callable[[Exception], object],
    *,
    failed_seconds: float | None = None,
) -> None:
    """Run `work` periodically until cancelled. `note` is called with a transient failure; a bug is raised.

    `seconds` is the pause after each run; `failed_seconds` is the pause after a failure, if it differs.
    """
    while True:
        pause = seconds
        try:
            await work()
        except Exception as error:
            if kind_of(error) is ErrorKind.BUG:
                raise
            note(error)
            pause = seconds if failed_seconds is None else failed_seconds
        await asyncio.sleep(pause)
