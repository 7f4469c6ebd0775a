"""An event loop in which nothing happens by itself: whenever everybody waits, the seed says who goes on.

Whoever is about to do something that others can see waits at a gate first: a statement, a commit, sending, reading.
One is let through at a time, and runs until all wait again. Time stands still meanwhile; timers come when nobody else
can go on, or before their turn where the seed says so.
"""

import asyncio
import selectors
from asyncio import Future, SelectorEventLoop
from collections.abc import Callable, Coroutine
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, Protocol

from tests.simulation.chance import Chance

STEPS_MAX: Final = 60_000
"""A run that takes more does not come to rest."""

_PACE_STEPS: Final = 60
"""After so many steps everybody is quicker or slower than before."""

_PACES: Final = (0.05, 1.0, 1.0, 4.0)


class Killed(BaseException):
    """The process of whoever gets this has ended: nothing more of it runs."""


class Owner(Protocol):
    """A process, to which tasks belong."""

    tasks: set[asyncio.Task[Any]]


@dataclass(frozen=True, eq=False)
class Actor:
    """Who does something, by name, and in which process, if in any."""

    name: str
    owner: Owner | None = None


ACTOR: Final[ContextVar[Actor]] = ContextVar("actor")


@dataclass(eq=False)
class _Waiting:
    actor: Actor
    what: str
    goes: Future[None]


class _Selector(selectors.SelectSelector):
    """Looks at no socket: it says that everybody waits, and how long until the next timer."""

    def __init__(self, idle: Callable[[float | None], None]) -> None:
        super().__init__()
        self._idle = idle

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None or timeout > 0:
            self._idle(timeout)
        return []


class _Loop(SelectorEventLoop):
    def __init__(self, scheduler: "Scheduler") -> None:
        self._scheduler = scheduler
        super().__init__(_Selector(scheduler.everybody_waits))
        self.set_task_factory(_owned)

    def time(self) -> float:
        return self._scheduler.now

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> Any:  # type: ignore[override]
        """Do the work of a thread when it is its turn."""
        del executor

        async def work() -> Any:
            await self._scheduler.gate("a thread works")
            return func(*args)

        return self.create_task(work())


def _owned(loop: asyncio.AbstractEventLoop, work: Any, **more: Any) -> asyncio.Task[Any]:
    task = asyncio.Task(work, loop=loop, **more)
    actor = ACTOR.get(None)
    if actor is not None and actor.owner is not None:
        actor.owner.tasks.add(task)
        task.add_done_callback(actor.owner.tasks.discard)
    return task


class Scheduler:
    """Let one after the other go on, as the seed says. Time is in seconds from the beginning of the run."""

    def __init__(self, chance: Chance) -> None:
        self.now = 0.0
        self.steps = 0
        self.failure: BaseException | None = None
        self.happens: Callable[[], bool] = lambda: False
        """What may happen to the world before anybody goes on; says whether something did."""
        self.unblock: Callable[[], bool] = lambda: False
        """Lets those go on whom the database keeps waiting for a lock no more; says whether somebody did."""
        self.is_blocked: Callable[[], bool] = lambda: False
        self.loop: Final = _Loop(self)
        self._chance = chance
        self._waiting: list[_Waiting] = []
        self._quiet: Future[None] | None = None
        self._paces: dict[str, float] = {}

    def run(self, main: Coroutine[Any, Any, None]) -> None:
        """Run until the main task has ended; whatever else there is ends with it."""
        asyncio.set_event_loop(self.loop)
        try:
            self.loop.run_until_complete(main)
        finally:
            self.happens = lambda: False
            self._chance.calm = True
            left = asyncio.all_tasks(self.loop)
            for task in left:
                task.cancel()
            self.loop.call_soon(self.loop.stop)
            self.loop.run_forever()
            for task in left:
                if task.done() and not task.cancelled():
                    task.exception()
            asyncio.set_event_loop(None)
            self.loop.close()

    async def gate(self, what: str) -> None:
        """Wait for one's turn to do something."""
        waiting = _Waiting(ACTOR.get(), what, self.loop.create_future())
        self._waiting.append(waiting)
        try:
            await waiting.goes
        finally:
            with suppress(ValueError):
                self._waiting.remove(waiting)

    async def quiet(self) -> None:
        """Wait until nobody has anything to do."""
        self._quiet = self.loop.create_future()
        await self._quiet

    def fail(self, error: BaseException) -> None:
        """End the run with an error that is none of those that a service may have."""
        self.failure = self.failure or error

    def everybody_waits(self, timer_seconds: float | None) -> None:
        """Decide what happens next."""
        if self.failure is not None:
            raise self.failure
        self.steps += 1
        if self.steps > STEPS_MAX:
            raise AssertionError(f"the system does not come to rest: {STEPS_MAX} steps, at last {self._waits()}")
        if self.unblock() or self.happens():
            return
        if self._waiting and not (timer_seconds is not None and self._chance.strikes("timer before its turn")):
            self._let_through()
        elif timer_seconds is not None:
            self.now += timer_seconds
        elif not self.is_blocked():
            if self._quiet is None or self._quiet.done():
                raise AssertionError("nobody can go on")
            self._chance.note(f"{self.steps} {self.now:.2f} quiet")
            self._quiet.set_result(None)

    def _let_through(self) -> None:
        if self.steps % _PACE_STEPS == 0:
            self._paces.clear()
        for waiting in self._waiting:
            if waiting.actor.name not in self._paces:
                self._paces[waiting.actor.name] = self._chance.one_of(_PACES)
        chosen = self._chance.weighted(self._waiting, [self._paces[one.actor.name] for one in self._waiting])
        self._waiting.remove(chosen)
        self._chance.note(f"{self.steps} {self.now:.2f} {chosen.actor.name}: {chosen.what}")
        if not chosen.goes.done():
            chosen.goes.set_result(None)

    def _waits(self) -> str:
        return "; ".join(f"{one.actor.name}: {one.what}" for one in self._waiting)
