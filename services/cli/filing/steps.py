"""The steps common to all filed documents: release, send, withdraw, and write the file as it was prepared."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from services.cli.client import client_of
from services.cli.exits import CheckFailed, InputRefused
from services.cli.filing.reading import content_of
from services.cli.moments import moment_of
from services.cli.output import message, print_json, write_bytes

Property = Annotated[str, typer.Argument(metavar="PROPERTY", help="The property's name.")]
Released = Annotated[
    Path | None,
    typer.Option(
        "--file", metavar="FILE", help="File that will be sent; refused if it is not identical to the prepared file."
    ),
]
WithdrawReason = Annotated[
    str, typer.Option("--reason", metavar="TEXT", help="Reason for this action; it is recorded.")
]
TrackingId = Annotated[
    str, typer.Option("--tracking-id", metavar="ID", help="Tracking ID that the agency's filing system gave the file.")
]
SentAt = Annotated[
    str | None,
    typer.Option(
        "--at", metavar="MOMENT", help="Time at which the file was sent, ISO 8601 with UTC offset (default: now)."
    ),
]
Written = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Copy of the prepared file to write.")]


CorrectReason = Annotated[
    str | None,
    typer.Option(
        "--reason", metavar="TEXT", help="Replace what was recorded before; the text states why it was wrong."
    ),
]


def corrected(reason: str | None) -> dict[str, str]:
    """Return `reason` as the member of a request that replaces an earlier record; empty without a reason."""
    return {} if reason is None else {"reason": reason}


@dataclass(frozen=True, slots=True)
class FiledDocuments:
    """One kind of filed document: its service, the path of its API, and the function that prints a document."""

    service: str
    path: str
    show: Callable[[Mapping[str, Any]], None]

    def path_of(self, property_name: str, number: int) -> str:
        """Return the path of a document."""
        return f"{self.path}/{quote(property_name, safe='')}/{number}"

    def release(
        self,
        property_name: str,
        number: int,
        file: Path | None,
        shown: str | None,
        *,
        as_json: bool,
        require: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> None:
        """Release a filed document, after `require` has checked it as it was prepared.

        Raises: UsageWrong if the given file cannot be read; InputRefused if it is not the prepared file.
        """
        path = self.path_of(property_name, number)
        digest = None if file is None else sha256(content_of(file)).hexdigest()
        with client_of(self.service) as client:
            if digest is not None or require is not None:
                prepared = client.read(path)
                if digest not in (None, prepared["content_sha256"]):
                    raise InputRefused(
                        f"{file} has the SHA-256 {digest}, and what was prepared {prepared['content_sha256']}"
                    )
                if require is not None:
                    require(prepared)
                shown = shown or prepared["sha256"]
            answer = client.approve(f"{path}/release", sha256=shown)
        self.print(answer, as_json=as_json)

    def sent(
        self, property_name: str, number: int, tracking_id: str, at: str | None, reason: str | None, *, as_json: bool
    ) -> None:
        """Record that a released document was sent, now or at a moment; a reason replaces a wrong record.

        If the same identifier and time are already recorded, because an earlier response was lost, print the record.
        """
        moment = None if at is None else moment_of("--at", at)
        said = {"tracking_id": tracking_id} | ({} if moment is None else {"filed_at": moment.isoformat()})
        try:
            self.step(property_name, number, "filed", said | corrected(reason), as_json=as_json)
        except CheckFailed:
            with client_of(self.service) as client:
                found = client.read(self.path_of(property_name, number))
            is_same = found.get("tracking_id") == tracking_id and (
                moment is None or datetime.fromisoformat(found["filed_at"]) == moment
            )
            if reason is not None or not is_same:
                raise
            message(f"{tracking_id} is recorded already, by {found['filed_by']}")
            self.print(found, as_json=as_json)

    def step(self, property_name: str, number: int, name: str, document: Mapping[str, Any], *, as_json: bool) -> None:
        """Send a step's command for a document, and print the document with its new status."""
        with client_of(self.service) as client:
            answer = client.do(f"{self.path_of(property_name, number)}/{name}", document)
        self.print(answer, as_json=as_json)

    def write(self, property_name: str, number: int, output: Path) -> None:
        """Write a document's file as it was prepared."""
        with client_of(self.service) as client:
            found = client.read_bytes(f"{self.path_of(property_name, number)}/file")
        write_bytes(found, output, "xml", readable=True)

    def print(self, document: Mapping[str, Any], *, as_json: bool) -> None:
        """Print a document, without personal data."""
        if as_json:
            print_json(document)
        else:
            self.show(document)
