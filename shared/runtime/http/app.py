"""The HTTP application of every service: problem documents and their audit, health, readiness, metrics."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from functools import cache
from time import perf_counter
from typing import Any, Final

import structlog
from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse, PlainTextResponse
from fastapi.routing import APIRoute
from fastapi.telemetry import TelemetryConfig
from fastapi_offline import FastAPIOffline
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shared.contracts.rejection import Reason, Rejected
from shared.jurisdictions import LawUnknown
from shared.rules.errors import Refused
from shared.runtime.errors import ErrorKind, kind_of
from shared.runtime.http.access import Caller, Identities, caller_of, require_parameters_declared
from shared.runtime.http.command_routes import CommandRoute
from shared.runtime.http.limits import said_of
from shared.runtime.http.merged_routers import merge_routers
from shared.runtime.http.openapi import complete
from shared.runtime.http.problems import Mistake, problem, problems
from shared.runtime.metrics import Metrics

ReadinessCheck = Callable[[], Awaitable[str | None]]
"""Return a short description of the problem, or None."""

RecordRefusal = Callable[[Request, Caller, Reason, str], Awaitable[None]]
"""Record that an authenticated person's request was rejected, with reason and detail."""

CONFIDENTIAL_METRICS: Final = (
    *("pitledger_info", "pitledger_ready", "pitledger_messages_authenticated"),
    *("pitledger_consumer_lag_records", "pitledger_oldest_unprocessed_age_seconds", "pitledger_partitions_read"),
    *("pitledger_broker_response_age_seconds", "pitledger_topic_partitions", "pitledger_partitions_stopped"),
    *("pitledger_gaps_open", "pitledger_quarantine_open"),
    *("pitledger_verification_ok", "pitledger_verification_age_seconds", "pitledger_scrub_age_seconds"),
    *("pitledger_projection_differences", "pitledger_projection_age_seconds", "pitledger_identity_keys_age_seconds"),
)
"""The public metrics of a confidential service. They show whether it works, and do not depend on the data it holds."""

OPEN_PATHS: Final = frozenset({"/", "/docs", "/openapi.json", "/healthz", "/readyz", "/metrics"})
"""Public paths, which show no money, people or rounds. All other paths require a role."""

NO_TELEMETRY: Final[TelemetryConfig] = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
"""Turns off the framework's telemetry, because malformed requests may contain access codes."""

_CLIENT_GONE: Final = 499
"""The status code counted for a client that disconnected before the answer."""

log = structlog.get_logger()

_NOT_THEIRS_TO_READ: Final = (Reason.ROLE_MISSING, Reason.ROLES_INCOMPATIBLE, Reason.PROPERTY_MISSING)
"""Reasons for denying an authenticated person a read. Denials of reads are logged with the name, but not journaled."""

_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""HTTP methods that change nothing; a route with any other method takes commands."""


class Links(BaseModel):
    """Links to the documents of a service."""

    docs: str = "/docs"
    openapi: str = "/openapi.json"
    health: str = "/healthz"
    readiness: str = "/readyz"
    metrics: str = "/metrics"


class ServiceDocument(BaseModel):
    """Name, title and version of a service."""

    name: str
    title: str
    version: str
    links: Links = Links()


def create_app(
    *,
    service: str,
    version: str,
    metrics: Metrics,
    checks: Mapping[str, ReadinessCheck],
    identities: Identities,
    record_refusal: RecordRefusal,
    router: APIRouter | None = None,
    request_seconds_max: float | None = None,
    observe: Callable[[], None] = lambda: None,
    confidential_to: frozenset[str] = frozenset(),
) -> FastAPI:
    """Return the application of a service: its own routes, and the routes common to all services.

    A request that takes longer than `request_seconds_max` is aborted; its client may retry. `observe` updates the
    metrics before they are read. With `confidential_to`, a caller with none of these roles gets the same answer to
    every request. The exceptions are `OPEN_PATHS`, which show nothing that depends on the service's data.
    """
    title = f"Pitledger {service}"
    app = FastAPIOffline(
        docs_url="/docs", redoc_url=None, title=title, version=version, redirect_slashes=False, telemetry=NO_TELEMETRY
    )
    app.state.identities = identities
    app.openapi = cache(lambda: _document(app))  # type: ignore[method-assign]  # as FastAPI documents
    _answer_rejections(app, record_refusal)
    document = ServiceDocument(name=service, title=title, version=version)
    operations = _operations(document, metrics, checks, observe, confidential_to)
    routes = merge_routers(*([] if router is None else [router]), operations).routes
    for route in routes:
        if isinstance(route, APIRoute):
            require_parameters_declared(route)
    app.router.routes[:0] = routes  # before the framework's own, because they are requested most
    if confidential_to:
        app.add_middleware(_Confidential, identities=identities, roles=confidential_to)
    app.add_middleware(_Measured, metrics=metrics, seconds_max=request_seconds_max)
    return app


def _document(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document of an application."""
    routes = [route.describe() if isinstance(route, CommandRoute) else route for route in app.routes]
    return complete(get_openapi(title=app.title, version=app.version, routes=routes))


