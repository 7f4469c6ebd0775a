"""`pitledger devices`: the keys with which devices sign their tables' events."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from pydantic import ValidationError

from services.cli.exits import UsageWrong
from services.cli.moments import moment_of
from services.cli.output import AsJson, message, print_json, print_line
from shared.contracts.device_signatures import encoded_key, thumbprint
from shared.contracts.devices import DeviceKey
from shared.contracts.envelope import as_json as document_of
from shared.journal.signed_note import CheckpointError, Signer

app = typer.Typer()


@app.command()
def key(
    private_key: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File of the device's private key, PEM; created if missing."),
    ] = None,
    public_key: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File of the public key of a device that generated its own key pair, PEM."),
    ] = None,
    kid: Annotated[
        str | None, typer.Option(help="ID of the key in the property document (default: its RFC 7638 thumbprint).")
    ] = None,
    valid_from: Annotated[
        str | None, typer.Option(metavar="MOMENT", help="Start of validity, ISO 8601 with UTC offset (default: now).")
    ] = None,
    valid_until: Annotated[
        str | None, typer.Option(metavar="MOMENT", help="End of validity, ISO 8601 with UTC offset (default: none).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the registration of a device's key, for the property's document; create the key if it does not exist.

    Copy the printed line into the property document, under `signing_keys` of a device or a system, beside `signs`. A
    private key should exist only on its device: preferably the device creates the pair, and only the public key is
    copied here.

    Example: pitledger devices key --public-key bj-01.pub.pem --kid BJ-01-terminal
    Example: pitledger devices key --private-key gateway.pem --valid-until 2027-12-31T00:00:00Z
    """
    if (private_key is None) == (public_key is None):
        raise UsageWrong("--private-key or --public-key: give one of them")
    public = _own(private_key) if private_key is not None else _of_device(public_key)
    begins = datetime.now(UTC).replace(microsecond=0) if valid_from is None else moment_of("--valid-from", valid_from)
    try:
        registered = DeviceKey(
            kid=kid or thumbprint(public),
            public_key=encoded_key(public),
            valid_from=begins,
            valid_until=None if valid_until is None else moment_of("--valid-until", valid_until),
        )
    except ValidationError as error:
        [first, *_] = error.errors(include_url=False)
        raise UsageWrong(f"{'.'.join(map(str, first['loc'])) or 'key'}: {first['msg']}") from error
    said = document_of(registered)
    if as_json:
        print_json(said)
    else:
        members = ", ".join(f'{name}: "{value}"' for name, value in said.items())
        print_line(f"- {{{members}}}")


def _own(path: Path) -> Ed25519PublicKey:
    try:
        if not path.exists():
            Signer.generate(path.stem).to_pem(path)
            message(f"made {path}: whoever has it speaks for the tables of the device")
        return Signer.from_pem(path, path.stem).key.public_key()
    except (CheckpointError, OSError) as error:
        raise UsageWrong(f"--private-key {path}: {error}") from error


def _of_device(path: Path | None) -> Ed25519PublicKey:
    assert path is not None
    try:
        found = load_pem_public_key(path.read_bytes())
    except (OSError, ValueError) as error:
        raise UsageWrong(f"--public-key {path}: {error}") from error
    if not isinstance(found, Ed25519PublicKey):
        raise UsageWrong(f"--public-key {path}: {type(found).__name__} is not an Ed25519 key")
    return found
