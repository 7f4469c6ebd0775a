"""Draws charts in a separate process, so that the event loop is not blocked, and caches the pictures.

A thread would block the event loop, because the engine holds the interpreter lock while drawing (decision 36).
"""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections import OrderedDict
from hashlib import sha256
from typing import Final

from services.console.charts.chart import Chart
from services.console.charts.theme import Theme, document_of

_WORKER: Final = (sys.executable, "-P", "-m", "services.console.charts._worker")
_ENVIRONMENT: Final = {"LANG": "C.UTF-8", "TZ": "UTC"}
"""The environment of the worker, without the service's settings and secrets."""


class NotDrawn(Exception):
    """The picture of a chart is not available; its table has the same data."""


class TooManyWaiting(NotDrawn):
    """Too many pictures are waiting to be drawn; the request can be repeated later."""


class Renderer:
    """Draws pictures of charts; its process starts with the first request and ends when idle.

    At most `waiting_max` different pictures wait; one is drawn at a time, for at most `seconds_max`; at most
    `kept_bytes_max` are cached, the least recently used evicted first. The process ends after `pictures_max` pictures
    or `idle_seconds` without a request, so that its memory does not grow.
    """

    def __init__(
        self,
        *,
        waiting_max: int = 32,
        seconds_max: float = 30.0,
        kept_bytes_max: int = 16 * 2**20,
        pictures_max: int = 500,
        idle_seconds: float = 300.0,
    ) -> None:
        self._waiting_max, self._seconds_max = waiting_max, seconds_max
        self._kept_bytes_max, self._pictures_max, self._idle_seconds = kept_bytes_max, pictures_max, idle_seconds
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._kept_bytes = 0
        self._drawing: dict[str, asyncio.Task[bytes]] = {}
        self._turn = asyncio.Lock()
        self._worker: Process | None = None
        self._pictures = 0
        self._idle: asyncio.TimerHandle | None = None

    async def svg(self, chart: Chart, theme: Theme) -> bytes:
        """Return the picture of a chart. Raises: NotDrawn, TooManyWaiting."""
        said = json.dumps(document_of(chart, theme), separators=(",", ":"), sort_keys=True).encode()
        key = sha256(said).hexdigest()
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        if key not in self._drawing:
            if len(self._drawing) >= self._waiting_max:
                raise TooManyWaiting(f"{len(self._drawing)} pictures are waited for; ask again")
            self._drawing[key] = asyncio.create_task(self._draw(said))
            self._drawing[key].add_done_callback(lambda task: self._drawn(key, task))
        return await asyncio.shield(self._drawing[key])  # others may wait for it, too

    async def close(self) -> None:
        """End the process, and cancel the requests that wait for it."""
        for task in list(self._drawing.values()):
            task.cancel()
        await asyncio.gather(*self._drawing.values(), return_exceptions=True)
        await self._end()

    def _drawn(self, key: str, task: asyncio.Task[bytes]) -> None:
        del self._drawing[key]
        if task.cancelled() or task.exception() is not None:
            return
        picture = task.result()
        self._kept[key] = picture
        self._kept_bytes += len(picture)
        while self._kept_bytes > self._kept_bytes_max:
            _, backoff = self._kept.popitem(last=False)
            self._kept_bytes -= len(backoff)

    async def _draw(self, said: bytes) -> bytes:
        async with self._turn:
            if self._idle is not None:
                self._idle.cancel()
            worker = await self._running()
            try:
                async with asyncio.timeout(self._seconds_max):
                    drawn, content = await _asked(worker, said)
            except TimeoutError as error:
                await self._end()
                raise NotDrawn(f"the picture was not drawn within {self._seconds_max:g} seconds") from error
            except (asyncio.IncompleteReadError, OSError) as error:
                await self._end()
                raise NotDrawn("the process that draws ended before the picture was there") from error
            except asyncio.CancelledError:
                await self._end()  # its late answer must not be read as the next one
                raise
            self._pictures += 1
            if self._pictures >= self._pictures_max:
                await self._end()
            else:
                self._idle = asyncio.get_running_loop().call_later(self._idle_seconds, self._let_go)
        if not drawn:
            raise NotDrawn(content.decode())
        return content

    async def _running(self) -> Process:
        if self._worker is None or self._worker.returncode is not None or _input_of(self._worker).is_closing():
            await self._end()
            self._worker = await asyncio.create_subprocess_exec(
                *_WORKER, stdin=PIPE, stdout=PIPE, env=_ENVIRONMENT, start_new_session=True
            )
            self._pictures = 0
        return self._worker

    def _let_go(self) -> None:
        """End the process once it is idle."""
        if self._worker is not None:
            _input_of(self._worker).close()

    async def _end(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        worker, self._worker = self._worker, None
        if worker is None:
            return
        _input_of(worker).close()
        if worker.returncode is None:
            worker.kill()
        await worker.wait()


async def _asked(worker: Process, said: bytes) -> tuple[bool, bytes]:
    """Send a document to the drawing process; return whether it was drawn, and the picture or the error message."""
    given, answers = _input_of(worker), worker.stdout
    assert answers is not None, "the worker was started with a pipe"
    given.write(len(said).to_bytes(4) + said)
    await given.drain()
    head = await answers.readexactly(5)
    return head[0] == 1, await answers.readexactly(int.from_bytes(head[1:]))


def _input_of(worker: Process) -> asyncio.StreamWriter:
    assert worker.stdin is not None, "the worker was started with a pipe"
    return worker.stdin
