"""Run the console as a server process."""

import asyncio
import os
from collections.abc import Mapping
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from typing import Final

import structlog
import uvicorn

from services.console.application import create_console
from services.console.pages.sars import is_confidential
from services.console.services import client
from shared.runtime.clock import utc_now
from shared.runtime.errors import FatalServiceError
from shared.runtime.http.bearer_tokens import identities_of
from shared.runtime.http.connection_limits import ConnectionLimits, protocol_of
from shared.runtime.http.serving import listen, server_of
from shared.runtime.metrics import Metrics
from shared.runtime.process.shutdown import stop_on_signals
from shared.runtime.process_memory import raise_gc_threshold
from shared.runtime.release_attestation import manifest_digest
from shared.runtime.settings import Settings
from shared.runtime.tracing import tracing_of

NAME: Final = "console"
PORT: Final = 8100

log = structlog.get_logger()


async def serve(settings: Settings, urls: Mapping[str, str], *, stop: asyncio.Event | None = None) -> None:
    """Run the console, with the services at these URLs, until `stop` is set or, if it is None, until SIGINT or SIGTERM.

    Raises: FatalServiceError.
    """
    raise_gc_threshold()
    metrics = Metrics()
    metrics.info.labels(version("pitledger"), manifest_digest()).set(1)
    tokens = identities_of(settings, clock=utc_now, metrics=metrics)
    if tokens is None:
        raise FatalServiceError("the console lets nobody in: PITLEDGER_OIDC_ISSUER is not set")
    port = PORT if settings.http_port is None else settings.http_port
    tracing = tracing_of(NAME, os.environ)
    async with client(tracing) as calls:
        app = create_console(
            settings,
            url=settings.console_url or f"http://{settings.http_host}:{port}",
            urls=urls,
            tokens=tokens,
            client=calls,
            clock=utc_now,
            metrics=metrics,
            docs=documentation(settings),
        )
        web = server_of(
            tracing.application(app, withheld=is_confidential),
            host=settings.http_host,
            port=port,
            grace_seconds=2,
            http=protocol_of(ConnectionLimits.of(settings), metrics),
        )
        keys = asyncio.create_task(tokens.run(), name="identities")
        stopping = asyncio.create_task(_stop_after(stop or stop_on_signals(), web), name="stop")
        log.info("started", http=f"{settings.http_host}:{port}")
        try:
            await listen(web)
        finally:
            keys.cancel()
            stopping.cancel()
            await asyncio.to_thread(tracing.close)


async def _stop_after(stop: asyncio.Event, web: uvicorn.Server) -> None:
    await stop.wait()
    web.should_exit = True


def documentation(settings: Settings) -> Path | None:
    """Return the directory of the built documentation; None if there is none."""
    own = Path(str(resources.files("services.console").joinpath("site")))
    beside = Path(__file__).parents[2] / "site"
    found = [one for one in (settings.console_docs_directory, own, beside) if one is not None]
    return next((one for one in found if (one / "index.html").is_file()), None)
