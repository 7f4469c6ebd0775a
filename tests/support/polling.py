"""Waiting for something to become true: the only place where tests sleep."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def eventually(
    check: Callable[[], T | None],
    *,
    seconds: float = 60.0,
    every: float = 0.05,
    because: str = "",
    retry_on: type[Exception] | tuple[type[Exception], ...] = (),
) -> T:
    """Call `check` until it returns something truthy, and return that.

    A `check` that raises one of `retry_on` counts as not true yet; any other error passes through. Past the deadline
    raises `AssertionError` with `because` and what `check` said last.
    """
    deadline = time.monotonic() + seconds
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
        if time.monotonic() > deadline:
            raise AssertionError(f"not true within {seconds:g} s: {because or check}; last seen: {last!r}")
        time.sleep(every)
