"""Long computations in the event loop, in slices, between which other tasks run."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from itertools import islice
from typing import Final, TypeVar

ThingT = TypeVar("ThingT")

AT_ONCE: Final = 100
"""Maximum number of items in a slice: decoding or hashing them takes some milliseconds."""


async def in_turns(things: Iterable[ThingT]) -> AsyncIterator[list[ThingT]]:
    """Yield items in slices of up to `AT_ONCE`; after each slice, other tasks that are ready run first."""
    left = iter(things)
    while some := list(islice(left, AT_ONCE)):
        yield some
        await asyncio.sleep(0)
