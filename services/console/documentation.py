"""Serves the prebuilt documentation with a content security policy that lists the hashes of its inline scripts."""

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from services.console.protection import content_policy
from services.console.services import Refused
from services.console.words import say

ADDRESS: Final = "/docs"
_DATA: Final = re.compile(r"application/(ld\+)?json")


class _InlineScripts(HTMLParser):
    """An HTML parser that collects the inline scripts of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.found: set[str] = set()
        self._script: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "script" and "src" not in given and not _DATA.fullmatch(given.get("type") or ""):
            self._script = []

    def handle_data(self, data: str) -> None:
        if self._script is not None:
            self._script.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "script" and self._script is not None:
            self.found.add("".join(self._script))
            self._script = None


def scripts_in(directory: Path) -> list[str]:
    """Return the hashes of all inline scripts in a directory's pages, in the syntax of a content security policy."""
    scripts = _InlineScripts()
    for file in sorted(directory.rglob("*.html")):
        scripts.feed(file.read_text())
    digests = (sha256(one.encode()).digest() for one in scripts.found)
    return sorted(f"'sha256-{b64encode(digest).decode()}'" for digest in digests)


class _Pages(StaticFiles):
    """Serves the files of the documentation with its content security policy."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory=directory, html=True)
        self._policy = content_policy(scripts=scripts_in(directory))

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["content-security-policy"] = self._policy
        response.headers["cache-control"] = "no-cache"
        return response


def routes(directory: Path | None) -> list[BaseRoute]:
    """Return the routes of the documentation or, without a directory, of a page that explains how to build it."""
    if directory is None:
        return [Route(ADDRESS, _missing), Route(f"{ADDRESS}/{{path:path}}", _missing)]
    return [Route(ADDRESS, _begin), Mount(ADDRESS, _Pages(directory))]


async def _begin(_: object) -> Response:
    return RedirectResponse(f"{ADDRESS}/")


async def _missing(_: object) -> Response:
    raise Refused("console", 404, {"title": say("refused.docs"), "detail": say("refused.docs_why")})
