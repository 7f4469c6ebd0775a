"""The approval subject of a command, according to the service's OpenAPI document."""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Annotated, Any, Final
from urllib.parse import quote

import typer

Shown = Annotated[
    str | None,
    typer.Option("--sha256", metavar="HASH", help="What `show` said: approve that alone; else what is there now."),
]
"""The option with the hash of the approval subject."""

HASH: Final = "subject_sha256"
"""The member of an approval with the hash of what was shown."""

_PLACEHOLDER: Final = re.compile(r"{(\w+)}")


def subject_of(service: str, path: str, body: Mapping[str, Any] | None = None) -> str | None:
    """Return the path of the document that a command approves, or None.

    >>> subject_of("progressive-meters", "/changes/riverside/3/approve")
    '/changes/riverside/3'
    >>> subject_of("table-inventory", "/slips", {"property": "riverside", "request": 7})
    '/requests/riverside/7'
    >>> subject_of("table-inventory", "/requests") is None
    True
    """
    for pattern, subject in _approvals(service):
        found = pattern.fullmatch(path)
        if found is not None:
            given = {name: quote(str(value), safe="") for name, value in (body or {}).items()} | found.groupdict()
            # A command that leaves out what it is about is refused for that.
            return subject.format_map(given) if given.keys() >= set(_PLACEHOLDER.findall(subject)) else None
    return None


@cache
def _approvals(service: str) -> list[tuple[re.Pattern[str], str]]:
    """Return the paths of a service's approvals, each with that of its subject."""
    file = resources.files("schemas").joinpath("openapi", f"{service}.json")
    if not file.is_file():  # no service of this release
        return []
    document = json.loads(file.read_text())
    commands = [(path, methods["post"]) for path, methods in document["paths"].items() if "post" in methods]
    return [
        (re.compile(_PLACEHOLDER.sub(r"(?P<\1>[^/]+)", path)), command["x-subject"])
        for path, command in commands
        if HASH in _members(document, command)
    ]


def _members(document: Mapping[str, Any], command: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the members of a command's body."""
    body = command.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    schema = document["components"]["schemas"].get(body.get("$ref", "").rpartition("/")[2], body)
    members: Mapping[str, Any] = schema.get("properties", {})
    return members
