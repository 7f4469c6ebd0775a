"""Security headers on every response, and checks of URLs that come from the browser."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_CHARACTERS_MAX: Final = 2_000


def content_policy(*, forms: Sequence[str] = (), scripts: Sequence[str] = ()) -> str:
    """Return the content security policy: only the console's own resources, nothing inline.

    `forms` are additional allowed origins of form targets, such as the identity provider's logout. `scripts` are the
    hashes of inline scripts in third-party files.
    """
    own = "'self'"
    parts = {
        "default-src": "'none'",
        "script-src": " ".join([own, *scripts]),
        "style-src": own,
        "img-src": f"{own} data:",
        "font-src": own,
        "connect-src": own,
        "worker-src": own,
        "manifest-src": own,
        "form-action": " ".join([own, *forms]),
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in parts.items())


def origin_of(url: str) -> str:
    """Return the origin of a URL.

    >>> origin_of("https://console.example.org/floor")
    'https://console.example.org'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def local_path(wanted: str | None, otherwise: str = "/") -> str:
    """Return a requested URL if it is a local path of the console, otherwise the default `otherwise`.

    >>> local_path("/p/riverside?day=2026-11-22"), local_path("//evil.example"), local_path("https://evil.example")
    ('/p/riverside?day=2026-11-22', '/', '/')
    >>> local_path("/\\\\evil.example"), local_path("/a\\nb")
    ('/', '/')
    """
    if not wanted or len(wanted) > _CHARACTERS_MAX or not wanted.isprintable():
        return otherwise
    if not wanted.startswith("/") or wanted.startswith("//") or "\\" in wanted:
        return otherwise
    parts = urlsplit(wanted)
    return otherwise if parts.scheme or parts.netloc else wanted


class Protected:
    """Adds the security headers to every response."""

    def __init__(self, app: ASGIApp, policy: str, *, secure: bool) -> None:
        self._app = app
        self._headers = {
            "content-security-policy": policy,
            "x-content-type-options": "nosniff",
            "referrer-policy": "same-origin",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=()",
        }
        if secure:
            self._headers["strict-transport-security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        await self._app(scope, receive, sent if scope["type"] == "http" else send)
