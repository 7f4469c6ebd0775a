"""Long computations in the event loop, in slices between which everything else in it goes on."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from itertools import islice
from typing import Final, TypeVar

ThingT = TypeVar("ThingT")

AT_ONCE: Final = 100
"""Maximum number of things in a slice: decoding or hashing so many takes some milliseconds."""


async def in_turns(things: Iterable[ThingT]) -> AsyncIterator[list[ThingT]]:
    """Yield things in slices of `AT_ONCE`; after each, whatever else is ready runs first."""
    left = iter(things)
    while some := list(islice(left, AT_ONCE)):
        yield some
        await asyncio.sleep(0)
