"""Cooperative cancellation of long work in a thread, because a thread cannot be cancelled from outside."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import Event
from typing import TypeVar

T = TypeVar("T")

GoOn = Callable[[], None]
"""Called periodically by long work. Raises: Cancelled if it should stop."""


class Cancelled(Exception):
    """The work was cancelled: its result is no longer needed."""


def always() -> None:
    """Never raise `Cancelled`: the `GoOn` for work that nobody cancels."""


async def in_thread(work: Callable[[GoOn], T]) -> T:
    """Run work in a thread and return its result; if cancelled, wait until the work has stopped, then raise."""
    unwanted = Event()

    def go_on() -> None:
        if unwanted.is_set():
            raise Cancelled

    doing = asyncio.ensure_future(asyncio.to_thread(work, go_on))
    try:
        return await asyncio.shield(doing)
    except asyncio.CancelledError:
        unwanted.set()
        with suppress(Exception):  # the result or error of cancelled work is not needed
            await doing
        raise
