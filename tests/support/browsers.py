"""People at the console of one real service, in the process of the test: pages and forms, without a browser."""

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from html import unescape
from types import SimpleNamespace
from typing import Any, Final, cast, get_args
from urllib.parse import urlencode

import httpx
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from services.console.application import create_console
from services.console.console import Asked
from shared.runtime.clock import Clock
from shared.runtime.metrics import Metrics
from shared.runtime.settings import Settings
from tests.support.asgi import AppClient
from tests.support.console import CONFIRM, SERVICES
from tests.support.desk import Desk
from tests.support.identities import KnownTokens, People
from tests.support.openapi import PATH, document_of

_WHO: Final = get_args(Asked)[1].dependency
"""What a route depends on that answers somebody who is logged in."""
_PASSED_ON: Final = ("authorization", "idempotency-key", "content-type")
_HIDDEN: Final = re.compile(r'<input type="hidden" name="([\w.]+)" value="([^"]*)">')


@dataclass(frozen=True, slots=True)
class Answered:
    """What a service answered to the console."""

    service: str
    method: str
    path: str
    status: int
    text: str


class Browsers:
    """People at the console of some services; `beside` is what another service answers at a path, else it has nothing.

    `properties` are those for which a person works; without it, everybody works for all. `answered` keeps what the
    services said.
    """

    def __init__(
        self,
        *desks: Desk,
        people: People,
        clock: Clock,
        beside: Mapping[tuple[str, str], Any] | None = None,
        properties: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        self._desks = {desk.manifest.name: desk for desk in desks}
        self._clock, self._beside = clock, beside or {}
        self._tokens = KnownTokens(people, properties)
        self.answered: list[Answered] = []
        issuer = SimpleNamespace(issuer="http://issuer")
        self._app = create_console(
            Settings(),
            url="http://test",
            urls={name: f"http://{name}" for name in SERVICES},
            tokens=cast("Any", SimpleNamespace(caller_of=self._tokens.caller_of, keys=issuer)),
            client=httpx.AsyncClient(transport=httpx.MockTransport(self._answer)),
            clock=clock,
            metrics=Metrics(),
        )
        self.client = AppClient(self._app)

    @property
    def pages(self) -> list[APIRoute]:
        """Return the routes of the console that answer somebody who is logged in."""
        return [
            one for one in _routes(self._app.routes) if any(each.call is _WHO for each in one.dependant.dependencies)
        ]

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        """Pass a request on to the service, as it is."""
        if request.url.path == PATH:
            return httpx.Response(200, json=document_of(request.url.host))
        desk = self._desks.get(request.url.host)
        if desk is None:
            found = self._beside.get((request.url.host, request.url.path))
            status, document = (404, {"title": "Not found"}) if found is None else (200, found)
            return httpx.Response(status, json=document)
        headers = {name: request.headers[name] for name in _PASSED_ON if name in request.headers}
        target = request.url.raw_path.decode()
        sent = {"content": request.content, "headers": headers}
        got = await asyncio.to_thread(desk.client.request, request.method, target, **sent)
        path = target.partition("?")[0]
        self.answered.append(Answered(request.url.host, request.method, path, got.status_code, got.text))
        kind = {"content-type": got.headers["content-type"]}
        return httpx.Response(got.status_code, headers=kind, stream=httpx.ByteStream(got.content))

    def login(self, person: str) -> tuple[dict[str, str], str]:
        """Return the cookie of a session, and what its forms carry."""
        token = f"token of {person}"
        caller = self.client.run(self._tokens.caller_of(token))
        ends = self._clock() + timedelta(hours=1)
        sessions = self._app.state.console.sessions
        session = sessions.open(caller, token=token, token_ends=ends, refresh_token=None, id_token="")
        return {"cookie": f"pitledger={session.name}"}, session.csrf

    def get(self, path: str, person: str) -> str:
        """Return a page as somebody sees it."""
        response = self.client.get(path, headers=self.login(person)[0])
        assert 200 == response.status_code, response.text
        return response.text

    def visit(self, method: str, path: str, person: str) -> httpx.Response:
        """Return what somebody is answered: who sends something sends an empty form."""
        headers, csrf = self.login(person)
        if method == "GET":
            return self.client.get(path, headers=headers)
        headers |= {"content-type": "application/x-www-form-urlencoded"}
        return self.client.request(method, path, content=urlencode({"csrf": csrf}), headers=headers)

    def listen(self, path: str, headers: Mapping[str, str]) -> httpx.Response:
        """Return the beginning of an answer that does not end: who asked goes away when the first of it is there."""
        return self.client.run(self._listen(httpx.Request("GET", f"http://test{path}", headers=dict(headers))))

    async def _listen(self, request: httpx.Request) -> httpx.Response:
        begun, parts = asyncio.Event(), []
        asked = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive() -> Any:
            if asked:
                return asked.pop()
            await begun.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            parts.append(message)
            if message.get("body"):
                begun.set()

        scope = {
            "type": "http",
            "method": request.method,
            "path": request.url.path,
            "raw_path": request.url.raw_path.partition(b"?")[0],
            "query_string": request.url.query,
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
        }
        await self._app(scope, receive, send)
        [start] = [one for one in parts if one["type"] == "http.response.start"]
        body = b"".join(one.get("body", b"") for one in parts)
        return httpx.Response(start["status"], headers=start["headers"], content=body, request=request)

    def send(self, form: str, person: str, /, **fields: str) -> httpx.Response:
        """Send a form of a command, with what is hidden in it where somebody looked at it with these fields.

        Where what was read is shown first, it is sent once more.
        """
        shown = hidden(self.get(f"{form}?{urlencode(fields)}", person))
        headers, csrf = self.login(person)
        sent = shown | {"csrf": csrf, "key": f"{person}.{form}", "back": "/"} | fields
        headers |= {"content-type": "application/x-www-form-urlencoded"}
        answer = self.client.post(form, content=urlencode(sent), headers=headers)
        if CONFIRM not in answer.text:
            return answer
        return self.client.post(form, content=urlencode(hidden(answer.text)), headers=headers)


def _routes(routes: Sequence[BaseRoute]) -> Iterator[APIRoute]:
    """Yield routes, with those of the routers that an application includes."""
    for one in routes:
        if isinstance(one, APIRoute):
            yield one
        else:
            yield from _routes(getattr(getattr(one, "original_router", None), "routes", ()))


def hidden(page: str) -> dict[str, str]:
    """Return what a page has hidden in its forms."""
    return {name: unescape(value) for name, value in _HIDDEN.findall(page)}
