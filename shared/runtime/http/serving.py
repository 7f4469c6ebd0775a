"""Serve an HTTP application on its own port."""

from typing import Any

import uvicorn

from shared.runtime.errors import FatalServiceError


def server_of(app: Any, *, host: str, port: int, grace_seconds: int, **options: Any) -> uvicorn.Server:
    """Return a server for an ASGI application; on shutdown, open requests get `grace_seconds` to finish.

    Other options are those of `uvicorn.Config`.
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
    """Serve until `should_exit` is set; the caller handles signals.

    Raises: FatalServiceError if the port is not available.
    """
    try:
        await server._serve()  # `serve` would take the signals
    except SystemExit:  # let through, it would end the event loop under everything that is to end in good order
        raise FatalServiceError(f"port {server.config.port} of {server.config.host} is taken") from None
