"""The console as a FastAPI application: its routes, its middleware and its error pages."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Final

import httpx
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.exceptions import HTTPException
from starlette.routing import Route

from services.console import documentation, gallery, gateway, login, static
from services.console.begun import Begun
from services.console.console import Console, Forged, LoginNeeded, TooLong, known_person, page
from services.console.floor import Floors
from services.console.gallery import Gallery
from services.console.operations import Operations
from services.console.pages import (
    cage,
    commands,
    corrections,
    days,
    design,
    desk,
    filings,
    floor,
    home,
    meters,
    minimums,
    overview,
    patrons,
    pit_events,
    quarantine,
    ratings,
    records,
    reports,
    rounds,
    sars,
    search,
    submissions,
    what_if,
)
from services.console.protection import Protected, content_policy, origin_of
from services.console.provider import Provider
from services.console.services import Refused, Services
from services.console.sessions import Sessions
from services.console.words import say
from shared.contracts.rejection import Reason
from shared.runtime.clock import Clock
from shared.runtime.http.app import NO_TELEMETRY
from shared.runtime.http.bearer_tokens import Tokens
from shared.runtime.http.problems import problem
from shared.runtime.metrics import Metrics
from shared.runtime.settings import Settings

_PAGES: Final = (
    home,
    overview,
    floor,
    rounds,
    days,
    design,
    desk,
    cage,
    filings,
    sars,
    submissions,
    meters,
    ratings,
    patrons,
    quarantine,
    reports,
    search,
    records,
    minimums,
    what_if,
    corrections,
    pit_events,
    commands,
)
_LOOKED_AT: Final = "/static/"


def create_console(
    settings: Settings,
    *,
    url: str,
    urls: Mapping[str, str],
    tokens: Tokens,
    client: httpx.AsyncClient,
    clock: Clock,
    metrics: Metrics,
    docs: Path | None = None,
) -> FastAPI:
    """Return the application of the console.

    `url` is the console's public URL; `urls` are the services' URLs by name; `docs` is the directory of the built
    documentation.
    """
    keys = settings.checkpoint_verifiers_file
    console = Console(
        services=Services(urls, client),
        sessions=Sessions(clock),
        begun=Begun(clock),
        operations=Operations(urls, client, clock),
        tokens=tokens,
        provider=Provider(settings, tokens, client, clock),
        clock=clock,
        url=url.rstrip("/"),
    )
    app = FastAPI(
        title="Pitledger console",
        version=version("pitledger"),
        openapi_url=None,
        lifespan=_lifespan,
        telemetry=NO_TELEMETRY,
    )
    app.state.console = console
    app.state.logins = login.Logins(console)
    app.state.floors = Floors()
    app.state.gallery = Gallery()
    app.state.verifiers = () if keys is None else tuple(keys.read_text().splitlines())
    policy = content_policy(forms=[origin_of(tokens.keys.issuer)])
    app.add_middleware(Protected, policy=policy, secure=console.secure)
    app.include_router(_operations(console, metrics).router)
    app.include_router(login.routes())
    for one in _PAGES:
        app.include_router(one.routes())
    app.include_router(gallery.routes())
    app.include_router(gateway.routes(client))
    app.router.routes.extend(documentation.routes(docs))
    app.router.routes.append(Route(_LOOKED_AT + "{hash}/{name}", static.serve))
    _answer_errors(app)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    yield
    await app.state.gallery.close()


def _operations(console: Console, metrics: Metrics) -> FastAPI:
    """Return the routes for operations: health, readiness, metrics."""
    app = FastAPI(openapi_url=None)

    @app.get("/healthz")
    async def healthz() -> dict[str, str]:
        return {"status": "alive"}

    @app.get("/readyz")
    async def readyz() -> Response:
        wrong = await console.tokens.check()
        metrics.ready.set(wrong is None)
        if wrong is not None:
            return problem(Reason.NOT_READY, f"identities: {wrong}", checks={"identities": wrong})
        return JSONResponse({"status": "ready", "checks": {"identities": "good"}})

    @app.get("/metrics")
    async def prometheus() -> Response:
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)

    return app


def _answer_errors(app: FastAPI) -> None:
    @app.exception_handler(LoginNeeded)
    async def login_needed(request: Request, error: LoginNeeded) -> Response:
        del error
        if request.method != "GET" or request.url.path.endswith("/stream"):
            return page(request, "login.html", status=401, why="")
        wanted = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"/login?{httpx.QueryParams(then=wanted)}", status_code=303)

    @app.exception_handler(Forged)
    async def forged(request: Request, error: Forged) -> Response:
        del error
        return page(request, "refused.html", status=403, refused=None, forged=True)

    @app.exception_handler(TooLong)
    async def too_long(request: Request, error: TooLong) -> Response:
        del error
        why = Refused("console", 413, {"title": say("refused.too_long"), "detail": say("refused.too_long_why")})
        return page(request, "refused.html", known_person(request), status=413, refused=why, forged=False)

    @app.exception_handler(Refused)
    async def refused(request: Request, error: Refused) -> Response:
        return page(request, "refused.html", known_person(request), status=error.status, refused=error, forged=False)

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        return page(
            request, "refused.html", known_person(request), status=error.status_code, refused=None, forged=False
        )

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> Response:
        del error
        return page(request, "refused.html", known_person(request), status=404, refused=None, forged=False)
