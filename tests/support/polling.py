"""Waiting for something to become true: the only place where tests sleep."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

EVERY_MIN, EVERY_MAX = 0.05, 0.5
PART = 20
"""It is asked again after a twentieth of the time that it has taken, within these seconds."""


def eventually(
    check: Callable[[], T | None],
    *,
    seconds: float = 60.0,
    every: float | None = None,
    because: str = "",
    retry_on: type[Exception] | tuple[type[Exception], ...] = (),
) -> T:
    """Call `check` until it returns something truthy, and return that.

    It is called `every` so many seconds, or else the more seldom the longer it takes: what waits beside others for a
    processor must not use it up by asking. A `check` that raises one of `retry_on` counts as not true yet; any other
    error passes through. Past the deadline raises `AssertionError` with `because` and what `check` said last.
    """
    began = time.monotonic()
    deadline = began + seconds
    while True:
        last: object
        try:
            value = check()
        except retry_on as error:
            last = error
        else:
            if value:
                return value
            last = value
        now = time.monotonic()
        if now > deadline:
            raise AssertionError(f"not true within {seconds:g} s: {because or check}; last seen: {last!r}")
        time.sleep(min(max(EVERY_MIN, (now - began) / PART), EVERY_MAX) if every is None else every)
