"""The HTTP shell of every service: problems as RFC 9457, refusals recorded, health, readiness, metrics."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from http import HTTPStatus
from time import perf_counter
from typing import Any, Final

import structlog
from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shared.rules.errors import Refused
from shared.runtime.errors import Kind, kind_of
from shared.runtime.metrics import Metrics
from shared.runtime.web.access import Caller, caller_of

Check = Callable[[], Awaitable[str | None]]
"""Gives what is wrong in a few words, or None."""

RecordRefusal = Callable[[Request, Caller, int, str], Awaitable[None]]
"""Records that a request of a person was refused: with which status, and why."""

log = structlog.get_logger()

PROBLEM = "application/problem+json"

_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""The methods that ask and change nothing; a route with any other takes commands."""


def _failure(request: Request, error: Exception) -> Response:
    """What is answered when the work failed: try again, or a bug, which goes into the log with its traceback."""
    kind = kind_of(error)
    if kind in (Kind.TRANSIENT, Kind.AMBIGUOUS, Kind.FENCED):
        log.warning("request failed", method=request.method, path=request.url.path, kind=kind.value, error=str(error))
        what = "others came first each time" if kind is Kind.FENCED else "the database does not answer"
        response = problem(503, f"{what}; try again with the same Idempotency-Key")
        response.headers["Retry-After"] = "1"
        return response
    log.error("request failed", method=request.method, path=request.url.path, exc_info=error)
    return problem(500, "an internal error; it was logged")


class Conflict(Exception):
    """The request contradicts what is recorded."""


class NotFound(Exception):
    """There is no such thing."""


class Problem(BaseModel):
    """What went wrong (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str


def problems(**what: str) -> dict[int | str, dict[str, Any]]:
    """The problems that a route answers with, as OpenAPI wants them: `_409="the key was used"`."""
    content = {PROBLEM: {"schema": Problem.model_json_schema()}}
    return {int(status[1:]): {"description": text, "content": content} for status, text in what.items()}


def problem(status: int, detail: str, **more: Any) -> JSONResponse:
    """An RFC 9457 problem document."""
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail, **more}
    return JSONResponse(body, status, media_type=PROBLEM)


def _nobody(request: Request, error: HTTPException) -> Response:
    """The answer to somebody unknown: logged and counted, and no entry, or anybody could fill the journal."""
    log.warning("nobody known asked", method=request.method, route=_route(request.scope), detail=error.detail)
    response = problem(error.status_code, error.detail)
    response.headers.update(error.headers or {})
    return response


def _route(scope: Scope) -> str:
    """The template of the route that a request has matched."""
    return getattr(scope.get("route"), "path", "unmatched")


def _is_command(request: Request) -> bool:
    """Whether the request has matched a route that changes something."""
    methods: Collection[str] = getattr(request.scope.get("route"), "methods", None) or ()
    return request.method in methods and request.method not in _READING


def _place(location: Sequence[int | str]) -> str:
    return ".".join(map(str, location))


def _mistakes(error: RequestValidationError) -> str:
    """The places and kinds of what is malformed, without values and unknown names: they may be an access code."""
    places = [
        (_place(item["loc"][:-1] if item["type"] == "extra_forbidden" else item["loc"]), item["type"])
        for item in error.errors()
    ]
    return f"malformed: {'; '.join(f'{place} {kind}' for place, kind in places)}"


class _Measured:
    """Counts and times every request, and answers where the work failed.

    It is plain ASGI: the framework's own shell for middleware runs each request in a task group of its own.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = perf_counter(), 0

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, sent)
        except Exception as error:
            response = _failure(Request(scope), error)
            if status:
                raise  # the answer had begun: it cannot be taken back
            await response(scope, receive, sent)
        route = _route(scope)
        self._metrics.http_requests.labels(scope["method"], route, str(status)).inc()
        self._metrics.http_seconds.labels(route).observe(perf_counter() - started)


def create_app(
    *,
    service: str,
    version: str,
    metrics: Metrics,
    checks: Mapping[str, Check],
    callers: Sequence[Caller],
    record_refusal: RecordRefusal,
    router: APIRouter | None = None,
) -> FastAPI:
    """The application of a service: its own routes, and those that every service has."""
    app = FastAPI(title=f"Pitledger {service}", version=version, docs_url="/docs", redoc_url=None)
    app.state.callers = callers

    async def refuse(request: Request, status: int, detail: str, *, why: str | None = None, **more: Any) -> Response:
        """A problem. A command of a known person is recorded as refused (for `why`) before it is answered."""
        if _is_command(request):
            try:
                caller = caller_of(request)
            except HTTPException as error:  # the framework reads a body before it asks who sent it
                return _nobody(request, error)
            await record_refusal(request, caller, status, detail if why is None else why)
        return problem(status, detail, **more)

    @app.exception_handler(HTTPException)
    async def http_problem(request: Request, error: HTTPException) -> Response:
        if error.status_code == 401:
            return _nobody(request, error)
        response = await refuse(request, error.status_code, str(error.detail))
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        errors = [{"at": _place(item["loc"]), "what": item["msg"]} for item in error.errors()]
        detail = "; ".join(f"{item['at']}: {item['what']}" for item in errors)
        return await refuse(request, 422, detail, why=_mistakes(error), errors=errors)

    @app.exception_handler(Refused)
    async def refused(request: Request, error: Refused) -> Response:
        return await refuse(request, 422, str(error), paragraph=error.paragraph)

    @app.exception_handler(Conflict)
    async def conflict(request: Request, error: Conflict) -> Response:
        return await refuse(request, 409, str(error))

    @app.exception_handler(NotFound)
    async def not_found(request: Request, error: NotFound) -> Response:
        return await refuse(request, 404, str(error))

    app.add_middleware(_Measured, metrics=metrics)

    @app.get("/healthz", tags=["operations"])
    async def healthz() -> dict[str, str]:
        """The process answers."""
        return {"status": "alive"}

    @app.get("/readyz", tags=["operations"], responses={503: {"description": "Not ready, with the reasons"}})
    async def readyz() -> Response:
        """The service can do its work now: database, broker, lag and verification are good."""
        found = {name: await check() for name, check in checks.items()}
        wrong = {name: what for name, what in found.items() if what is not None}
        metrics.ready.set(not wrong)
        if wrong:
            return problem(503, "; ".join(f"{name}: {what}" for name, what in wrong.items()), checks=found)
        return JSONResponse({"status": "ready", "checks": dict.fromkeys(found, "good")})

    @app.get("/metrics", tags=["operations"])
    async def prometheus() -> Response:
        """The metrics, in Prometheus' text format."""
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)

    if router is not None:
        app.include_router(router)
    return app
