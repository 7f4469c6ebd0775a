"""The document that an approval command approves, according to the service's OpenAPI document."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final
from urllib.parse import quote

import typer

Shown = Annotated[
    str | None,
    typer.Option(
        "--sha256",
        metavar="HASH",
        help="SHA-256 printed by `show`: approve only that content (default: the current content).",
    ),
]
"""The option with the hash of the approval subject."""

HASH: Final = "subject_sha256"
"""The field of an approval command with the hash of the content that was shown."""

_PLACEHOLDER: Final = re.compile(r"{(\w+)}")


class Approvals:
    """The approval commands of a service, each with the path of the document that it approves."""

    def __init__(self, openapi: Mapping[str, Any]) -> None:
        commands = [(path, methods["post"]) for path, methods in openapi["paths"].items() if "post" in methods]
        self._subjects = [
            (re.compile(_PLACEHOLDER.sub(r"(?P<\1>[^/]+)", path)), command["x-subject"])
            for path, command in commands
            if HASH in _members(openapi, command)
        ]

    def subject_of(self, path: str, body: Mapping[str, Any] | None = None) -> str | None:
        """Return the path of the document that a command approves; None if there is none, or a path field is missing.

        >>> schema = {"properties": {HASH: {"type": "string"}}}
        >>> body = {"content": {"application/json": {"schema": schema}}}
        >>> command = {"x-subject": "/changes/{property}/{change}", "requestBody": body}
        >>> approve = "/changes/{property}/{change}/approve"
        >>> found = Approvals({"paths": {approve: {"post": command}, "/changes": {"post": {}}}})
        >>> found.subject_of("/changes/riverside/3/approve"), found.subject_of("/changes")
        ('/changes/riverside/3', None)
        """
        for pattern, subject in self._subjects:
            found = pattern.fullmatch(path)
            if found is not None:
                given = {name: quote(str(value), safe="") for name, value in (body or {}).items()} | found.groupdict()
                # The service refuses a command that lacks a field of the subject's path.
                return subject.format_map(given) if given.keys() >= set(_PLACEHOLDER.findall(subject)) else None
        return None


def _members(openapi: Mapping[str, Any], command: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the members of a command's request body, with their JSON Schemas."""
    schema = command.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    if "$ref" in schema:
        schema = openapi["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    members: Mapping[str, Any] = schema.get("properties", {})
    return members
