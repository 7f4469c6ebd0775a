"""The codes with which patrons reach their wallets: kept as salted scrypt hashes, compared in constant time."""

import os
from dataclasses import dataclass
from hashlib import scrypt, sha256
from hmac import compare_digest
from typing import Final

_SALT_BYTES: Final = 16
_COST: Final = {"n": 2**14, "r": 8, "p": 1, "dklen": 32}
"""16 MiB and some hundredths of a second for each guess."""


@dataclass(frozen=True, slots=True)
class HashedCode:
    """A code as it is kept or was given: its salt (16 bytes) and hash (32 bytes).

    Where it is kept, `signature` is that of the service, by which it is bound to its patron, and to its `number`: it is
    the first, second ... code of the patron.
    """

    salt: bytes
    hash: bytes
    number: int = 0
    signature: bytes | None = None

    def matches(self, kept: "HashedCode") -> bool:
        """Return whether the code that was given is the one that is kept; both are hashed with the same salt."""
        assert self.salt == kept.salt, "hashes under different salts say nothing about each other"
        return compare_digest(self.hash, kept.hash)


@dataclass(frozen=True, slots=True)
class GivenCode:
    """A code that somebody gave, hashed as the one that was kept then; `forged`: why the service did not keep that."""

    given: HashedCode
    kept: HashedCode
    forged: str | None = None

    @property
    def is_right(self) -> bool:
        """Return whether it is the one that was kept."""
        return self.given.matches(self.kept)


def hash_code(code: str, salt: bytes | None = None) -> HashedCode:
    """Return the hash of a code; with a new salt unless it is compared with one that has a salt. Takes a while."""
    salt = os.urandom(_SALT_BYTES) if salt is None else salt
    return HashedCode(salt, scrypt(code.encode(), salt=salt, **_COST))


def fingerprint(code: str, person: str, key: str) -> str:
    """Return what tells whether a command that is sent again has the same code: a hash salted with its own key."""
    return hash_code(code, sha256(f"{person}\n{key}".encode()).digest()[:_SALT_BYTES]).hash.hex()
