"""Requests go out over real sockets as they are, answers come back as they are, and errors are those of httpx."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx
import pytest

from services.console.connections import Connections
from services.console.services import client

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nset-cookie: a=b\r\nx-two: 1\r\nx-two: 2\r\n\r\n{}"


@dataclass
class Server:
    """Answers every request with the same bytes, and keeps the heads and bodies that came, by connection."""

    answer: bytes = OK
    ends: bool = False
    heads: list[list[str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    connections: int = 0

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a connection."""
        self.connections += 1
        try:
            while head := (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")[:-2]:
                self.heads.append(head)
                self.bodies.append(await _body(reader, [line.lower() for line in head]))
                writer.write(self.answer)
                await writer.drain()
                if self.ends:
                    return
        except asyncio.IncompleteReadError:
            pass  # the client has ended the connection
        finally:
            writer.close()


async def _body(reader: asyncio.StreamReader, head: list[str]) -> bytes:
    if "transfer-encoding: chunked" in head:
        body = b""
        while size := int(await reader.readline(), 16):
            body += await reader.readexactly(size)
            await reader.readline()
        await reader.readline()
        return body
    [length] = [line.removeprefix("content-length: ") for line in head if line.startswith("content-length")] or ["0"]
    return await reader.readexactly(int(length))


@asynccontextmanager
async def asking(server: Server, seconds_max: float = 30) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a server on a socket of its own."""
    listening = await asyncio.start_server(server, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    async with (
        listening,
        httpx.AsyncClient(
            transport=Connections(), base_url=f"http://127.0.0.1:{port}", timeout=seconds_max, trust_env=False
        ) as client,
    ):
        yield client


def asked(server: Server, ask: Callable[[httpx.AsyncClient], Awaitable[httpx.Response]]) -> httpx.Response:
    """The answer of a server to a client."""

    async def main() -> httpx.Response:
        async with asking(server) as client:
            return await ask(client)

    return asyncio.run(main())


@pytest.mark.parametrize(
    "target", ["/a%2Fb/%2E%2E/c?x=%26&x=%C3%A9&y=a+b", "/%41/..%2f/;p?q=[1]", "/a//b", "/%zz", "/x?next=%7B%22a%22%7D"]
)
def test_an_address_goes_out_as_it_is(target: str) -> None:
    """No part is decoded, encoded again or taken for a way up: a path is checked before it is sent, and not after."""
    server = Server()
    url = httpx.URL(f"http://there{target}")
    asked(server, lambda client: client.get(url.copy_with(host=client.base_url.host, port=client.base_url.port)))
    assert [f"GET {url.raw_path.decode()} HTTP/1.1"] == [head[0] for head in server.heads]


def test_headers_are_the_clients_own_and_answers_keep_theirs() -> None:
    """What stands in a request twice is sent twice; nothing is added to it, and what comes twice is given twice."""
    server = Server()
    sent = [("x-one", "1"), ("x-one", "2"), ("accept", "text/csv")]
    answer = asked(server, lambda client: client.post("/", headers=sent, content=b"body"))
    [head] = server.heads
    assert sent == [(name, value) for name, value in map(_split, head[1:]) if name in ("x-one", "accept")]
    assert {"host", "accept-encoding", "connection", "user-agent", "x-one", "accept", "content-length"} == {
        name for name, _ in map(_split, head[1:])
    }
    assert ["1", "2"] == answer.headers.get_list("x-two")


def _split(line: str) -> tuple[str, str]:
    name, _, value = line.partition(": ")
    return name.lower(), value


def test_no_cookie_is_kept() -> None:
    """Many people ask over the same connections: what a service says to one is not said for the next."""
    server = Server()

    async def main() -> None:
        async with asking(server) as there, client() as console:
            for _ in range(2):
                assert "a=b" == (await console.get(there.base_url)).headers["set-cookie"]

    asyncio.run(main())
    assert [[], []] == [[line for line in head if line.lower().startswith("cookie")] for head in server.heads]
    assert 1 == server.connections


@pytest.mark.parametrize("whole", [True, False])
def test_a_body_goes_out_whole_or_as_it_comes(whole: bool) -> None:
    """A body that is known has its length, one that is still coming is sent in chunks."""

    async def coming() -> AsyncIterator[bytes]:
        for part in (b"one,", b"two"):
            yield part

    server = Server()
    asked(server, lambda client: client.post("/", content=b"one,two" if whole else coming()))
    assert [b"one,two"] == server.bodies


def test_what_a_service_compressed_stays_so_where_it_is_passed_on() -> None:
    """The bytes of the answer are there raw, and decoded for who reads them."""
    packed = gzip.compress(b"[1, 2]")
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(packed)
    server = Server(head + packed)

    async def main() -> None:
        async with asking(server) as client:
            assert [1, 2] == (await client.get("/")).json()
            async with client.stream("GET", "/") as answer:
                assert packed == b"".join([part async for part in answer.aiter_raw()])

    asyncio.run(main())


def test_the_answer_to_head_has_a_length_and_no_body() -> None:
    """Nothing is waited for; the connection serves the next request."""
    server = Server(b"HTTP/1.1 200 OK\r\ncontent-length: 700\r\n\r\n")

    async def main() -> None:
        async with asking(server) as client:
            for _ in range(2):
                answer = await client.head("/")
                assert ("700", b"") == (answer.headers["content-length"], answer.content)

    asyncio.run(main())
    assert 1 == server.connections


def test_an_answer_that_is_not_read_to_its_end_takes_its_connection_with_it() -> None:
    """What is left of it is never taken for the answer to the next question."""
    server = Server(b"HTTP/1.1 200 OK\r\ncontent-length: 200000\r\n\r\n" + b"x" * 200_000)

    async def main() -> None:
        async with asking(server) as client:
            for _ in range(2):
                async with client.stream("GET", "/") as answer:
                    await anext(answer.aiter_raw())

    asyncio.run(main())
    assert 2 == server.connections


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"", httpx.ReadError),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf", httpx.ReadError),
        (b"HTTP/1.1 OK\r\n\r\n", httpx.ReadError),
    ],
)
def test_an_answer_that_breaks_off_is_an_error_of_httpx(answer: bytes, error: type[Exception]) -> None:
    """So that a page says that the service does not answer."""
    with pytest.raises(error):
        asked(Server(answer, ends=True), lambda client: client.post("/"))


def test_silence_and_a_closed_door_are_errors_of_httpx() -> None:
    """A service that says nothing in time, and one that is not there."""

    async def silent() -> None:
        async with asking(Server(b""), seconds_max=0.2) as client:
            await client.get("/")

    async def closed() -> None:
        async with asking(Server()) as client:
            away = client.base_url
        async with httpx.AsyncClient(transport=Connections()) as client:
            await client.get(away)

    with pytest.raises(httpx.ReadTimeout):
        asyncio.run(silent())
    with pytest.raises(httpx.ConnectError):
        asyncio.run(closed())
