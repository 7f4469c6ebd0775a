"""Devices that sign: their keys as a property registers them, and signatures made without our own code."""

import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

TERMINAL = "BJ-01-terminal"
SINCE = "2020-01-01T00:00:00Z"


def key_of(kid: str) -> Ed25519PrivateKey:
    """The private key of a device of the tests, always the same."""
    return Ed25519PrivateKey.from_private_bytes(sha256(kid.encode()).digest())


def registered(kid: str = TERMINAL, **changes: Any) -> dict[str, Any]:
    """A key as the document of a property lists it."""
    public = key_of(kid).public_key().public_bytes_raw()
    return {"kid": kid, "public_key": base64url(public), "valid_from": SINCE} | changes


def device(*keys: Mapping[str, Any], signs: tuple[str, ...] = ("table.events",), **changes: Any) -> dict[str, Any]:
    """A terminal at a table, with these keys."""
    listed = [dict(key) for key in keys or (registered(),)]
    return {"kind": "terminal", "asset_number": "D-1", "signs": list(signs), "signing_keys": listed} | changes


def system(name: str, *keys: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """A system that speaks for all tables, on both topics, unless told."""
    listed = [dict(key) for key in keys or (registered(name),)]
    return {"system": name, "signs": ["table.events", "pit.events"], "signing_keys": listed} | changes


def signed(value: bytes, kid: str = TERMINAL, key: str | None = None, **members: Any) -> bytes:
    """A detached signature of a value, as RFC 7515 and 7797 say it; `members` change its protected header."""
    header = {"alg": "Ed25519", "b64": False, "crit": ["b64"], "kid": kid, "topic": "table.events"} | members
    protected = base64url(json.dumps({name: said for name, said in header.items() if said is not None}).encode())
    signature = key_of(key or kid).sign(f"{protected}.".encode() + value)
    return f"{protected}..{base64url(signature)}".encode()


def base64url(raw: bytes) -> str:
    """Bytes in base64url without padding."""
    return urlsafe_b64encode(raw).rstrip(b"=").decode()