def _answer_rejections(app: FastAPI, record_refusal: RecordRefusal) -> None:
    """Answer every rejection with a problem document; an authenticated person's command is journaled first."""

    async def answer(
        request: Request, rejected: Rejected, *, recorded: str | None = None, errors: list[Mistake] | None = None
    ) -> Response:
        if rejected.reason is Reason.UNKNOWN_CALLER:
            return _unknown_caller(request, rejected)
        if _is_command(request):
            try:
                caller = await caller_of(request)
            except Rejected as unknown:  # the framework parses a body before it authenticates the caller
                return _unknown_caller(request, unknown)
            await record_refusal(request, caller, rejected.reason, recorded or rejected.detail)
        elif rejected.reason in _NOT_THEIRS_TO_READ:
            route, reason = _route(request.scope), rejected.reason.value
            log.warning("access denied", route=route, reason=reason, detail=rejected.detail)
        return problem(
            rejected.reason, rejected.detail, paragraph=rejected.cites, errors=errors, found=rejected.findings
        )

    @app.exception_handler(Rejected)
    async def rejected(request: Request, error: Rejected) -> Response:
        return await answer(request, error)

    @app.exception_handler(Refused)
    async def refused(request: Request, error: Refused) -> Response:
        return await answer(request, Rejected(Reason.NOT_ALLOWED, str(error), cites=error.paragraph))

    @app.exception_handler(LawUnknown)
    async def law_unknown(request: Request, error: LawUnknown) -> Response:
        return await answer(request, Rejected(Reason.NOT_FOUND, str(error)))

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> Response:
        errors = [Mistake(at=_place(item["loc"]), what=said_of(item)) for item in error.errors()]
        detail = "; ".join(f"{mistake.at}: {mistake.what}" for mistake in errors)
        return await answer(
            request, Rejected(Reason.MALFORMED, detail), recorded=_kinds_of_mistakes(error), errors=errors
        )

    @app.exception_handler(HTTPException)
    async def framework(request: Request, error: HTTPException) -> Response:
        """Answer the framework's own errors, such as an unknown path or method, or a body that is not text."""
        reasons = {404: Reason.NOT_FOUND, 405: Reason.METHOD_NOT_ALLOWED}
        reason = reasons.get(error.status_code, Reason.MALFORMED)
        response = await answer(request, Rejected(reason, str(error.detail)))
        response.headers.update(error.headers or {})
        return response


def _operations(
    document: ServiceDocument,
    metrics: Metrics,
    checks: Mapping[str, ReadinessCheck],
    observe: Callable[[], None],
    confidential_to: Collection[str],
) -> APIRouter:
    """Return the routes for operators: service document, health, readiness, metrics."""
    router = APIRouter(tags=["operations"])

    @router.get("/", summary="Read the service document")
    async def about() -> ServiceDocument:
        """Return the service's name and version, and links to its documents."""
        return document

    @router.get("/healthz", summary="Check liveness")
    async def healthz() -> dict[str, str]:
        """Return 200 while the process can answer."""
        return {"status": "alive"}

    @router.get("/readyz", summary="Check readiness", responses=problems(Reason.NOT_READY))
    async def readyz() -> Response:
        """Return whether the service is ready, with the result of each check."""
        found = {name: await check() for name, check in checks.items()}
        wrong = {name: what for name, what in found.items() if what is not None}
        metrics.ready.set(not wrong)
        if wrong and confidential_to:
            return problem(Reason.NOT_READY, f"not good: {', '.join(sorted(wrong))}")
        if wrong:
            detail = "; ".join(f"{name}: {what}" for name, what in wrong.items())
            return problem(Reason.NOT_READY, detail, checks=found)
        return JSONResponse({"status": "ready", "checks": dict.fromkeys(found, "good")})

    @router.get("/metrics", summary="Read the metrics", response_class=PlainTextResponse)
    async def prometheus() -> Response:
        """Return the metrics in Prometheus text format."""
        observe()
        if confidential_to:  # each separately, so that even their order is constant
            only: list[Any] = [metrics.registry.restricted_registry([name]) for name in CONFIDENTIAL_METRICS]
            told = b"".join(generate_latest(one) for one in only)
        else:
            told = generate_latest(metrics.registry)
        return Response(told, media_type=CONTENT_TYPE_LATEST)

    return router


