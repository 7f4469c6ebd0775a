"""How long a consumer retries while the database is unavailable."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import structlog

from shared.runtime.context import RuntimeContext
from shared.runtime.errors import ErrorKind, FatalServiceError, kind_of

log = structlog.get_logger()

T = TypeVar("T")

_RETRY_SECONDS = 0.25
"""Pause before a failed batch is retried."""


class RetryPolicy:
    """Retries failed database work for as long as the settings allow."""

    def __init__(self, context: RuntimeContext, topic: str) -> None:
        self._context = context
        self._topic = topic

    async def backoff(self, error: Exception, partitions: Sequence[int], deadline: float | None) -> float:
        """Wait before a batch is retried; return the deadline. Raises: FatalServiceError after it; bugs propagate."""
        kind = kind_of(error)
        if kind in (ErrorKind.BUG, ErrorKind.REFUSED):
            raise error
        if kind is ErrorKind.FENCED:
            self._context.metrics.fenced.labels(self._topic).inc()
        else:
            await asyncio.sleep(_RETRY_SECONDS)
        log.warning(
            "batch failed, retrying", topic=self._topic, partitions=partitions, kind=kind.value, error=str(error)
        )
        now = asyncio.get_running_loop().time()
        if deadline is not None and now > deadline:
            raise FatalServiceError(
                f"the database has not been usable for {self._context.settings.retry_seconds_max:.0f} s: {error}"
            ) from error
        return deadline or now + self._context.settings.retry_seconds_max

    async def retry_until_deadline(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Retry until the database answers or the deadline passes."""
        deadline = asyncio.get_running_loop().time() + self._context.settings.retry_seconds_max
        while True:
            try:
                return await attempt()
            except Exception as error:
                # FENCED is a serialization failure: somebody else opened the same shard just now.
                if kind_of(error) not in (ErrorKind.TRANSIENT, ErrorKind.AMBIGUOUS, ErrorKind.FENCED):
                    raise
                if asyncio.get_running_loop().time() > deadline:
                    raise FatalServiceError(
                        f"the database has not answered for {self._context.settings.retry_seconds_max:.0f} s: {error}"
                    ) from error
                log.warning("database unavailable, retrying", error=str(error))
                await asyncio.sleep(_RETRY_SECONDS)
