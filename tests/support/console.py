"""The console without a browser: a real OpenID provider, and services that answer what a test says they do."""

import asyncio
import re
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from typing import Any, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

import httpx
from fastapi import FastAPI

from services.console.application import create_console
from services.console.connections import Connections
from services.console.console import Console
from shared.local.issuer import TOKEN_LIFE, DevelopmentIssuer
from shared.local.ports import LOOPBACK
from shared.runtime.http.bearer_tokens import Tokens
from shared.runtime.metrics import Metrics
from shared.runtime.settings import Settings
from tests.support.openapi import PATH, document_of

URL = "http://console.test"
SERVICES = (
    "paytable-registry",
    "progressive-meters",
    "reporting",
    "round-settlement",
    "suspicious-activity",
    "table-inventory",
    "vigorish",
    "wagering-accounts",
)
PEOPLE: Mapping[str, tuple[str, ...]] = {
    "title31.sam": ("filings.prepare.approve", "patrons.report"),
    "pit.pat": ("reports.read", "slips.request", "rounds.read"),
    "pit.sam": ("reports.read",),
    "new.ned": (),
}

CONFIRM = 'class="command confirm"'
"""What a page has that shows what was read of a form, before it counts."""

Answer = tuple[int, Any]
"""A status and a document."""

T = TypeVar("T")


class MovedClock:
    """The time of this machine, moved by what a test says: tokens of the provider are of this machine's time."""

    def __init__(self) -> None:
        self.moved = timedelta()

    def __call__(self) -> datetime:
        """Return the moment."""
        return datetime.now(UTC) + self.moved


class StubServices(httpx.AsyncBaseTransport):
    """Services that answer what a test says, by service, method and path; nothing else is found.

    `asked` keeps all requests but those for the OpenAPI documents, which are the services' own.
    """

    def __init__(self) -> None:
        self.answers: dict[tuple[str, str, str], Answer | Callable[[httpx.Request], httpx.Response]] = {}
        self.asked: list[httpx.Request] = []
        self.silent: set[str] = set()
        """The services whose document, and the paths of which nothing, is answered until they `speak`."""
        self._spoken = asyncio.Event()

    def speak(self) -> None:
        """Answer what was asked of silent services."""
        self._spoken.set()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer as a service."""
        await request.aread()
        found = self.answers.get((request.url.host, request.method, request.url.raw_path.decode().partition("?")[0]))
        if request.url.path == PATH:
            if request.url.host in self.silent:
                await self._spoken.wait()
            found = found or (200, document_of(request.url.host))
        else:
            self.asked.append(request)
            if request.url.path in self.silent:
                await self._spoken.wait()
        if callable(found):
            answer = found(request)
        else:
            status, document = found or (404, {"title": "Not found", "status": 404, "detail": "nothing is known of it"})
            answer = httpx.Response(status, json=document)
        return httpx.Response(answer.status_code, headers=answer.headers, stream=httpx.ByteStream(answer.content))


class Stage:
    """A console with its provider, and the browsers of people, in an event loop of its own."""

    def __init__(
        self, issuer: DevelopmentIssuer, runner: asyncio.Runner, url: str, settings: Mapping[str, Any]
    ) -> None:
        self.issuer, self.url = issuer, url
        self.clock = MovedClock()
        self.services = StubServices()
        self._runner = runner
        life = TOKEN_LIFE.total_seconds()
        taken = Settings(oidc_issuer=issuer.url, oidc_token_seconds_max=life, **settings)
        metrics = Metrics()
        self._client = httpx.AsyncClient(transport=self.services, mounts={f"all://{LOOPBACK}": Connections()})
        self.app: FastAPI = create_console(
            taken,
            url=url,
            urls={name: f"http://{name}" for name in SERVICES},
            tokens=Tokens(taken, issuer.url, clock=self.clock, metrics=metrics),
            client=self._client,
            clock=self.clock,
            metrics=metrics,
        )
        issuer.people, issuer.redirects = PEOPLE, frozenset({f"{url}/login/back"})

    @property
    def console(self) -> Console:
        """Return the parts of the console."""
        console: Console = self.app.state.console
        return console

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run something in the event loop of the console."""
        return self._runner.run(work)

    def close(self) -> None:
        """End what the console has open."""
        self.run(self._client.aclose())
        self.run(self.app.state.gallery.close())

    def browser(self, person: str | None = None) -> "Browser":
        """Return a browser with cookies of its own; where a person is named, that person has logged in with it."""
        browser = Browser(self)
        if person is not None:
            assert 303 == browser.log_in(person).status_code
        return browser


