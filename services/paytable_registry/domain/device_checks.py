"""Validate the signing keys of a property's devices and systems when it is filed. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator

from shared.contracts.devices import DeviceKey
from shared.contracts.properties import PropertyDocument
from shared.contracts.property_snapshot import signers_of


def key_problems(wanted: PropertyDocument) -> Iterator[str]:
    """Yield the faults of a property's keys that are evident from this version of the property alone."""
    signers = signers_of(wanted)
    for what, values in (
        ("key", (signer.key.kid for signer in signers)),
        ("public key", (signer.key.public_key for signer in signers)),
        ("system", (system.system for system in wanted.systems)),
    ):
        for value, count in Counter(values).items():
            if count > 1:
                yield f"{what} {value!r} is listed {count} times; each has one of its own"
    tables = {table.table for table in wanted.tables}
    for system in wanted.systems:
        for name in system.tables:
            if name not in tables:
                yield f"system {system.system}: table {name!r} is not among the tables"
    required_from = wanted.signatures_required_from
    if required_from is None:
        return
    good = [
        signer
        for signer in signers
        if signer.key.revoked_at is None
        and (signer.key.valid_until is None or max(required_from, wanted.effective_from) < signer.key.valid_until)
    ]
    for table in wanted.tables:
        if table.retired_on is None and not any(
            signer.tables is None or table.table in signer.tables for signer in good
        ):
            yield (
                f"table {table.table}: signatures are required from {required_from.isoformat()} on, and nobody has a "
                "key that speaks for it then: add one to a device of the table, or to a system"
            )


def changed_keys(wanted: PropertyDocument, before: Iterable[DeviceKey]) -> Iterator[str]:
    """Yield a fault for each key whose public key differs from approved versions, or whose revocation is undone.

    `before` has the keys of the approved versions.
    """
    now = {signer.key.kid: signer.key for signer in signers_of(wanted)}
    said = set()
    for key in before:
        again = now.get(key.kid)
        if again is None:
            continue
        if again.public_key != key.public_key:
            said.add(f"key {key.kid!r} had another public key in an approved version: name the new one otherwise")
        if key.revoked_at is not None and (again.revoked_at is None or again.revoked_at > key.revoked_at):
            said.add(f"key {key.kid!r} was revoked at {key.revoked_at.isoformat()}, and stays so: make a new one")
    yield from sorted(said)
