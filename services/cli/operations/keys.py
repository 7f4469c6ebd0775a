"""`pitledger keys`: create the services' keys; read public keys for verification."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from services.cli.exits import UsageWrong
from services.cli.output import message
from services.cli.services import NAMES
from shared.journal.archive.manifest import ARCHIVE
from shared.journal.cosignature import Quorum, WitnessKey
from shared.journal.signed_batch import signer_name
from shared.journal.signed_note import CheckpointError, Signer, Verifier
from shared.runtime.sealing import new_wrapping_key
from shared.runtime.settings import Settings

VERIFIERS: Final = "verifiers.txt"
"""The file of the public keys of all services, in the directory of their private keys."""

PATRON_KEYS: Final = "patron-keys.txt"
"""The file of the keys that wrap patrons' keys, in the directory of the services' private keys."""

WRAPPING_KEYS: Final[Mapping[str, str]] = {
    "wagering-accounts": PATRON_KEYS,
    "suspicious-activity": "suspicious-activity-keys.txt",
}
"""The file of wrapping keys for each service that stores personal data; no other service receives the file."""

Keys = Annotated[
    list[str] | None,
    typer.Option(
        "--key", metavar="KEY|FILE", help="Verifier key (public), or a file with one per line; may be repeated."
    ),
]


Witnesses = Annotated[
    list[str] | None,
    typer.Option(
        "--witness", metavar="KEY|FILE", help="Verifier key of a witness, or a file with one per line; may be repeated."
    ),
]
Required = Annotated[
    int | None, typer.Option("--witnesses", min=1, help="Number of witnesses that must have cosigned each checkpoint.")
]


def read_verifiers(keys: Sequence[str]) -> list[Verifier]:
    """Return the verifiers from keys and key files. Raises: UsageWrong, naming the invalid key."""
    try:
        return [Verifier.from_string(line) for line in _lines(keys)]
    except CheckpointError as error:
        raise UsageWrong(f"--key: {error}") from error


def _lines(keys: Sequence[str]) -> list[str]:
    """Return the given keys, with each name of a key file replaced by the file's nonempty lines."""
    lines: list[str] = []
    for key in keys:
        try:
            lines.extend(line for line in Path(key).read_text().splitlines() if line.strip())
        except (OSError, UnicodeDecodeError):
            lines.append(key)  # no file of that name: the key itself
    return lines


def quorum_of(found: Settings, witnesses: Sequence[str], required: int | None) -> Quorum | None:
    """Return the quorum of the witnesses in the options, or else in the settings; None if neither names witnesses.

    Raises: UsageWrong for an invalid witness key, or if more are required than are known.
    """
    named = witnesses or ([] if found.witnesses_file is None else [str(found.witnesses_file)])
    if not named:
        if required is not None:
            raise UsageWrong("--witnesses: of which? give --witness, or PITLEDGER_WITNESSES_FILE")
        return None
    try:
        keys = [WitnessKey.from_string(line.split()[0]) for line in _lines(named) if not line.startswith("#")]
        return Quorum(keys, required or (1 if witnesses else found.witnesses_required))
    except CheckpointError as error:
        raise UsageWrong(f"--witness: {error}") from error


def key_file(directory: Path, service: str) -> Path:
    """Return the path of a service's private key file."""
    return directory / f"{service}.pem"


def write_keys(directory: Path, services: Sequence[str]) -> list[str]:
    """Create missing keys of services, and add their public keys to the list.

    Public keys of removed private keys stay in the list, so that old signatures can be verified. Return the services
    with new keys.
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


def write_wrapping_keys(path: Path, text: str) -> None:
    """Write a wrapping key file atomically, readable by its owner only."""
    new = path.with_name(f".{path.name}.new")
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
    new.replace(path)


def write_patron_keys(directory: Path) -> None:
    """Create the keys that wrap patrons' keys and files' keys, unless they exist; readable by their owner only."""
    for name in WRAPPING_KEYS.values():
        path = directory / name
        if not path.exists():
            write_wrapping_keys(path, new_wrapping_key("k1"))


def keys(directory: Annotated[Path, typer.Argument(help="Directory of the keys; created if missing.")]) -> None:
    """Create the services' signing keys, and the list of their public keys.

    Each service has its own key, DIRECTORY/SERVICE.pem; the archiver signs manifests with DIRECTORY/archive.pem.
    Existing keys are kept. The public keys are added to DIRECTORY/verifiers.txt, which all services may read. To
    replace a key, move its file away and run this command again: the former public key stays in the list, so that old
    signatures can be verified.

    DIRECTORY/patron-keys.txt has the key that wraps patrons' keys, for wagering-accounts only.
    DIRECTORY/suspicious-activity-keys.txt has the key that wraps file keys, for suspicious-activity only. To replace a
    wrapping key, see `pitledger patron-keys`.

    Example: pitledger keys /etc/pitledger/keys
    """
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = write_keys(directory, (*NAMES, ARCHIVE))
        write_patron_keys(directory)
    except (CheckpointError, OSError) as error:
        raise UsageWrong(f"{directory}: {error}") from error
    message(f"new keys: {', '.join(made) or 'none'}; the public halves are in {directory / VERIFIERS}")
