"""Verifies what Pitledger publishes, with nothing of Pitledger's: each batch is signed, each message has its proof."""

import struct
from base64 import b64decode
from collections.abc import Iterable
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

HEAD = struct.Struct(">BII4s64s")  # version, index, size of the batch, id of the key, signature


def public_keys(lines: Iterable[str], publisher: str) -> dict[bytes, Ed25519PublicKey]:
    """Return the keys of a publisher by their ids, from the lines `pitledger/SERVICE+ID+KEY` of `verifiers.txt`."""
    found = (line.strip().split("+", 2) for line in lines if line.strip())
    return {
        bytes.fromhex(key_id): Ed25519PublicKey.from_public_bytes(b64decode(key)[1:])  # the first byte: Ed25519
        for name, key_id, key in found
        if name == f"pitledger/{publisher}"
    }


def require_signed(
    keys: dict[bytes, Ed25519PublicKey], publisher: str, topic: str, key: bytes, value: bytes, proof: bytes | None
) -> None:
    """Raise ValueError where the publisher did not sign this message; `proof` is its header `pitledger-signature`."""
    if proof is None or len(proof) < HEAD.size:
        raise ValueError("the message has no signature")
    version, place, size, key_id, signature = HEAD.unpack_from(proof)
    path = [proof[at : at + 32] for at in range(HEAD.size, len(proof), 32)]
    if version != 1 or key_id not in keys or place >= size:
        raise ValueError(f"signed by key {key_id.hex()}, place {place} of {size}: no such signature")
    named = b"".join(struct.pack(">I", len(part)) + part for part in (topic.encode(), key))
    node = sha256(b"\0" + named + value).digest()
    while size > 1:
        if place & 1:
            node = sha256(b"\1" + path.pop(0) + node).digest()
        elif place + 1 < size:  # the last one without a neighbor goes up as it is
            node = sha256(b"\1" + node + path.pop(0)).digest()
        place, size = place >> 1, (size + 1) >> 1
    try:
        keys[key_id].verify(signature, b"pitledger-messages-v1\npitledger/" + publisher.encode() + b"\n" + node)
    except InvalidSignature as error:
        raise ValueError("the signature is of something else") from error
