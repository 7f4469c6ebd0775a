"""Common parts of all console pages: the console's components, the logged-in person, and page rendering."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Final
from urllib.parse import parse_qsl

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse
from starlette.requests import ClientDisconnect

from services.console.begun import Begun
from services.console.operations import Operations
from services.console.protection import origin_of
from services.console.provider import Provider
from services.console.services import Calls, Services
from services.console.sessions import Session, Sessions
from services.console.views import environment
from shared.runtime.clock import Clock
from shared.runtime.http.access import ALL_PROPERTIES
from shared.runtime.http.bearer_tokens import Tokens

_FORM_BYTES_MAX: Final = 1_048_576
_FIELDS_MAX: Final = 5_000
_ROWS_MAX: Final = 50
"""Maximum number of table rows shown until the reader asks for all: a gaming day can have thousands."""
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})


class LoginNeeded(Exception):
    """The request requires a login."""


class Forged(Exception):
    """A form was not sent from a page of this session."""


class TooLong(Exception):
    """A form is longer than any that the console creates."""


@dataclass(frozen=True)
class Console:
    """The components of a running console, shared by all requests."""

    services: Services
    sessions: Sessions
    begun: Begun
    operations: Operations
    tokens: Tokens
    provider: Provider
    clock: Clock
    zones: dict[str, str] = field(default_factory=dict, kw_only=True)
    """Cached time zones, by property."""
    url: str
    """The console's public URL, without a trailing slash."""

    @cached_property
    def secure(self) -> bool:
        """Return whether the console is reached over TLS."""
        return self.url.startswith("https:")

    @cached_property
    def cookie(self) -> str:
        """Return the name of the session cookie; with TLS it has the `__Host-` prefix."""
        return "__Host-pitledger" if self.secure else "pitledger"

    @property
    def login_cookie(self) -> str:
        """Return the name of the cookie that ties a login to the browser in which it began."""
        return f"{self.cookie}-login"

    @property
    def back(self) -> str:
        """Return the redirect URI for the identity provider."""
        return f"{self.url}/login/back"


def console_of(request: Request) -> Console:
    """Return the `Console` of the application that received a request."""
    console: Console = request.app.state.console
    return console


@dataclass(frozen=True, slots=True)
class Person:
    """The person who requests a page: the session, and the services called with that person's token."""

    session: Session
    calls: Calls
    console: Console

    def may(self, *roles: str) -> bool:
        """Return whether the person has any of these roles."""
        return self.session.may(*roles)

    @property
    def properties(self) -> list[str]:
        """Return the properties named in the person's token, sorted, without the wildcard for all properties."""
        return sorted(self.session.caller.properties - {ALL_PROPERTIES})


def session_of(request: Request, *, seen: bool = True) -> Session | None:
    """Return the session of a request; None if nobody is logged in."""
    console = console_of(request)
    name = request.cookies.get(console.cookie)
    return None if name is None else console.sessions.find(name, seen=seen)


async def _person(request: Request) -> Person:
    """Return the person who sent a request. Raises: LoginNeeded; Forged for a form from another origin or session."""
    console, session = console_of(request), session_of(request)
    if session is None:
        raise LoginNeeded
    session = await request.app.state.logins.renewed(session)
    if request.method not in _SAFE:
        await require_own_form(request, console, session)
    await console.operations.refresh()
    request.state.person = person = Person(session, console.services.of(session), console)
    return person


def known_person(request: Request) -> "Person | None":
    """Return the person who sent a failed request, for the error page's navigation; None if nobody is logged in."""
    known: Person | None = getattr(request.state, "person", None)
    session = session_of(request) if known is None else None
    if session is None:
        return known
    console = console_of(request)
    return Person(session, console.services.of(session), console)


async def require_own_form(request: Request, console: Console, session: Session) -> None:
    """Raise Forged for a request that another site or session may have sent."""
    origin = request.headers.get("origin")
    if origin is not None and origin != origin_of(console.url):
        raise Forged
    sent = request.headers.get("x-csrf-token") or (await form_of(request)).get("csrf", "")
    if not session.is_own(sent):
        raise Forged


Asked = Annotated[Person, Depends(_person)]
"""The logged-in person, as a route parameter; a submitted form must come from the person's own session."""


async def form_of(request: Request) -> dict[str, str]:
    """Return the fields of a form; if several have the same name, the last one counts. Raises: TooLong."""
    known: dict[str, str] | None = getattr(request.state, "form", None)
    if known is None:
        body = b""
        try:
            async for chunk in request.stream():
                body += chunk
                if len(body) > _FORM_BYTES_MAX:
                    raise TooLong
        except ClientDisconnect:
            body = b""
        if body.count(b"&") >= _FIELDS_MAX:
            raise TooLong
        request.state.form = known = dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
    return known


def rows_max(request: Request) -> int | None:
    """Return the maximum number of list rows on a page; None if the reader requested all of them."""
    return None if request.query_params.get("whole") == "true" else _ROWS_MAX


def page(
    request: Request, template: str, person: Person | None = None, *, status: int = 200, **shown: Any
) -> HTMLResponse:
    """Return a page: a template rendered with its values."""
    session = None if person is None else person.session
    common: Mapping[str, Any] = {
        "session": session,
        "person": None if session is None else session.person,
        "csrf": None if session is None else session.csrf,
        "may": (lambda *_: False) if session is None else session.may,
        "here": request.url.path + (f"?{request.url.query}" if request.url.query else ""),
        "path": request.url.path,
        "property": request.path_params.get("property"),
        "operations": console_of(request).operations,
        "rows_max": rows_max(request),
        "every_row": f"?{request.url.include_query_params(whole='true').query}",
    }
    text = environment().get_template(template).render({**common, **shown})
    return HTMLResponse(text, status_code=status)
