"""Long work in a thread that ends when nobody wants it any more: a thread cannot be cancelled, so it asks."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import Event
from typing import TypeVar

T = TypeVar("T")

GoOn = Callable[[], None]
"""Called every so often by long work. Raises: Cancelled where it is to end."""


class Cancelled(Exception):
    """Nobody waits any more for what is being done."""


def always() -> None:
    """Go on: somebody waits to the end."""


async def in_thread(work: Callable[[GoOn], T]) -> T:
    """Return what some work in a thread comes to. When this is cancelled, the work has ended before it returns."""
    unwanted = Event()

    def go_on() -> None:
        if unwanted.is_set():
            raise Cancelled

    doing = asyncio.ensure_future(asyncio.to_thread(work, go_on))
    try:
        return await asyncio.shield(doing)
    except asyncio.CancelledError:
        unwanted.set()
        with suppress(Exception):  # whatever it comes to, nobody wants it
            await doing
        raise
