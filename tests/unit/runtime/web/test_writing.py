"""What is written in one turn goes out together, in its order, and before the connection ends."""

import asyncio
from typing import Any

import pytest

from shared.runtime.http.coalescing_transport import CoalescingTransport


class Wire:
    """A transport that notes what is done with it."""

    def __init__(self) -> None:
        self.done: list[Any] = []
        self.gone = False

    def is_closing(self) -> bool:
        """Return whether the client has gone."""
        return self.gone

    def write(self, data: bytes) -> None:
        """Note what is written."""
        self.done.append(data)

    def write_eof(self) -> None:
        """Note that nothing follows."""
        self.done.append("eof")

    def close(self) -> None:
        """Note that it is closed."""
        self.done.append("closed")

    def abort(self) -> None:
        """Note that it is cut off."""
        self.done.append("cut off")


async def _head_and_body(how: str) -> list[Any]:
    wire: Any = Wire()
    gathered = CoalescingTransport(wire)
    gathered.write(b"head ")
    gathered.write(b"body")
    assert [] == wire.done
    if how:
        getattr(gathered, how)()
    await asyncio.sleep(0)
    gathered.write(b"next")
    await asyncio.sleep(0)
    return list(wire.done)


@pytest.mark.parametrize(
    ("how", "done"),
    [
        ("", [b"head body", b"next"]),
        ("write_eof", [b"head body", "eof", b"next"]),
        ("close", [b"head body", "closed", b"next"]),
        ("abort", ["cut off", b"next"]),
    ],
)
def test_head_and_body_go_out_together(how: str, done: list[Any]) -> None:
    """At the end of the turn, or before what ends the connection; what is cut off says nothing more."""
    assert done == asyncio.run(_head_and_body(how))


def test_what_is_much_does_not_wait() -> None:
    """Or the transport could not say that the client does not read, until all of it is in memory."""

    async def write() -> list[Any]:
        wire: Any = Wire()
        gathered = CoalescingTransport(wire)
        for _ in range(3):
            gathered.write(b"x" * 40_000)
        return list(wire.done)

    assert [80_000] == [len(part) for part in asyncio.run(write())]


def test_nothing_is_written_to_a_client_that_has_gone() -> None:
    """In the turn in which its answer was ready."""

    async def write() -> list[Any]:
        wire: Any = Wire()
        CoalescingTransport(wire).write(b"answer")
        wire.gone = True
        await asyncio.sleep(0)
        return list(wire.done)

    assert [] == asyncio.run(write())
