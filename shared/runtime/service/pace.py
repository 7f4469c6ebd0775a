"""The pace of work that nobody waits for: what it may take of a processor."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final

RESTS: Final = 4
"""How many times as long as it worked such work rests: a fifth of a processor at most, its own or the database's."""

REST_SECONDS_MAX: Final = 30
"""The longest such rest: PostgreSQL ends a transaction that rests for a minute."""


@dataclass(slots=True)
class Pace:
    """After all work RESTS times as long a rest, and no more than so many pieces of it a second."""

    a_second: float = math.inf
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
        rest = min(RESTS * (now - self._resumed), REST_SECONDS_MAX)
        await self.sleep(max(rest, self._began + self._done / self.a_second - now))
        self._resumed = self.clock()
