"""Services that run in one process, without any of them."""

import asyncio
import gc
from weakref import ref

from fastapi import FastAPI

from services.cli.stack.run import _keep
from shared.runtime.errors import FatalServiceError


class Held:
    """Stands for what a service has: its clients, with threads and connections, and what it remembers."""


def test_of_a_service_that_ended_nothing_is_left_in_its_process_when_it_starts_again() -> None:
    """Though its routes have it, and what there was at its start was frozen."""
    stop, starts = asyncio.Event(), list[ref[Held]]()

    async def serving(stop: asyncio.Event | None) -> None:
        assert stop is not None
        held, app = Held(), FastAPI()
        app.get("/")(lambda: held)
        starts.append(ref(held))
        gc.freeze()
        if len(starts) == 2:
            stop.set()
        raise FatalServiceError("it ends by itself")

    asyncio.run(_keep("reporting", serving, stop))
    assert 2 == len(starts)
    assert starts[0]() is None
