"""Cosignatures: a witness confirms the time at which it saw a checkpoint as the latest of an append-only log.

They follow https://c2sp.org/tlog-cosignature with Ed25519: a signature line of a signed note, by a key of algorithm 4,
over the time and the text of the note. The checks of a witness before it cosigns are in `witness.py`.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from shared.journal.signed_note import (
    CheckpointError,
    Signer,
    check_name,
    key_id_of,
    key_text,
    read_key,
    signature_line,
    split_note,
)

_COSIGNATURE: Final = b"\x04"
_KEY_ID_BYTES: Final = 4
_TIME_BYTES: Final = 8
_TIME_LIMIT: Final = 2**63


@dataclass(frozen=True, slots=True)
class WitnessKey:
    """The public key of a witness, with its name."""

    name: str
    key: Ed25519PublicKey

    def __post_init__(self) -> None:
        check_name(self.name)

    @property
    def key_id(self) -> bytes:
        """Return the key id in signature lines (4 bytes)."""
        return key_id_of(self.name, _COSIGNATURE, self.key)

    @classmethod
    def of(cls, signer: Signer) -> Self:
        """Return the public key of a witness's signer."""
        return cls(signer.name, signer.key.public_key())

    @classmethod
    def from_string(cls, text: str) -> Self:
        """Parse a key from the text form of `str()` or of another conforming tool. Raises: CheckpointError."""
        return cls(*read_key(text, _COSIGNATURE))

    def __str__(self) -> str:
        """Return the key as published: `<name>+<key id in hex>+<base64 of algorithm and public key>`."""
        return key_text(self.name, _COSIGNATURE, self.key)


@dataclass(frozen=True, slots=True)
class Quorum:
    """The trusted witnesses, and the number of them that must have cosigned a checkpoint.

    A witness counts once, by its name, even if it has two keys during a key rotation.
    """

    witnesses: Sequence[WitnessKey]
    required: int

    def __post_init__(self) -> None:
        owners: dict[bytes, str] = {}
        for witness in self.witnesses:
            name = owners.setdefault(witness.key.public_bytes_raw(), witness.name)
            if name != witness.name:
                raise CheckpointError(f"witnesses {name!r} and {witness.name!r} have one key: they are one witness")
        known = len({witness.name for witness in self.witnesses})
        if not 1 <= self.required <= known:
            raise CheckpointError(f"{self.required} of {known} witnesses: require from 1 to {known}")

    def lacking(self, note: str) -> str:
        """Return the problem if a note has too few cosignatures; empty if it has enough. Raises: CheckpointError."""
        seen = cosigned(note, self.witnesses)
        if len(seen) >= self.required:
            return ""
        return f"cosigned by {', '.join(sorted(seen)) or 'no witness'}, {self.required} must have"


def cosignature(body: str, signer: Signer, at: int) -> str:
    """Return a witness's cosignature line for the text of a checkpoint; `at` is in seconds since 1970."""
    signature = signer.key.sign(_message(body, at))
    return signature_line(signer.name, WitnessKey.of(signer).key_id + at.to_bytes(_TIME_BYTES, "big") + signature)


def cosigned(note: str, witnesses: Iterable[WitnessKey]) -> Mapping[str, int]:
    """Return witness name -> time of its latest cosignature of a note, in seconds since 1970.

    Signatures by other keys are ignored. Raises: CheckpointError if the note is malformed or a cosignature is invalid.
    """
    body, signatures = split_note(note)
    known = {(witness.name, witness.key_id): witness for witness in witnesses}
    seen: dict[str, int] = {}
    for name, signature in signatures:
        witness = known.get((name, signature[:_KEY_ID_BYTES]))
        if witness is None:
            continue
        rest = signature[_KEY_ID_BYTES:]
        at = int.from_bytes(rest[:_TIME_BYTES], "big")
        try:
            witness.key.verify(rest[_TIME_BYTES:], _message(body, at))
        except InvalidSignature as error:
            raise CheckpointError(f"note: the cosignature of {name!r} does not match; the note was altered") from error
        if not 0 < at < _TIME_LIMIT:
            raise CheckpointError(f"note: the cosignature of {name!r} is of no moment: {at}")
        seen[name] = max(at, seen.get(name, 0))
    return seen


def lines_of(answer: str, note: str, witnesses: Collection[WitnessKey]) -> list[str]:
    """Return the verified cosignature lines in a witness's answer; lines of other keys are ignored.

    Raises: CheckpointError if a cosignature is invalid, or if the answer has no cosignature.
    """
    lines = [line for line in answer.splitlines(keepends=True) if cosigned(f"{split_note(note)[0]}\n{line}", witnesses)]
    if not lines:
        raise CheckpointError(f"the answer holds no cosignature of {sorted({each.name for each in witnesses})}")
    return lines


def _message(body: str, at: int) -> bytes:
    return f"cosignature/v1\ntime {at}\n{body}".encode()