class _Confidential:
    """Middleware that gives callers without a role of the service the same answer on every path, before routing."""

    def __init__(self, app: ASGIApp, identities: Identities, roles: frozenset[str]) -> None:
        self._app = app
        self._identities = identities
        self._roles = roles

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in OPEN_PATHS:
            try:
                caller = await caller_of(Request(scope), self._identities)
                caller.require_role(self._roles)
            except Rejected as rejected:
                await problem(rejected.reason, rejected.detail)(scope, receive, send)
                return
        await self._app(scope, receive, send)


class _Measured:
    """Middleware that counts and times every request, and answers unexpected failures.

    It is plain ASGI, because the framework's middleware base class runs each request in a task group.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics, seconds_max: float | None) -> None:
        self._app = app
        self._seconds_max = seconds_max
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
            async with asyncio.timeout(self._seconds_max):
                await self._app(scope, receive, sent)
        except ClientDisconnect:
            log.info("client disconnected", route=_route(scope))
            status = status or _CLIENT_GONE
        except Exception as error:
            response = _failure(Request(scope), error)
            if status:
                raise  # the answer has begun and cannot be replaced
            await response(scope, receive, sent)
        route = _route(scope)
        self._metrics.http_requests.labels(scope["method"], route, str(status)).inc()
        self._metrics.http_seconds.labels(route).observe(perf_counter() - started)


def _failure(request: Request, error: Exception) -> Response:
    """Return the answer to a failure: retry later, or else an internal error, which is logged with a traceback."""
    kind = kind_of(error)
    if kind in (ErrorKind.TRANSIENT, ErrorKind.AMBIGUOUS, ErrorKind.FENCED):
        log.warning(
            "request failed, client may retry",
            method=request.method,
            path=request.url.path,
            kind=kind.value,
            error=str(error),
        )
        what = f"a server does not answer: {type(error).__name__}"
        if kind is ErrorKind.FENCED:
            what = "others came first each time"
        return problem(Reason.TRY_AGAIN, f"{what}; try again with the same Idempotency-Key")
    log.error("request failed with an internal error", method=request.method, path=request.url.path, exc_info=error)
    return problem(Reason.INTERNAL, "an internal error; it was logged")


def _unknown_caller(request: Request, rejected: Rejected) -> Response:
    """Return the answer to an unauthenticated caller. It is logged and counted, but not journaled.

    If it were journaled, anyone could fill the journal.
    """
    log.warning("authentication failed", method=request.method, route=_route(request.scope), detail=rejected.detail)
    return problem(Reason.UNKNOWN_CALLER, rejected.detail)


def _route(scope: Scope) -> str:
    """Return the path template of the route that a request has matched, or "unmatched"."""
    return getattr(scope.get("route"), "path", "unmatched")


def _is_command(request: Request) -> bool:
    """Return whether the request has matched a route that changes data."""
    methods: Collection[str] = getattr(request.scope.get("route"), "methods", None) or ()
    return request.method in methods and request.method not in _READING


def _place(location: Sequence[int | str]) -> str:
    return ".".join(map(str, location))


def _kinds_of_mistakes(error: RequestValidationError) -> str:
    """Return the locations and kinds of a request's mistakes, without values or unknown names (maybe access codes)."""
    places: list[tuple[str, Any]] = [
        (_place(item["loc"][:-1] if item["type"] == "extra_forbidden" else item["loc"]), item["type"])
        for item in error.errors()
    ]
    return f"malformed: {'; '.join(f'{place} {kind}' for place, kind in places)}"
