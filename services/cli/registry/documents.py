"""A property's documents at the paytable registry: file, approve, return and compare their versions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final
from urllib.parse import quote

import typer

from services.cli.client import client_of
from services.cli.documents import read_document
from services.cli.exits import InputRefused
from services.cli.output import message, print_json, print_line

REGISTRY: Final = "paytable-registry"

Property = Annotated[str, typer.Argument(metavar="PROPERTY", help="The property's name.")]
Version = Annotated[int, typer.Argument(metavar="VERSION", min=1, help="Version number.")]
ReturnReason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Reason for this action; it is recorded.")]


@dataclass(frozen=True, slots=True)
class Documents:
    """A kind of document that properties file: its API path, the command group for it, and its name in messages."""

    path: str
    command: str
    name_of: Callable[[str], str]

    def path_of(self, property_name: str, *parts: object) -> str:
        """Return the API path of a property's document; `parts` are further segments, such as a version."""
        return "/".join((self.path, *(quote(str(part), safe="") for part in (property_name, *parts))))

    def file(self, file: str, *, as_json: bool, before: Callable[[Mapping[str, Any]], None] | None = None) -> None:
        """File a document's next version, and print its changes; `before`, if given, is called with the document first.

        Raises: InputRefused if the file does not contain a mapping.
        """
        document = read_document(file)
        if not isinstance(document, Mapping):
            raise InputRefused(f"{file}: a document of a property is a mapping, not {type(document).__name__}")
        if before is not None:
            before(document)
        with client_of(REGISTRY) as client:
            filed = client.do(self.path, document)
            changed = client.read(self.path_of(filed["property"], filed["version"], "changes"))
        if as_json:
            print_json({**filed, **changed})
            return
        message(f"{self._version(filed)} is filed, from {filed['effective_from']} on")
        _print_changes(changed)
        message(f"somebody else approves it: {self.command} approve {filed['property']} {filed['version']}")

    def approve(self, property_name: str, version: int, shown: str | None, *, as_json: bool) -> None:
        """Approve a document's version with the hash `shown`, by default its current content."""
        with client_of(REGISTRY) as client:
            answer = client.approve(self.path_of(property_name, version, "approve"), sha256=shown)
        self._print_decided(answer, as_json=as_json)

    def give_back(self, property_name: str, version: int, reason: str, *, as_json: bool) -> None:
        """Return a version to its filer."""
        with client_of(REGISTRY) as client:
            answer = client.do(self.path_of(property_name, version, "return"), {"reason": reason})
        self._print_decided(answer, as_json=as_json)

    def compare(self, property_name: str, version: int, *, as_json: bool, **asked: str) -> None:
        """Print a version's changes, one per line."""
        with client_of(REGISTRY) as client:
            changed = client.read(self.path_of(property_name, version, "changes"), **asked)
        if as_json:
            print_json(changed)
        else:
            _print_changes(changed)

    def read(self, property_name: str, version: int | None, **asked: str) -> dict[str, Any]:
        """Return a document's version; without a number, the version in effect."""
        with client_of(REGISTRY) as client:
            return client.read(self.path_of(property_name, "in-effect" if version is None else version), **asked)

    def _print_decided(self, answer: Mapping[str, Any], *, as_json: bool) -> None:
        if as_json:
            print_json(answer)
            return
        begins = f", from {answer['effective_from']} on" if answer["status"] == "approved" else ""
        message(f"{self._version(answer)} is {answer['status']}{begins}")

    def _version(self, answer: Mapping[str, Any]) -> str:
        return f"version {answer['version']} of {self.name_of(answer['property'])}"


def _print_changes(changed: Mapping[str, Any]) -> None:
    for line in changed["changes"]:
        print_line(line)
    if not changed["changes"]:
        message(f"nothing but its beginning differs from version {changed['from_version']}")
