"""Call the services on behalf of a person: each request carries that person's token."""

import asyncio
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Final, TypeVar
from urllib.parse import quote

import httpx
from pydantic_core import from_json

from services.console.connections import Connections
from services.console.sessions import Session
from services.console.words import say
from shared.runtime.tracing import NO_TRACING, Tracing

ACCOUNTS: Final = "wagering-accounts"
INVENTORY: Final = "table-inventory"
METERS: Final = "progressive-meters"
REGISTRY: Final = "paytable-registry"
REPORTING: Final = "reporting"
SETTLEMENT: Final = "round-settlement"
SUSPICIONS: Final = "suspicious-activity"
VIGORISH: Final = "vigorish"

_SECONDS_MAX: Final = 120.0
_PAGES_MAX: Final = 4
_ITEMS_MAX: Final = 500
"""Maximum number of items on a page of a service."""

AnswerT = TypeVar("AnswerT")


class Refused(Exception):
    """A service refused the request, with a problem document, or did not answer."""

    def __init__(self, service: str, status: int, problem: Mapping[str, Any]) -> None:
        self.service = service
        self.status = status
        self.problem = problem
        super().__init__(str(problem.get("detail") or problem.get("title") or status))

    @property
    def title(self) -> str:
        """Return the title of the problem."""
        return str(self.problem.get("title", f"{self.service}: {self.status}"))


@dataclass(frozen=True, slots=True)
class Missing:
    """Placeholder for a missing answer, with reason and HTTP status, so that the page can show the other answers."""

    why: str
    status: int

    def __bool__(self) -> bool:
        return False


def client(tracing: Tracing = NO_TRACING) -> httpx.AsyncClient:
    """Return the console's HTTP client, which keeps connections but no cookies, and sends the trace context.

    All people share the client, so a cookie set for one person must not be sent for another.
    """

    async def traced(request: httpx.Request) -> None:
        request.headers.update(tracing.outgoing())

    return httpx.AsyncClient(
        transport=Connections(),
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
        timeout=_SECONDS_MAX,
        trust_env=False,
        event_hooks={"request": [traced]},
    )


def part(value: object) -> str:
    """Return a path segment, percent-encoded so that any content remains a single segment.

    >>> part("BJ/01"), part("..")
    ('BJ%2F01', '%2E%2E')
    """
    text = quote(str(value), safe="")
    return text.replace(".", "%2E") if text in (".", "..") else text


def path(*parts: str | int) -> str:
    """Return the URL path made of these parts, each percent-encoded.

    >>> path("rounds", "riverside", "BJ-01")
    '/rounds/riverside/BJ-01'
    """
    return "".join(f"/{part(one)}" for one in parts)


class Services:
    """The services by name, each with its URL."""

    def __init__(self, urls: Mapping[str, str], client: httpx.AsyncClient) -> None:
        self.urls = dict(urls)
        self._client = client

    def of(self, session: Session) -> "Calls":
        """Return the services' client that sends requests with a session's token."""
        return Calls(self.urls, self._client, session)


@dataclass(frozen=True, slots=True)
class Calls:
    """Sends requests to services for one person. Methods raise `Refused` if a service refuses."""

    urls: Mapping[str, str]
    client: httpx.AsyncClient
    session: Session

    async def get(self, service: str, path: str, **asked: object) -> Any:
        """Return a JSON document of a service; `asked` are query parameters."""
        return _json(service, await self._send(service, "GET", path, params=_given(asked)))

    async def get_all(self, service: str, path: str, **asked: object) -> list[Any]:
        """Return the items of all pages of a list. Raises: Refused if the list is too long."""
        items: list[Any] = []
        cursor: str | None = None
        for _ in range(_PAGES_MAX):
            page = await self.get(service, path, **asked, limit=_ITEMS_MAX, cursor=cursor)
            items += page["items"]
            cursor = page.get("next")
            if cursor is None:
                return items
        raise Refused(
            service, 413, {"title": say("refused.too_many"), "detail": say("refused.too_many_why", n=len(items))}
        )

    async def get_first(self, service: str, path: str, most: int | None, **asked: object) -> Any:
        """Return the first `most` items of a list as a page, or all items if `most` is None."""
        if most is None:
            return await self.get_all(service, path, **asked)
        return await self.get(service, path, limit=most, **asked)

    async def get_page(self, service: str, path: str, **asked: object) -> Any:
        """Return one page of a list, of the maximum size: the first page unless a cursor is given."""
        return await self.get(service, path, limit=_ITEMS_MAX, **asked)

    async def get_bytes(self, service: str, path: str, **asked: object) -> httpx.Response:
        """Return a service's response as bytes."""
        return await self._send(service, "GET", path, params=_given(asked))

    async def ask(self, service: str, path: str, document: object, **asked: object) -> Any:
        """POST a query as a JSON document, and return the answer; nothing is changed."""
        return _json(service, await self._send(service, "POST", path, json=document, params=_given(asked)))

    async def do(self, service: str, path: str, document: object, *, key: str) -> Any:
        """Send a command, and return the answer; repeated with the same idempotency key, it takes effect once."""
        headers = {"idempotency-key": key}
        return _json(service, await self._send(service, "POST", path, json=document, headers=headers))

    async def _send(self, service: str, method: str, path: str, **sent: Any) -> httpx.Response:
        headers = {"authorization": f"Bearer {self.session.token}", **sent.pop("headers", {})}
        try:
            response = await self.client.request(method, self.urls[service] + path, headers=headers, **sent)
        except httpx.HTTPError as error:
            detail = say("refused.silent_why", service=service, error=type(error).__name__)
            raise Refused(service, 503, {"title": say("refused.silent"), "detail": detail}) from None
        if response.is_error:
            raise Refused(service, response.status_code, _problem(service, response))
        return response


async def or_missing(answer: Awaitable[AnswerT]) -> AnswerT | Missing:
    """Await an answer, and return it; return a Missing with the reason if the service refuses."""
    try:
        return await answer
    except Refused as refused:
        return Missing(str(refused), refused.status)


async def unless(status: HTTPStatus, answer: Awaitable[AnswerT]) -> AnswerT | None:
    """Await an answer, and return it; return None if the service refuses with this HTTP status."""
    try:
        return await answer
    except Refused as refused:
        if refused.status != status:
            raise
        return None


async def together(*answers: Awaitable[Any]) -> list[Any]:
    """Await answers concurrently, and return for each the answer or a Missing with the reason."""
    return list(await asyncio.gather(*map(or_missing, answers)))


def _given(asked: Mapping[str, object]) -> dict[str, Any]:
    return {name: value for name, value in asked.items() if value not in (None, "")}


def _json(service: str, response: httpx.Response) -> Any:
    try:
        return from_json(response.content)
    except ValueError:
        raise Refused(service, 502, {"title": say("refused.unread"), "detail": service}) from None


def _problem(service: str, response: httpx.Response) -> Mapping[str, Any]:
    try:
        found = from_json(response.content)
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"title": f"{service} answers {response.status_code}"}
