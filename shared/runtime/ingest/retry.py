"""Retries of a consumer while the database is unavailable."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from shared.runtime.context import RuntimeContext
from shared.runtime.errors import FatalServiceError, is_fenced, may_pass
from shared.runtime.retrying import retry

log = structlog.get_logger()

T = TypeVar("T")


def _unavailable(error: BaseException) -> None:
    log.warning("database unavailable, retrying", error=str(error))


async def retry_until_deadline(
    context: RuntimeContext,
    attempt: Callable[[], Awaitable[T]],
    note: Callable[[BaseException], None] = _unavailable,
) -> T:
    """Retry database work until it succeeds. Raises: FatalServiceError after `retry_seconds_max` of the settings."""
    seconds = context.settings.retry_seconds_max
    try:
        return await retry(attempt, passes=may_pass, note=note, seconds_max=seconds, at_once=is_fenced)
    except Exception as error:
        if may_pass(error):
            raise FatalServiceError(f"the database has not been usable for {seconds:.0f} s: {error}") from error
        raise
