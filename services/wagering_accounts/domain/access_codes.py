"""Access codes of patrons' wallets: stored as salted scrypt hashes, compared in constant time."""

import os
from dataclasses import dataclass
from hashlib import scrypt, sha256
from hmac import compare_digest
from typing import Final

from shared.contracts.people import canonical_person

_SALT_BYTES: Final = 16
_COST: Final = {"n": 2**14, "r": 8, "p": 1, "dklen": 32}
"""The cost parameters of scrypt: 16 MiB of memory and some hundredths of a second per guess."""


@dataclass(frozen=True, slots=True)
class HashedCode:
    """A hashed code, stored or given: its salt (16 bytes) and hash (32 bytes).

    A stored code has the service's `signature`, which binds it to its patron and to its `number`: the patron's first
    code has number 1.
    """

    salt: bytes
    hash: bytes
    number: int = 0
    signature: bytes | None = None

    def matches(self, kept: "HashedCode") -> bool:
        """Return whether the given code is the stored one, both hashed with the same salt."""
        assert self.salt == kept.salt, "hashes under different salts say nothing about each other"
        return compare_digest(self.hash, kept.hash)


@dataclass(frozen=True, slots=True)
class GivenCode:
    """A given code, hashed with the stored code's salt, and the stored code.

    `forged` is the reason why the stored code is not authentic; None if it is.
    """

    given: HashedCode
    kept: HashedCode
    forged: str | None = None

    @property
    def is_right(self) -> bool:
        """Return whether the given code matches the stored one."""
        return self.given.matches(self.kept)


def hash_code(code: str, salt: bytes | None = None) -> HashedCode:
    """Return the hash of a code, with a new salt unless one is given for comparison. Deliberately slow."""
    salt = os.urandom(_SALT_BYTES) if salt is None else salt
    return HashedCode(salt, scrypt(code.encode(), salt=salt, **_COST))


def fingerprint(code: str, person: str, key: str) -> str:
    """Return a fingerprint that recognizes the same code in a retry: a hash salted with the command's key."""
    return hash_code(code, sha256(f"{canonical_person(person)}\n{key}".encode()).digest()[:_SALT_BYTES]).hash.hex()
