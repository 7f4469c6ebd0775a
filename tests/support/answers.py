"""What servers of this machine answer."""

from ssl import PROTOCOL_TLS_CLIENT, SSLContext
from typing import Any, Final

import httpx

# httpx reads all authorities for each request that brings no client, 40 ms of a processor: too much to ask again and
# again. Nobody is asked with TLS here, so none are read.
_LOCAL: Final[dict[str, Any]] = {"trust_env": False, "verify": SSLContext(PROTOCOL_TLS_CLIENT)}


def get(url: str, **options: Any) -> httpx.Response:
    """Read something; the options are those of httpx. Raises: httpx.HTTPError."""
    return httpx.get(url, **_LOCAL, **options)


def post(url: str, **options: Any) -> httpx.Response:
    """Send something; the options are those of httpx. Raises: httpx.HTTPError."""
    return httpx.post(url, **_LOCAL, **options)
