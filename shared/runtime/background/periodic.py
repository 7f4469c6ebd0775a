"""Periodic work of a service."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from shared.runtime.errors import ErrorKind, kind_of

log = structlog.get_logger()


async def every(seconds: float, work: Callable[[], Awaitable[object]], failed: str) -> None:
    """Run `work` periodically until cancelled. Transient failures are logged as those of `failed`; bugs are raised."""
    while True:
        try:
            await work()
        except Exception as error:
            if kind_of(error) is ErrorKind.BUG:
                raise
            log.warning("periodic work failed, retrying", work=failed, error=str(error))
        await asyncio.sleep(seconds)