class Browser:
    """A browser: its cookies, and the forms that it fills in."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._client = httpx.AsyncClient(transport=_AsSent(stage.app), base_url=stage.url)

    @property
    def cookies(self) -> httpx.Cookies:
        """Return its cookies."""
        return self._client.cookies

    def request(self, method: str, path: str, **arguments: Any) -> httpx.Response:
        """Send a request; `arguments` are those of httpx."""
        return self._stage.run(self._client.request(method, path, **arguments))

    def get(self, path: str, **arguments: Any) -> httpx.Response:
        """Ask for a page."""
        return self.request("GET", path, **arguments)

    def get_as_sent(self, target: str, **headers: str) -> httpx.Response:
        """Ask for a path as it stands in the request, which clients tidy up otherwise."""
        return self.request("GET", "/", headers=headers, extensions={"target": target.encode()})

    def post(self, path: str, form: Mapping[str, str], **headers: str) -> httpx.Response:
        """Send a form."""
        return self.request("POST", path, data=dict(form), headers=headers)

    def send(self, path: str, form: Mapping[str, str]) -> httpx.Response:
        """Send the form of a command, and once more where what was read of it is shown first."""
        answer = self.post(path, form)
        return self.post(path, Form(answer.text).sent) if CONFIRM in answer.text else answer

    def csrf(self) -> str:
        """Return what the forms of its session carry."""
        found = re.search('name="csrf" value="([^"]+)"', self.get("/").text)
        assert found is not None, "somebody is logged in"
        return found[1]

    def begin_login(self, then: str = "/") -> str:
        """Return where the console sends somebody to log in."""
        answer = self.get("/login", params={"then": then})
        assert 303 == answer.status_code, answer.text
        return answer.headers["location"]

    def log_in(self, person: str, then: str = "/") -> httpx.Response:
        """Log in, and return the answer to the browser that comes back from the provider."""
        return self.get(self._stage.run(_picked(self._stage.issuer, person, self.begin_login(then))))


class Form(HTMLParser):
    """The fields of the form of a command, as a browser sends them that nobody touched."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.sent: dict[str, str] = {}
        self.wrong: list[str] = []
        self._select = ""
        self.feed(html[html.index('class="command') :])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if given.get("aria-invalid"):
            self.wrong.append(given["name"])
        if tag == "select":
            self._select = given["name"]
        elif tag == "option" and (self._select not in self.sent or "selected" in given):
            self.sent[self._select] = given["value"]
        elif tag in ("input", "textarea") and "name" in given:
            self.sent[given["name"]] = given.get("value", "")


class _AsSent(httpx.ASGITransport):
    """Gives an application the path as it stands in the request, where a test says what that is."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        target: bytes | None = request.extensions.get("target")
        if target is None:
            return await super().handle_async_request(request)
        path, _, query = target.partition(b"?")
        sent = httpx.Request(request.method, request.url, headers=request.headers, stream=request.stream)
        return await httpx.ASGITransport(_with_path(self.app, path, query)).handle_async_request(sent)


def _with_path(app: Any, path: bytes, query: bytes) -> Any:
    async def changed(scope: Any, receive: Any, send: Any) -> None:
        await app({**scope, "raw_path": path, "path": unquote(path.decode()), "query_string": query}, receive, send)

    return changed


async def _picked(issuer: DevelopmentIssuer, person: str, address: str) -> str:
    asked = dict(parse_qsl(urlsplit(address).query))
    back = issuer.code_for(person, asked)
    assert back is not None, "the provider takes the login"
    return back


@contextmanager
def console_stage(url: str = URL, **settings: Any) -> Iterator[Stage]:
    """Give a console with a provider of its own; `settings` are those of the console."""
    with DevelopmentIssuer() as issuer, asyncio.Runner() as runner:
        stage = Stage(issuer, runner, url, settings)
        yield stage
        stage.close()
