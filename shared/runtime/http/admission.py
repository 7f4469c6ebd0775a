"""Admission control for expensive requests such as reports: bounded concurrency and queue; further ones are refused."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from fastapi import Request
from starlette.requests import ClientDisconnect

from shared.contracts.rejection import Reason, Rejected
from shared.runtime.http.problems import Responses, problems

FULL: Final[Responses] = problems(Reason.BUSY, Reason.TRY_AGAIN)
"""The `responses` of a route behind an admission queue."""


class AdmissionQueue:
    """The admission queue for one kind of expensive request. `what` is its name in messages: "reports as files"."""

    def __init__(self, what: str, *, at_once: int, waiting_max: int) -> None:
        self._what = what
        self._at_once = at_once
        self._waiting_max = waiting_max
        self._turns = asyncio.Semaphore(at_once)
        self._waiting = 0

    @asynccontextmanager
    async def taken(self, request: Request) -> AsyncIterator[None]:
        """Wait for a slot, and hold it during the block while the client is connected.

        Raises: Rejected if the queue is full; ClientDisconnect if the client disconnects, which cancels the block.
        """
        async with _while_connected(request):
            if self._turns.locked() and self._waiting >= self._waiting_max:
                raise Rejected(
                    Reason.BUSY, f"{self._what}: {self._at_once} at once, and {self._waiting} wait; ask again later"
                )
            self._waiting += 1
            try:
                await self._turns.acquire()
            finally:
                self._waiting -= 1
            try:
                yield
            finally:
                self._turns.release()


@asynccontextmanager
async def _while_connected(request: Request) -> AsyncIterator[None]:
    """Cancel the block when the client disconnects. The request body must have been read."""
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(None) as patience:

            async def watch() -> None:
                while (await request.receive())["type"] != "http.disconnect":
                    pass
                patience.reschedule(loop.time())

            watching = loop.create_task(watch())
            try:
                yield
            finally:
                watching.cancel()
    except TimeoutError:
        if patience.expired():
            raise ClientDisconnect from None
        raise
