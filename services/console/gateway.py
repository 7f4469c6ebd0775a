"""The gateway: forwards `/api/<service>/...` on the console's port to that service, for people and systems.

A system sends its own bearer token, as it would to the service. A page sends its session cookie and, for a command, the
CSRF token of the session; the request is forwarded with the person's token. The rest of the request is unchanged: the
service authorizes, records and answers it like any other.
"""

from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Final

import httpx
from fastapi import APIRouter, Request
from starlette.background import BackgroundTask
from starlette.responses import Response, StreamingResponse

from services.console.console import Forged, console_of, require_own_form, session_of
from shared.contracts.rejection import Reason
from shared.runtime.http.access import TOLD_WITHOUT_ONE
from shared.runtime.http.problems import problem

_METHODS: Final = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
_NOT_PASSED_ON: Final = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "host",
        "cookie",
        "x-csrf-token",
        "content-length",
    }
)
"""Headers of a single connection (RFC 9110, 7.6.1), or meant only for the browser and the console."""
_HIDDEN: Final = "metrics"
"""Path that services offer only on their own port, to monitoring."""


def routes(client: httpx.AsyncClient) -> APIRouter:
    """Return the routes of the gateway."""
    router = APIRouter(prefix="/api")

    @router.api_route("/{service}/{rest:path}", methods=_METHODS)
    async def pass_on(request: Request, service: str, rest: str) -> Response:
        console = console_of(request)
        begins, path = f"/api/{service}", request.scope["raw_path"].decode()
        # A raw path that begins otherwise could lead to another host, and `..` could lead to the hidden path.
        leads_on = path.startswith(f"{begins}/") and service in console.services.urls
        parts = [one for one in rest.split("/") if one not in ("", ".")]
        if not leads_on or ".." in parts or parts[:1] == [_HIDDEN]:
            there = ", ".join(sorted(console.services.urls))
            return problem(Reason.NOT_FOUND, f"there is no /api/{service}/{rest}; services are {there}")
        headers = list(_passed(request.headers))
        if "authorization" not in request.headers:
            session = session_of(request)
            if session is not None:
                session = await request.app.state.logins.renewed(session)
                if request.method not in ("GET", "HEAD", "OPTIONS"):
                    if not request.headers.get("x-csrf-token"):
                        raise Forged
                    await require_own_form(request, console, session)
                headers.append(("authorization", f"Bearer {session.token}"))
            elif rest not in ("", "healthz", "readyz", "openapi.json"):
                unknown = problem(Reason.UNKNOWN_CALLER, TOLD_WITHOUT_ONE)
                unknown.headers["WWW-Authenticate"] = "Bearer"
                return unknown
        query = f"?{request.url.query}" if request.url.query else ""
        has_body = request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers
        url = console.services.urls[service] + path.removeprefix(begins) + query
        content = _body(request) if has_body else None
        try:
            asked = client.build_request(request.method, url, headers=headers, content=content)
            answer = await client.send(asked, stream=True)
        except httpx.InvalidURL as error:
            return problem(Reason.NOT_FOUND, f"there is nothing at this address: {error}")
        except httpx.HTTPError as error:
            return problem(Reason.TRY_AGAIN, f"{service} does not answer: {type(error).__name__}")
        return StreamingResponse(
            answer.aiter_raw(),
            status_code=answer.status_code,
            headers=dict(_answered(answer.headers)),
            background=BackgroundTask(answer.aclose),
        )

    return router


async def _body(request: Request) -> AsyncIterator[bytes]:
    async for chunk in request.stream():
        if chunk:
            yield chunk


def _passed(headers: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    dropped = _NOT_PASSED_ON | _of_connection(headers)
    return ((name, value) for name, value in headers.items() if name.lower() not in dropped)


def _answered(headers: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    """Return the response headers to forward; the content length is kept, because the raw bytes are forwarded."""
    dropped = _NOT_PASSED_ON - {"content-length"} | {"set-cookie"} | _of_connection(headers)
    return ((name, value) for name, value in headers.items() if name.lower() not in dropped)


def _of_connection(headers: Mapping[str, str]) -> frozenset[str]:
    """Return the headers that the `Connection` header declares hop-by-hop."""
    said = (value for name, value in headers.items() if name.lower() == "connection")
    return frozenset(one.strip().lower() for value in said for one in value.split(","))
