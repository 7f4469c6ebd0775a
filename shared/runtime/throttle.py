"""Throttle for background work: limits the share of a CPU that it uses."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final

REST_SECONDS_MAX: Final = 30
"""Maximum pause in seconds, however long the work before it took."""


def pause_after(worked_seconds: float, share: float, seconds_max: float = REST_SECONDS_MAX) -> float:
    """Return the pause in seconds after work, so that the work uses at most `share` of a CPU.

    >>> pause_after(0.1, 0.2), pause_after(0.1, 1), pause_after(100, 0.2)
    (0.4, 0.0, 30)
    """
    return min((1 / share - 1) * worked_seconds, seconds_max)


@dataclass(slots=True)
class CpuThrottle:
    """Pauses background work, so that it uses at most `share` of a CPU and handles at most `a_second` items per second.

    No pause is shorter than `rest_seconds_min`. Waiting for the database counts as work.
    """

    share: float
    a_second: float = math.inf
    rest_seconds_min: float = 0.0
    sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep
    clock: Callable[[], float] = monotonic
    _done: int = 0
    _began: float = field(init=False)
    _resumed: float = field(init=False)

    def __post_init__(self) -> None:
        self._began = self._resumed = self.clock()

    async def rest(self, done: int = 0) -> None:
        """Pause after `done` more items, long enough for the rate limit and for the CPU share since the last pause."""
        self._done += done
        now = self.clock()
        rest = pause_after(now - self._resumed, self.share)
        await self.sleep(max(rest, self.rest_seconds_min, self._began + self._done / self.a_second - now))
        self._resumed = self.clock()
