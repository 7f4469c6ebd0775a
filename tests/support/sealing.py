"""The seals of the services of a test process: one key each, as long as the process lives."""

from functools import cache
from pathlib import Path

from shared.journal.shard import Seals
from shared.journal.signed_batch import signer_name
from shared.journal.signed_note import Signer


@cache
def sealing_key(service: str) -> Signer:
    """The key of a service."""
    return Signer.generate(signer_name(service))


def write_key(service: str, path: Path) -> Path:
    """Write the key of a service into a file, as settings name it."""
    sealing_key(service).to_pem(path)
    return path


def seals_of(service: str, *former: Signer, signer: Signer | None = None) -> Seals:
    """What one process of a service seals with, which knows former keys of the service."""
    key = signer or sealing_key(service)
    return Seals(key.name, [key.verifier, *(each.verifier for each in former)], key)
