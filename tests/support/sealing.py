"""The seals of the services of a test process: one key each, as long as the process lives."""

from functools import cache

from shared.journal.shard import Seals
from shared.journal.signed_batch import signer_name
from shared.journal.signed_note import Signer


@cache
def sealing_key(service: str) -> Signer:
    """The key of a service."""
    return Signer.generate(signer_name(service))


def seals_of(service: str, *former: Signer, signer: Signer | None = None) -> Seals:
    """What one process of a service seals with, which knows former keys of the service."""
    key = signer or sealing_key(service)
    return Seals(key.name, [key.verifier, *(each.verifier for each in former)], key)
