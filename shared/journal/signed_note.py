"""Signed notes: texts with Ed25519 signatures by named keys (https://c2sp.org/signed-note), and the keys themselves."""

import base64
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from shared.journal.merkle import EvidenceError

_ED25519 = b"\x01"
_KEY_ID_BYTES = 4
_SIGNATURE_PREFIX = "— "
_SIGNATURES_MAX = 100
_NOTE_CHARACTERS_MAX = 1_000_000
_FORBIDDEN = re.compile(r"[\x00-\x1f\ud800-\udfff]")


class CheckpointError(EvidenceError):
    """A checkpoint, its signature or its key is malformed or invalid, or it contradicts an earlier checkpoint."""


@dataclass(frozen=True, slots=True)
class Verifier:
    """A named public key, with which outsiders verify checkpoints."""

    name: str
    key: Ed25519PublicKey

    def __post_init__(self) -> None:
        check_name(self.name)

    @property
    def key_id(self) -> bytes:
        """Return the first four bytes of SHA-256 over name, newline, algorithm and public key."""
        return key_id_of(self.name, _ED25519, self.key)

    def __str__(self) -> str:
        """Return the verifier key as published: `<name>+<key id in hex>+<base64 of algorithm and public key>`."""
        return key_text(self.name, _ED25519, self.key)

    @classmethod
    def from_string(cls, text: str) -> Self:
        """Parse a verifier from the text form of `str()` or of another tool that follows the standard.

        Raises: CheckpointError if it is malformed, of another algorithm, or if its key id does not match the key.
        """
        return cls(*read_key(text, _ED25519))


def key_id_of(name: str, algorithm: bytes, key: Ed25519PublicKey) -> bytes:
    """Return the first four bytes of SHA-256 over name, newline, algorithm and public key."""
    return sha256(name.encode() + b"\n" + algorithm + key.public_bytes_raw()).digest()[:_KEY_ID_BYTES]


def key_text(name: str, algorithm: bytes, key: Ed25519PublicKey) -> str:
    """Return a public key as published: `<name>+<key id in hex>+<base64 of algorithm and public key>`."""
    encoded = base64.b64encode(algorithm + key.public_bytes_raw()).decode()
    return f"{name}+{key_id_of(name, algorithm, key).hex()}+{encoded}"


def read_key(text: str, algorithm: bytes) -> tuple[str, Ed25519PublicKey]:
    """Parse name and public key from the text form of `key_text` or of another tool that follows the standard.

    Raises: CheckpointError if it is malformed, of another algorithm, or if its key id does not match the key.
    """
    parts = text.strip().split("+", 2)  # base64 may contain a plus, too
    if len(parts) != 3:
        raise CheckpointError(f"verifier key {text!r}: expected <name>+<key id>+<key>")
    name, key_id, encoded = parts
    check_name(name)
    key = decode_base64(encoded, f"verifier key {name!r}")
    if key[:1] != algorithm or len(key) != 33:
        raise CheckpointError(f"verifier key {name!r}: not an Ed25519 key (algorithm {algorithm[0]} and 32 bytes)")
    public = Ed25519PublicKey.from_public_bytes(key[1:])
    if key_id_of(name, algorithm, public).hex() != key_id:
        raise CheckpointError(f"verifier key {name!r}: key id {key_id!r} is not that of the key; ask for it again")
    return name, public


@dataclass(frozen=True, slots=True)
class Signer:
    """A named private key. It signs checkpoints whose origin is the key's name or a path below that name."""

    name: str
    key: Ed25519PrivateKey = field(repr=False)

    def __post_init__(self) -> None:
        check_name(self.name)

    @property
    def verifier(self) -> Verifier:
        """Return the public key with the name."""
        return Verifier(self.name, self.key.public_key())

    @classmethod
    def generate(cls, name: str) -> Self:
        """Return a new random key with this name."""
        return cls(name, Ed25519PrivateKey.generate())

    @classmethod
    def from_pem(cls, path: Path, name: str) -> Self:
        """Read a key from an unencrypted PKCS #8 PEM file, which does not contain the name.

        Raises: CheckpointError if the file has no Ed25519 private key, OSError if it cannot be read.
        """
        try:
            key = serialization.load_pem_private_key(path.read_bytes(), password=None)
        except (ValueError, TypeError) as error:
            raise CheckpointError(f"signing key {path}: not an unencrypted private key in PEM ({error})") from error
        if not isinstance(key, Ed25519PrivateKey):
            raise CheckpointError(f"signing key {path}: {type(key).__name__} is not an Ed25519 key")
        return cls(name, key)

    def to_pem(self, path: Path) -> None:
        """Write the key as unencrypted PKCS #8 PEM, readable by its owner only. Raises: FileExistsError."""
        pem = self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(pem)


