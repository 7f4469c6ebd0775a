"""Requests to an application without a socket: it runs in an event loop of its own, and tests stay plain functions."""

import asyncio
from collections.abc import Coroutine
from threading import Thread
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx
from fastapi import FastAPI

from shared.runtime.http.problems import PROBLEM

T = TypeVar("T")

_SECONDS_MAX = 60.0


class AppClient:
    """A client of one application, from `with` to its end; may be used from several threads at once.

    An error that the application does not handle is raised in the test.
    """

    def __init__(self, app: FastAPI) -> None:
        self.app = app
        self._client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test")
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="application", daemon=True)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the application's event loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_SECONDS_MAX)

    def request(self, method: str, path: str, **arguments: Any) -> httpx.Response:
        """Send a request; `arguments` are those of httpx."""
        return self.run(self._client.request(method, path, **arguments))

    def get(self, path: str, **arguments: Any) -> httpx.Response:
        """Send a GET request."""
        return self.request("GET", path, **arguments)

    def post(self, path: str, **arguments: Any) -> httpx.Response:
        """Send a POST request."""
        return self.request("POST", path, **arguments)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.run(self._client.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def assert_problem(response: httpx.Response, status: int, detail: str) -> None:
    """The answer is a problem (RFC 9457) whose detail has this in it."""
    assert (status, PROBLEM) == (response.status_code, response.headers["content-type"]), response.text
    assert status == response.json()["status"]
    assert detail in response.json()["detail"], response.text
