"""Static files, cached by browsers indefinitely: each URL contains the hash of the content."""

from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

_KINDS: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
_FOR_EVER: Final = "public, max-age=31536000, immutable"


@cache
def _content(name: str) -> bytes | None:
    file = resources.files(__name__).joinpath(name)
    return file.read_bytes() if name and "/" not in name and file.is_file() else None


@cache
def address(name: str) -> str:
    """Return the URL path of a static file. Raises: LookupError if the file does not exist."""
    content = _content(name)
    if content is None:
        raise LookupError(f"there is no file {name!r}")
    return f"/static/{sha256(content).hexdigest()[:16]}/{name}"


async def serve(request: Request) -> Response:
    """Respond with a static file; 404 unless name and content hash match."""
    name = str(request.path_params["name"])
    kind = next((kind for ending, kind in _KINDS.items() if name.endswith(ending)), None)
    content = None if kind is None else _content(name)
    if content is None or address(name) != request.url.path:
        return PlainTextResponse("not found", status_code=404)
    return Response(content, media_type=kind, headers={"cache-control": _FOR_EVER})
