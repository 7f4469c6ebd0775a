"""Device signatures of events: a detached JSON Web Signature in a Kafka header of the record.

The signature is a JWS in compact form with an empty payload (RFC 7515, appendix F) over the unmodified bytes of the
value (RFC 7797, `b64` false), by Ed25519 (RFC 8037). Its protected header has exactly five members: `alg`, `kid`,
`b64`, `crit`, and `topic`, the Kafka topic for which the event was signed. The value names table and property in its
source, which is the record's key; so everything that determines an event's meaning is signed.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Final, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from shared.contracts.envelope import canonical
from shared.contracts.json_text import members_once

HEADER: Final = "pitledger-device-signature"
"""The Kafka header with the signature."""

ALGORITHMS: Final = ("Ed25519", "EdDSA")
"""Names of the one algorithm: that of RFC 9864, and the older one of RFC 8037, which many libraries still use."""

_MEMBERS: Final = {"alg", "kid", "b64", "crit", "topic"}
_SIGNATURE_BYTES: Final = 64
_BYTES_MAX: Final = 2048
_REMEMBERED: Final = 10_000


class BadSignature(ValueError):
    """The header is not a valid signature of the event."""


@dataclass(frozen=True, slots=True)
class DeviceSignature:
    """A signature as sent: the claimed key id, the signed topic, the protected header and the signature itself."""

    kid: str
    topic: str
    protected: bytes
    signature: bytes

    @classmethod
    def read(cls, header: bytes) -> Self:
        """Parse the signature in a Kafka header, without verifying it. Raises: BadSignature."""
        parts = header.split(b".") if len(header) <= _BYTES_MAX else ()
        if len(parts) != 3 or parts[1]:
            raise BadSignature("it is no detached JWS in compact form (RFC 7515, appendix F)")
        kid, topic = _read_protected(parts[0])
        signature = _decoded(parts[2])
        if len(signature) != _SIGNATURE_BYTES:
            raise BadSignature(f"its signature has {len(signature)} bytes, not {_SIGNATURE_BYTES}")
        return cls(kid, topic, parts[0], signature)

    def require(self, public_key: str, value: bytes) -> None:
        """Raise BadSignature unless the holder of the key signed the value with this header."""
        try:
            _key(public_key).verify(self.signature, signing_input(self.protected, value))
        except InvalidSignature as error:
            raise BadSignature(f"the signature by {self.kid!r} is of something else") from error


def sign(key: Ed25519PrivateKey, kid: str, topic: str, value: bytes) -> bytes:
    """Return the Kafka header of an event that a device signs for a topic."""
    protected = _protected(kid, topic)
    return protected + b".." + _encoded(key.sign(signing_input(protected, value)))


def signing_input(protected: bytes, payload: bytes) -> bytes:
    """Return the signed bytes: the protected header as sent, a dot, and the payload (RFC 7797, § 3)."""
    return protected + b"." + payload


def encoded_key(key: Ed25519PublicKey) -> str:
    """Return a public key in base64url, the form in which it is registered."""
    return _encoded(key.public_bytes_raw()).decode()


def thumbprint(key: Ed25519PublicKey) -> str:
    """Return the thumbprint of a key: SHA-256 of the required members of its JWK (RFC 8037, appendix A.3)."""
    jwk = canonical({"crv": "Ed25519", "kty": "OKP", "x": encoded_key(key)})
    return _encoded(sha256(jwk).digest()).decode()


@lru_cache(maxsize=_REMEMBERED)
def _protected(kid: str, topic: str) -> bytes:
    members = {"alg": ALGORITHMS[0], "b64": False, "crit": ["b64"], "kid": kid, "topic": topic}
    return _encoded(json.dumps(members, separators=(",", ":")).encode())


@lru_cache(maxsize=_REMEMBERED)
def _read_protected(protected: bytes) -> tuple[str, str]:
    """Return key id and topic of a protected header; cached, because each device sends the same header."""
    try:
        members = json.loads(_decoded(protected), object_pairs_hook=members_once)
    except (ValueError, RecursionError) as error:
        raise BadSignature("its protected header is no JSON object") from error
    if not isinstance(members, dict) or members.keys() != _MEMBERS:
        raise BadSignature(f"its protected header must have {', '.join(sorted(_MEMBERS))}, and nothing else")
    if members["alg"] not in ALGORITHMS:
        raise BadSignature(f"'alg' is {str(members['alg'])[:32]!r}; it must be {' or '.join(map(repr, ALGORITHMS))}")
    if members["b64"] is not False or members["crit"] not in (["b64"], ["b64", "topic"], ["topic", "b64"]):
        raise BadSignature("'b64' must be false, and 'crit' must list it, and nothing that is not there (RFC 7797)")
    kid, topic = members["kid"], members["topic"]
    if not (isinstance(kid, str) and isinstance(topic, str)):
        raise BadSignature("'kid' and 'topic' must be texts")
    return kid, topic


def _encoded(raw: bytes) -> bytes:
    return urlsafe_b64encode(raw).rstrip(b"=")


def _decoded(text: bytes) -> bytes:
    """Return the bytes of canonical base64url text. Raises: BadSignature for any other text."""
    try:
        raw = urlsafe_b64decode(text + b"=" * (-len(text) % 4))
    except (NotBase64, ValueError) as error:
        raise BadSignature("it is not in base64url") from error
    if _encoded(raw) != text:
        raise BadSignature("it is not in base64url without padding")
    return raw


@lru_cache(maxsize=_REMEMBERED)
def _key(public_key: str) -> Ed25519PublicKey:
    return Ed25519PublicKey.from_public_bytes(_decoded(public_key.encode()))
