"""Periodic work of a service."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from shared.runtime.errors import ErrorKind, kind_of

log = structlog.get_logger()


async def every(seconds: float, work: Callable[[], Awaitable[object]], failed: str) -> None:
    """Run `work` until cancelled, with a pause of `seconds` after each run.

    Transient failures are logged with `failed` as the name of the work; bugs are raised.
    """
    await repeat(
        seconds, work, lambda error: log.warning("periodic task failed, retrying", work=failed, error=str(error))
    )


async def repeat(
    seconds: float,
    work: Callable[[], Awaitable[object]],
    note: Callable[[Exception], object],
    *,
    failed_seconds: float | None = None,
) -> None:
    """Run `work` periodically until cancelled. Pass transient failures to `note`; raise bugs.

    `seconds` is the pause after each run. `failed_seconds`, if given, is the pause after a failed run.
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
