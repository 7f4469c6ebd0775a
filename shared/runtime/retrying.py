"""Retry work that may succeed later: the only module that pauses between attempts and stops at a deadline."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from tenacity import (
    AsyncRetrying,
    Future,
    RetryCallState,
    Retrying,
    retry_if_exception,
    retry_if_result,
    stop_after_delay,
    wait_fixed,
)

T = TypeVar("T")

RETRY_SECONDS: Final = 0.25
"""Pause before the next attempt."""

_Judge = Callable[[BaseException], bool]


async def retry(
    attempt: Callable[[], Awaitable[T]],
    *,
    passes: _Judge,
    note: Callable[[BaseException], None],
    seconds_max: float = math.inf,
    at_once: _Judge = lambda _: False,
) -> T:
    """Return the result of the first attempt that succeeds.

    Parameters
    ----------
    passes : returns whether an error is transient. Any other error, or one after the deadline, is raised at once.
    note : called with each error after which another attempt is made.
    seconds_max : no attempt begins later than this after the start of the first one.
    at_once : returns whether to retry without a pause after an error.
    """

    async def once() -> T:
        return await attempt()

    loop = asyncio.get_running_loop()
    ends = loop.time() + seconds_max
    attempts = AsyncRetrying(
        retry=retry_if_exception(passes),
        stop=lambda _: loop.time() > ends,
        wait=lambda state: 0 if at_once(_error(state)) else RETRY_SECONDS,
        before_sleep=lambda state: note(_error(state)),
        sleep=asyncio.sleep,
        reraise=True,
    )
    return await attempts(once)


def wait_while(trouble: Callable[[], T], *, seconds_max: float, pause_seconds: float) -> T:
    """Call `trouble` until its result is falsy or the time is up; return the last result.

    >>> wait_while(iter([2, 1, 0]).__next__, seconds_max=9, pause_seconds=0)
    0
    >>> wait_while(lambda: "starting", seconds_max=0, pause_seconds=0)
    'starting'
    """
    looks = Retrying(
        retry=retry_if_result(bool),
        stop=stop_after_delay(seconds_max),
        wait=wait_fixed(pause_seconds),
        retry_error_callback=lambda state: _outcome(state).result(),
    )
    return looks(trouble)


def _error(state: RetryCallState) -> BaseException:
    error = _outcome(state).exception()
    assert error is not None, "asked after an error alone"
    return error


def _outcome(state: RetryCallState) -> Future:
    assert state.outcome is not None, "asked after an attempt alone"
    return state.outcome
