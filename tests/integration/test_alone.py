"""Work of one process of a service: two never do it together, and what is left is taken up when one has ended."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress

import pytest

from shared.runtime.background.leader import run_on_leader
from shared.runtime.database import create_engine
from tests.support import Databases
from tests.support.services import settled_database

_WORK = "reporting.some_work"
_SECONDS_MAX = 30


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database with the schema of reporting."""
    url = settled_database(databases, "reporting")
    yield url
    databases.drop(url)


class _Process:
    """A process that does some work alone: each turn takes one of what is left, and notes who did."""

    def __init__(self, url: str, left: list[int], done: list["_Process"]) -> None:
        self.engine = create_engine(url, role="reporting")
        self._left, self._done = left, done
        self.stalls = False
        self.task = asyncio.create_task(run_on_leader(self.engine, _WORK, 0.001, self._turn, "work waits"))

    async def _turn(self) -> None:
        if self.stalls:
            self.stalls = False
            raise ConnectionError("the database is away")
        if self._left:
            self._left.pop()
            self._done.append(self)

    async def end(self) -> None:
        """End, as a process does that is told to stop."""
        self.task.cancel()
        with suppress(asyncio.CancelledError):
            await self.task
        await self.engine.dispose()


async def _until_done(done: list[_Process], count: int) -> None:
    async with asyncio.timeout(_SECONDS_MAX):
        while len(done) < count:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.001)


def test_one_process_works_and_another_takes_up_what_is_left(url: str) -> None:
    """While the first lives, all turns are its own; then all are the other's."""

    async def main() -> None:
        left, done = [*range(20)], list[_Process]()
        first = _Process(url, left, done)
        await _until_done(done, 1)
        second = _Process(url, left, done)
        await _until_done(done, 20)
        assert {first} == set(done)
        await first.end()
        left.extend(range(5))
        await _until_done(done, 25)
        assert [second] * 5 == done[20:]
        await second.end()

    asyncio.run(main())


def test_what_failed_for_a_while_is_tried_again(url: str) -> None:
    """By whichever process comes first then; nothing is done twice."""

    async def main() -> None:
        left, done = [*range(3)], list[_Process]()
        first, second = _Process(url, left, done), _Process(url, left, done)
        await _until_done(done, 3)
        first.stalls = second.stalls = True
        left.extend(range(7))
        await _until_done(done, 10)
        assert 10 == len(done)
        assert not left
        await first.end()
        await second.end()

    asyncio.run(main())
