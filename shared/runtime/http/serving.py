"""Serve an HTTP application on its own port."""

from typing import Any

import uvicorn

from shared.runtime.errors import FatalServiceError


def server_of(app: Any, *, host: str, port: int, grace_seconds: int, **options: Any) -> uvicorn.Server:
    """Return a server for an ASGI application; on shutdown, requests in progress get `grace_seconds` to finish.

    `options` are further options of `uvicorn.Config`.
    """
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        ws="none",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        timeout_graceful_shutdown=grace_seconds,
        **options,
    )
    return uvicorn.Server(config)


async def listen(server: uvicorn.Server) -> None:
    """Serve until `should_exit` of the server is set; the caller handles signals.

    Raises: FatalServiceError if the port is not available.
    """
    try:
        await server._serve()  # `serve` would install signal handlers
    except SystemExit:  # it would end the event loop before the orderly shutdown
        raise FatalServiceError(f"port {server.config.port} of {server.config.host} is taken") from None
