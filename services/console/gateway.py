"""One door: `/api/<service>/...` on the console's port leads to that service, for people and for systems.

A system sends its own bearer token, as it would to the service. A page sends the cookie of its session, and for a
command what only a page of that session knows; the request then goes on under the token of the person. Everything else
passes as it is: the service decides, records and answers as always.
"""

from collections.abc import AsyncIterator, Iterable
from typing import Final

import httpx
from fastapi import APIRouter, Request
from starlette.background import BackgroundTask
from starlette.responses import Response, StreamingResponse

from services.console.console import Forged, console_of, require_own_form, session_of
from shared.contracts.rejection import Reason
from shared.runtime.web.access import TOLD_WITHOUT_ONE
from shared.runtime.web.problems import problem

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
"""Headers that are about one connection (RFC 9110, 7.6.1), or about the browser and the console alone."""
_HIDDEN: Final = frozenset({"metrics"})
"""What a service shows to those who watch it, on its own port."""


def routes(client: httpx.AsyncClient) -> APIRouter:
    """Return the routes of the gateway."""
    router = APIRouter(prefix="/api")

    @router.api_route("/{service}/{rest:path}", methods=_METHODS)
    async def pass_on(request: Request, service: str, rest: str) -> Response:
        console = console_of(request)
        if service not in console.services.urls or rest.split("/")[0] in _HIDDEN:
            there = ", ".join(sorted(console.services.urls))
            return problem(Reason.NOT_FOUND, f"there is no /api/{service}/{rest}; services are {there}")
        headers = list(_passed(request.headers.items()))
        if "authorization" not in request.headers:
            session = session_of(request)
            if session is not None:
                session = await request.app.state.logins.renewed(session)
                if request.method not in ("GET", "HEAD", "OPTIONS"):
                    if "x-csrf-token" not in request.headers:
                        raise Forged
                    await require_own_form(request, console, session)
                headers.append(("authorization", f"Bearer {session.token}"))
            elif rest not in ("", "healthz", "readyz", "openapi.json"):
                unknown = problem(Reason.UNKNOWN_CALLER, TOLD_WITHOUT_ONE)
                unknown.headers["WWW-Authenticate"] = "Bearer"
                return unknown
        path = request.scope["raw_path"].decode().removeprefix(f"/api/{service}")
        query = f"?{request.url.query}" if request.url.query else ""
        has_body = request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers
        asked = client.build_request(
            request.method,
            console.services.urls[service] + path + query,
            headers=headers,
            content=_body(request) if has_body else None,
        )
        try:
            answer = await client.send(asked, stream=True)
        except httpx.HTTPError as error:
            return problem(Reason.TRY_AGAIN, f"{service} does not answer: {type(error).__name__}")
        return StreamingResponse(
            answer.aiter_raw(),
            status_code=answer.status_code,
            headers=dict(_answered(answer.headers.items())),
            background=BackgroundTask(answer.aclose),
        )

    return router


async def _body(request: Request) -> AsyncIterator[bytes]:
    async for chunk in request.stream():
        if chunk:
            yield chunk


def _passed(headers: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    return ((name, value) for name, value in headers if name.lower() not in _NOT_PASSED_ON)


def _answered(headers: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    """Return the headers of an answer that are passed on; raw bytes keep the length that they had."""
    dropped = _NOT_PASSED_ON - {"content-length"} | {"set-cookie"}
    return ((name, value) for name, value in headers if name.lower() not in dropped)
