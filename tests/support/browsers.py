"""People at the console of one real service, in the process of the test: pages and forms, without a browser."""

import asyncio
import re
from collections.abc import Mapping
from datetime import timedelta
from html import unescape
from types import SimpleNamespace
from typing import Any, Final, cast
from urllib.parse import urlencode

import httpx

from services.console.application import create_console
from shared.runtime.clock import Clock
from shared.runtime.metrics import Metrics
from shared.runtime.settings import Settings
from tests.support.asgi import AppClient
from tests.support.console import SERVICES
from tests.support.desk import Desk
from tests.support.identities import KnownTokens, People

_PASSED_ON: Final = ("authorization", "idempotency-key", "content-type")
_HIDDEN: Final = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')


class Browsers:
    """People at the console of a service; another service answers with what stands `beside` it, or has nothing."""

    def __init__(self, desk: Desk, people: People, clock: Clock, *, beside: Mapping[str, Any] | None = None) -> None:
        self._desk, self._clock, self._beside = desk, clock, beside or {}
        self._tokens = KnownTokens(people)
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

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        """Pass a request on to the service, as it is."""
        if request.url.host != self._desk.manifest.name:
            found = self._beside.get(request.url.host)
            status, document = (404, {"title": "There is no such thing"}) if found is None else (200, found)
            return httpx.Response(status, json=document)
        headers = {name: request.headers[name] for name in _PASSED_ON if name in request.headers}
        target = request.url.raw_path.decode()
        sent = {"content": request.content, "headers": headers}
        got = await asyncio.to_thread(self._desk.client.request, request.method, target, **sent)
        kind = {"content-type": got.headers["content-type"]}
        return httpx.Response(got.status_code, content=got.content, headers=kind)

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

    def send(self, form: str, person: str, **fields: str) -> httpx.Response:
        """Send a form of a command, with what is hidden in it where somebody looked at it with these fields."""
        shown = hidden(self.get(f"{form}?{urlencode(fields)}", person))
        headers, csrf = self.login(person)
        content = urlencode(shown | {"csrf": csrf, "key": f"{person}.{form}", "back": "/"} | fields)
        headers |= {"content-type": "application/x-www-form-urlencoded"}
        return self.client.post(form, content=content, headers=headers)


def hidden(page: str) -> dict[str, str]:
    """Return what a page has hidden in its forms."""
    return {name: unescape(value) for name, value in _HIDDEN.findall(page)}
