"""The pace of work that nobody waits for: what it may take of a processor."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final

REST_SECONDS_MAX: Final = 30
"""The longest rest of such work: PostgreSQL ends a transaction that rests for a minute."""


@dataclass(slots=True)
class CpuThrottle:
    """After all work a rest that keeps to `share` of a processor, and no more than so many pieces of it a second.

    No rest is shorter than `rest_seconds_min`. While the database works for it, the time counts as work.
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
        """Wait until as much time has passed as what was done should take, and as long as the work since asks for."""
        self._done += done
        now = self.clock()
        rest = min((1 / self.share - 1) * (now - self._resumed), REST_SECONDS_MAX)
        await self.sleep(max(rest, self.rest_seconds_min, self._began + self._done / self.a_second - now))
        self._resumed = self.clock()
