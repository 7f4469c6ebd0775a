"""Encrypt personal data with a key per patron or file, and wrap that key (AES-256-GCM, random nonces).

Destroying such a key makes all data encrypted with it unreadable, wherever copies exist. The key is stored only
wrapped, by a key that is not in the database.
"""

import hmac
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
    """Encrypted data cannot be decrypted, or the wrapping keys are invalid. The message contains no personal data."""


@dataclass(frozen=True, slots=True)
class PatronKey:
    """The key of one patron or one file, identified by `about`; each ciphertext is also bound to `about`."""

    about: str
    key: bytes

    @classmethod
    def new(cls, about: str) -> Self:
        """Return a new random key."""
        return cls(about, os.urandom(_KEY_BYTES))

    def __repr__(self) -> str:
        """Return the identifier of the patron or file, without the key."""
        return f"PatronKey({self.about!r})"

    def seal(self, text: str, what: str) -> str:
        """Return a text encrypted for the purpose `what`; only this key can decrypt it, and only for that purpose."""
        sealed = _encrypt(self.key, text.encode(), f"{self.about} {what}")
        return urlsafe_b64encode(sealed).decode().rstrip("=")

    def open(self, sealed: str, what: str) -> str:
        """Return the decrypted text. Raises: SealError if it was encrypted with another key or for another purpose."""
        padded = sealed + "=" * (-len(sealed) % 4)
        try:
            ciphertext = urlsafe_b64decode(padded)
        except ValueError as error:
            raise SealError(f"what is sealed of {self.about} is not what was sealed") from error
        return _decrypt(self.key, ciphertext, f"{self.about} {what}").decode()

    def digest(self, text: str) -> bytes:
        """Return a keyed digest (HMAC-SHA-256) of a text, by which encrypted texts can be compared for equality."""
        return hmac.digest(self.key, text.encode(), "sha256")


@dataclass(frozen=True, slots=True)
class WrappingKeys:
    """The keys, by name, that wrap the keys of patrons and files. Only `current` wraps; the others only unwrap."""

    current: str
    by_name: Mapping[str, bytes]

    def __repr__(self) -> str:
        """Return the names of the keys, without the keys."""
        return f"WrappingKeys({', '.join(self.by_name)})"

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return the keys in a file: `NAME BASE64` per line, the current key first. Raises: SealError, OSError."""
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
        """Return the name of the current wrapping key, and the patron's or file's key wrapped by it."""
        return self.current, _encrypt(self.by_name[self.current], patron.key, patron.about)

    def unwrap(self, about: str, wrapped_by: str, wrapped: bytes) -> PatronKey:
        """Return the unwrapped key of a patron or file. Raises: SealError if its wrapping key is missing or wrong."""
        if wrapped_by not in self.by_name:
            raise SealError(f"a patron's key is wrapped by {wrapped_by}, which is not among the keys")
        return PatronKey(about, _decrypt(self.by_name[wrapped_by], wrapped, about))


def wrapping_keys(path: Path | None) -> WrappingKeys:
    """Return the wrapping keys, read from the file again because they may have changed. Raises: Rejected."""
    try:
        if path is not None:
            return WrappingKeys.read(path)
    except (OSError, SealError) as error:
        raise Rejected(Reason.NOT_READY, "the keys that open personal data cannot be read") from error
    raise Rejected(Reason.NOT_READY, "this service was not given the keys that open personal data")


def new_wrapping_key(name: str) -> str:
    """Return a line with a new random key, for the file that `WrappingKeys.read` reads."""
    return f"{name} {b64encode(os.urandom(_KEY_BYTES)).decode()}\n"


def about_patron(property_name: str, patron: str) -> str:
    """Return the identifier of a patron: `riverside/p-1`."""
    return f"{property_name}/{patron}"


def about_file(property_name: str, sha256: str) -> str:
    """Return the identifier of a filed document's file, by the SHA-256 of its content."""
    return f"{property_name}/files/{sha256}"


def _encrypt(key: bytes, plain: bytes, about: str) -> bytes:
    nonce = os.urandom(_NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, plain, about.encode())


def _decrypt(key: bytes, sealed: bytes, about: str) -> bytes:
    try:
        return AESGCM(key).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], about.encode())
    except (InvalidTag, ValueError) as error:
        raise SealError(f"what is sealed of {about} is not what was sealed") from error