def signed_note(text: str, *signers: Signer) -> str:
    """Sign a text, which must end with a newline; return the note with a signature by each signer."""
    lines: list[str] = []
    for signer in signers:
        signature = signer.verifier.key_id + signer.key.sign(text.encode())
        lines.append(signature_line(signer.name, signature))
    return f"{text}\n{''.join(lines)}"


def signature_line(name: str, signature: bytes) -> str:
    """Return the signature line for `signature` (key id and signature) by the key of this name."""
    return f"{_SIGNATURE_PREFIX}{name} {base64.b64encode(signature).decode()}\n"


def open_signed_text(note: str, verifiers: Iterable[Verifier]) -> tuple[str, list[str]]:
    """Verify a signed note; return its text, and the names of the known keys that signed it (at least one).

    Signatures by unknown keys are ignored, as the standard requires; all signatures by known keys must be valid.
    Raises: CheckpointError if the note is malformed, has no signature by a known key, or an invalid one.
    """
    text, signatures = split_note(note)
    known = {(verifier.name, verifier.key_id): verifier for verifier in verifiers}
    names: list[str] = []
    for name, signature in signatures:
        verifier = known.get((name, signature[:_KEY_ID_BYTES]))
        if verifier is None:
            continue
        try:
            verifier.key.verify(signature[_KEY_ID_BYTES:], text.encode())
        except InvalidSignature as error:
            raise CheckpointError(f"note: the signature of {name!r} does not match; the note was altered") from error
        names.append(name)
    if not names:
        raise CheckpointError(
            f"note: signed by {[name for name, _ in signatures]}, by none of the known keys "
            f"{[str(verifier) for verifier in known.values()]}; give the key of its signer"
        )
    return text, names


def decode_base64(text: str, what: str) -> bytes:
    """Decode standard base64. Raises: CheckpointError for other text, or a non-canonical encoding."""
    try:
        value = base64.b64decode(text, validate=True)
    except ValueError as error:
        raise CheckpointError(f"{what}: {text!r} is not base64") from error
    if base64.b64encode(value).decode() != text:
        raise CheckpointError(f"{what}: {text!r} is not base64 in its canonical form")
    return value


def split_note(note: str) -> tuple[str, list[tuple[str, bytes]]]:
    """Split a signed note into its text, and the name and the bytes (key id and signature) of each signature."""
    if len(note) > _NOTE_CHARACTERS_MAX:
        raise CheckpointError(f"note: {len(note)} characters are more than {_NOTE_CHARACTERS_MAX}")
    for line in note.split("\n"):
        check_characters(line)
    text, separator, signatures = note.rpartition("\n\n")
    if not separator or not signatures.endswith("\n"):
        raise CheckpointError("note: needs a text, an empty line, and signature lines that end with a newline")
    lines = signatures[:-1].split("\n")
    if len(lines) > _SIGNATURES_MAX:
        raise CheckpointError(f"note: {len(lines)} signatures are more than {_SIGNATURES_MAX}")
    return text + "\n", list(_read_signatures(lines))


def _read_signatures(lines: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    for line in lines:
        name, _, encoded = line.removeprefix(_SIGNATURE_PREFIX).partition(" ")
        if not line.startswith(_SIGNATURE_PREFIX) or not encoded:
            raise CheckpointError(f"note: {line!r} is not a signature line (— <name> <base64>)")
        check_name(name)
        signature = decode_base64(encoded, f"signature of {name!r}")
        if len(signature) <= _KEY_ID_BYTES:
            raise CheckpointError(f"note: the signature of {name!r} has only {len(signature)} bytes")
        yield name, signature


def check_name(name: str) -> None:
    """Raise CheckpointError for an invalid key name."""
    check_characters(name)
    if not name or "+" in name or any(character.isspace() for character in name):
        raise CheckpointError(f"key name {name!r}: must not be empty nor hold a space or a plus")


def check_characters(line: str) -> None:
    """Raise CheckpointError for a line with control characters, or without a UTF-8 encoding."""
    if _FORBIDDEN.search(line):
        raise CheckpointError(f"{line!r} holds a control character or half a surrogate pair")
