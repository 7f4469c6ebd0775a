"""`pitledger submissions export`, `verify` and `import`: exchange approved submissions in files with proofs."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer
from pydantic import ValidationError

from services.cli.books.verify_proof import entry_of
from services.cli.client import client_of
from services.cli.documents import read_bytes
from services.cli.exits import CheckFailed, InputRefused, NotFound, UsageWrong
from services.cli.operations.keys import Keys, read_verifiers
from services.cli.output import AsJson, heading, message, names, numbers, print_json, show, table
from services.paytable_registry.domain.exports import SubmissionsExport, versions_of
from services.paytable_registry.domain.submissions import SubmissionVersion
from shared.contracts.envelope import as_json, canonical
from shared.contracts.json_text import MemberTwice, read_model
from shared.contracts.submissions import RulesSubmission
from shared.journal.checkpoint import checkpoint_origin
from shared.journal.merkle import EvidenceError
from shared.journal.proof import verify_document
from shared.journal.signed_note import Verifier

_REGISTRY = "paytable-registry"


@dataclass(frozen=True, slots=True)
class Proven:
    """The content of a verified export: submission versions, and the log name and size of the export's checkpoint."""

    property: str
    game: str
    versions: Sequence[SubmissionVersion]
    log: str
    log_size: int


def read_export(file: str, keys: Sequence[str] | None) -> Proven:
    """Verify an export, and return its content.

    Raises: UsageWrong without a key; InputRefused for a malformed export; CheckFailed for an invalid proof or
    inconsistent facts.
    """
    if not keys:
        raise UsageWrong("--key is missing: give the verifier key of the registry, or a file with it")
    return proven_in(file, read_bytes(file), read_verifiers(keys))


def proven_in(file: str, raw: bytes, verifiers: Sequence[Verifier]) -> Proven:
    """Verify the bytes of an export and return its content. Raises: InputRefused, CheckFailed."""
    try:
        export = read_model(SubmissionsExport, raw)
    except MemberTwice as error:
        raise InputRefused(f"{file}: no export of submissions: {error}") from None
    except ValidationError as error:
        place = ".".join(map(str, error.errors(include_url=False)[0]["loc"])) or "JSON"
        raise InputRefused(f"{file}: no export of submissions: {place}: {error.errors()[0]['msg']}") from None
    try:
        proven = [verify_document(one.model_dump_json(), verifiers) for one in export.proofs]
        entries = [entry_of(one) for one in proven]
        logs = {one["log"] for one in entries}
        if len(logs) != 1 or not all(log.startswith(checkpoint_origin(_REGISTRY, "")) for log in logs):
            raise EvidenceError(f"its proofs are of {', '.join(sorted(logs)) or 'no log'}, not of one of {_REGISTRY}")
        facts = [(one["kind"], canonical(one["data"])) for one in sorted(entries, key=lambda one: one["seq"])]
        versions = versions_of(export.property, export.game, facts)
    except EvidenceError as error:
        raise CheckFailed(f"{file}: nothing is proven: {error}") from error
    return Proven(export.property, export.game, versions, entries[0]["log"], entries[0]["log_size"])


Export = Annotated[str, typer.Argument(metavar="FILE", help="File of the export, JSON; - for stdin.")]


def export(
    property_name: Annotated[str, typer.Argument(metavar="PROPERTY", help="The property's name.")],
    game: Annotated[str, typer.Argument(metavar="GAME", help="The licensee's name for the game.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file instead of stdout.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="No effect: the output is always JSON.")] = True,
) -> None:
    """Export the versions of a submission with their facts, hashes and proofs, under the registry's signature.

    The file can be verified with only the registry's public key.

    Example: pitledger submissions export riverside blackjack -o blackjack.json
    """
    del as_json
    path = f"/submissions/{quote(property_name, safe='')}/{quote(game, safe='')}/export"
    with client_of(_REGISTRY) as client:
        document = json.dumps(client.read(path), indent=2, ensure_ascii=False)
    if output is None:
        typer.echo(document)
    else:
        output.write_text(document + "\n")
        message(f"wrote {output}")


def verify(
    file: Export,
    keys: Keys = None,
    digest: Annotated[
        str | None,
        typer.Option(
            "--hash",
            metavar="HEX",
            help="Hash of a version, in hexadecimal; exit with 1 unless that version was approved.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Verify an export with only the public key: which hash was approved, by whom, and when.

    Example: pitledger submissions verify blackjack.json --key verifiers.txt
    """
    proven = read_export(file, keys)
    approved = [one for one in proven.versions if one.status == "approved"]
    if digest is not None and all(one.hash != digest for one in approved):
        raise CheckFailed(f"{file}: no version of {proven.game} at {proven.property} with hash {digest} was approved")
    shown = [one for one in proven.versions if digest in (None, one.hash)]
    if as_json:
        for one in shown:
            print_json(as_json_of(one))
        return
    columns = numbers("Version") + names("Status", "From", "Filed by", "Approved by", "Approved at", "Hash")
    rows = [
        [
            *(str(one.version), one.status, one.effective_from.isoformat(), one.filed_by or "", one.approved_by or ""),
            *("" if one.approved_at is None else one.approved_at.isoformat(), one.hash),
        ]
        for one in shown
    ]
    show(heading(f"Proven: {proven.game} at {proven.property}, entry {proven.log_size} of {proven.log}"))
    show(table(columns, rows))


def bring_in(
    file: Export,
    keys: Keys = None,
    version: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Version number (default: the last approved version).")
    ] = None,
    property_name: Annotated[
        str | None, typer.Option("--property", help="Property to draft it for (default: the property of the export).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Verify an export, and draft one of its versions in this installation, for filing and approval as usual.

    Example: pitledger submissions import blackjack.json --key verifiers.txt --property lakeside
    """
    proven = read_export(file, keys)
    wanted = [
        one for one in proven.versions if one.version == version or (version is None and one.status == "approved")
    ]
    if not wanted:
        what = "an approved version" if version is None else f"version {version}"
        raise NotFound(f"{file}: there is no {what} of {proven.game} at {proven.property}")
    document = {name: value for name, value in as_json_of(wanted[-1]).items() if name in RulesSubmission.model_fields}
    if property_name is not None:
        document["property"] = property_name
    with client_of(_REGISTRY) as client:
        drafted = client.do("/submissions/drafts", document)
    if as_json:
        print_json(drafted)
        return
    named = f"{drafted['property']} {drafted['game']} {drafted['version']}"
    message(f"version {wanted[-1].version} of {proven.game} at {proven.property} is drafted as {named}")
    message(f"file it: pitledger submissions file --draft {named}")


def as_json_of(version: SubmissionVersion) -> dict[str, Any]:
    """Return a version as JSON, without null members."""
    found: dict[str, Any] = as_json(version)
    return {name: value for name, value in found.items() if value is not None}
