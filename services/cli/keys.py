"""`pitledger keys`: the keys of the services; and the public ones with which commands verify checkpoints."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from services.cli.exits import UsageWrong
from services.cli.output import message
from services.cli.services import NAMES
from shared.journal.signed_batch import signer_name
from shared.journal.signed_note import CheckpointError, Signer, Verifier

VERIFIERS: Final = "verifiers.txt"
"""The file of the public keys of all services, beside their private ones."""

Keys = Annotated[
    list[str] | None,
    typer.Option("--key", metavar="KEY|FILE", help="A verifier key, or a file with one a line; may be repeated."),
]


def read_verifiers(keys: Sequence[str]) -> list[Verifier]:
    """Return the verifiers of the keys and key files. Raises: UsageWrong, naming the one that is no key."""
    lines: list[str] = []
    for key in keys:
        try:
            lines.extend(line for line in Path(key).read_text().splitlines() if line.strip())
        except (OSError, UnicodeDecodeError):
            lines.append(key)  # no file of that name: the key itself
    try:
        return [Verifier.from_string(line) for line in lines]
    except CheckpointError as error:
        raise UsageWrong(f"--key: {error}") from error


def key_file(directory: Path, service: str) -> Path:
    """Return the file of the private key of a service."""
    return directory / f"{service}.pem"


def write_keys(directory: Path, services: Sequence[str]) -> list[str]:
    """Make the key of each service that has none there, and add the public halves to those that are known.

    The half of a key that was taken away stays: what it signed is still read. Return the services whose keys are new.
    """
    verifiers, made = directory / VERIFIERS, []
    known = verifiers.read_text().splitlines() if verifiers.exists() else []
    for service in services:
        key = key_file(directory, service)
        if not key.exists():
            Signer.generate(signer_name(service)).to_pem(key)
            made.append(service)
        known.append(str(Signer.from_pem(key, signer_name(service)).verifier))
    verifiers.write_text("".join(f"{verifier}\n" for verifier in dict.fromkeys(known)))
    return made


def keys(directory: Annotated[Path, typer.Argument(help="Where the keys are; made where it is not there.")]) -> None:
    """Make the keys with which the services sign, and the list of their public halves.

    Each service has its own, DIRECTORY/SERVICE.pem; what is there stays. The public halves are added to
    DIRECTORY/verifiers.txt, which all services may know. To replace a key take its file
    away and call this again: the former half stays in the list, because what it signed is still read.

    Example: pitledger keys /etc/pitledger/keys
    """
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = write_keys(directory, NAMES)
    except (CheckpointError, OSError) as error:
        raise UsageWrong(f"{directory}: {error}") from error
    message(f"new keys: {', '.join(made) or 'none'}; the public halves are in {directory / VERIFIERS}")
