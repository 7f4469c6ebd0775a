"""Encrypt personal data with a key of its own, a patron's or a file's, and wrap that key: AES-256-GCM, random nonces.

Destroying such a key destroys all data encrypted with it, wherever copies exist. The key itself is stored wrapped
by a key that is not in the database.
"""

import os
from base64 import b64decode, b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from shared.contracts.rejection import Reason, Rejected

_NONCE_BYTES: Final = 12
_KEY_BYTES: Final = 32


class SealError(Exception):
    """Encrypted data cannot be decrypted, or the wrapping keys are invalid. The message contains no data."""


@dataclass(frozen=True, slots=True)
class PatronKey:
    """The key of one patron, or of one file; `about` identifies it, and is authenticated with all data."""

    about: str
    key: bytes

    @classmethod
    def new(cls, about: str) -> Self:
        """Return a new key."""
        return cls(about, os.urandom(_KEY_BYTES))

    def __repr__(self) -> str:
        """Return the patron, without the key."""
        return f"PatronKey({self.about!r})"

    def seal(self, text: str, what: str) -> str:
        """Return a text encrypted for one purpose and patron; it cannot be decrypted for any other."""
        sealed = _encrypt(self.key, text.encode(), f"{self.about} {what}")
        return urlsafe_b64encode(sealed).decode().rstrip("=")

    def open(self, sealed: str, what: str) -> str:
        """Decrypt a text. Raises: SealError."""
        padded = sealed + "=" * (-len(sealed) % 4)
        try:
            ciphertext = urlsafe_b64decode(padded)
        except ValueError as error:
            raise SealError(f"what is sealed of {self.about} is not what was sealed") from error
        return _decrypt(self.key, ciphertext, f"{self.about} {what}").decode()


@dataclass(frozen=True, slots=True)
class WrappingKeys:
    """The keys that wrap patrons' keys, by name; `current` is the one in use, the others only unwrap."""

    current: str
    by_name: Mapping[str, bytes]

    def __repr__(self) -> str:
        """Return the names of the keys, without the keys."""
        return f"WrappingKeys({', '.join(self.by_name)})"

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return the keys in a file, `NAME BASE64` per line, the one in use first. Raises: SealError, OSError."""
        found: dict[str, bytes] = {}
        for line in filter(str.strip, path.read_text(encoding="ascii", errors="replace").splitlines()):
            name, _, text = line.strip().partition(" ")
            try:
                found[name] = b64decode(text, validate=True)
            except ValueError:
                found[name] = b""
            if len(found[name]) != _KEY_BYTES:
                raise SealError(f"{path}: a line must be a name and {_KEY_BYTES} bytes in base64")
        if not found:
            raise SealError(f"{path}: no key is in it")
        return cls(next(iter(found)), found)

    def wrap(self, patron: PatronKey) -> tuple[str, bytes]:
        """Return the name of the key in use, and a patron's key wrapped by it."""
        return self.current, _encrypt(self.by_name[self.current], patron.key, patron.about)

    def unwrap(self, about: str, wrapped_by: str, wrapped: bytes) -> PatronKey:
        """Return the key of a patron. Raises: SealError if its wrapping key is missing or wrong."""
        if wrapped_by not in self.by_name:
            raise SealError(f"a patron's key is wrapped by {wrapped_by}, which is not among the keys")
        return PatronKey(about, _decrypt(self.by_name[wrapped_by], wrapped, about))


def wrapping_keys(path: Path | None) -> WrappingKeys:
    """Return the wrapping keys, reread in case they have changed. Raises: Rejected if they are missing."""
    try:
        if path is not None:
            return WrappingKeys.read(path)
    except (OSError, SealError) as error:
        raise Rejected(Reason.NOT_READY, "the keys that open personal data cannot be read") from error
    raise Rejected(Reason.NOT_READY, "this service was not given the keys that open personal data")


def new_wrapping_key(name: str) -> str:
    """Return a line with a new key for the file that `WrappingKeys.read` reads."""
    return f"{name} {b64encode(os.urandom(_KEY_BYTES)).decode()}\n"


def about_patron(property_name: str, patron: str) -> str:
    """Return the identifier of a patron: `riverside/p-1`."""
    return f"{property_name}/{patron}"


def about_file(property_name: str, sha256: str) -> str:
    """Return the identifier of a file that is filed, by the hash of its content."""
    return f"{property_name}/files/{sha256}"


def _encrypt(key: bytes, plain: bytes, about: str) -> bytes:
    nonce = os.urandom(_NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, plain, about.encode())


def _decrypt(key: bytes, sealed: bytes, about: str) -> bytes:
    try:
        return AESGCM(key).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], about.encode())
    except (InvalidTag, ValueError) as error:
        raise SealError(f"what is sealed of {about} is not what was sealed") from error
