"""The command line against services in the process of the test: no socket, and no server."""

from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from services.cli.services import TOKEN_VARIABLE, url_variable
from tests.support.desk import Desk
from tests.unit.cli.calling import Called, Caller


class ShellCalls:
    """`pitledger` as people call it; each service is a desk, or answers what it is said to, by path."""

    def __init__(
        self,
        services: Mapping[str, Desk | Mapping[str, Any]],
        pitledger: Caller,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        self._services = services
        self._pitledger = pitledger
        self._monkeypatch = monkeypatch
        for name in services:
            monkeypatch.setenv(url_variable(name), f"http://{name}")
        monkeypatch.setattr(httpx.HTTPTransport, "handle_request", self._answer)

    def __call__(self, *words: str, person: str) -> Called:
        """Call a command as a person."""
        self._monkeypatch.setenv(TOKEN_VARIABLE, f"token of {person}")
        return self._pitledger(*words)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        service = self._services[request.url.host]
        if not isinstance(service, Desk):
            return httpx.Response(200, json=service[request.url.path])
        wanted = ("authorization", "idempotency-key", "content-type")
        headers = {name: request.headers[name] for name in wanted if name in request.headers}
        target = request.url.raw_path.decode()
        got = service.client.request(request.method, target, content=request.read(), headers=headers)
        kind = {"content-type": got.headers.get("content-type", "")}
        return httpx.Response(got.status_code, headers=kind, content=got.content)
