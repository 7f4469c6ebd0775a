"""Batch signatures: one signature for a batch of messages, and with each message a proof that it is in the batch.

The signature is over the root of a Merkle tree (RFC 9162, section 2.1, SHA-256) whose leaves are the messages of the
batch, each with its topic and key. A proof is sent in a header of its message: version, index, size of the tree, key
id, the signature, and the hashes from the leaf to the root. Verified hashes are cached, so verifying takes about two
hashes for a message, and one signature verification for a batch.
"""

import struct
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from cryptography.exceptions import InvalidSignature

from shared.journal.merkle import HASH_BYTES, EvidenceError, leaf_hash, node_hash
from shared.journal.signed_note import Signer, Verifier

HEADER: Final = "pitledger-signature"
"""The Kafka header with the proof."""

_HEAD: Final = struct.Struct(">BII4s64s")
_VERSION: Final = 1
_NODES_MAX: Final = 100_000
"""The maximum number of cached hashes for each signer (some megabytes); when it is exceeded, the cache is cleared."""


class Unsigned(EvidenceError):
    """A message lacks the required signature of its publisher."""


def signer_name(service: str) -> str:
    """Return the name of a service's key.

    >>> signer_name("vigorish")
    'pitledger/vigorish'
    """
    return f"pitledger/{service}"


def message_bytes(topic: str, key: bytes | None, value: bytes) -> bytes:
    """Return the signed bytes of a message: topic and key, each preceded by its length in four bytes, and value."""
    name, of_key = topic.encode(), key or b""
    return b"".join((len(name).to_bytes(4, "big"), name, len(of_key).to_bytes(4, "big"), of_key, value))


def replay_bytes(topic: str, key: bytes | None, value: bytes, said: Sequence[bytes | None]) -> bytes:
    """Return the bytes to sign for a replay, which sends a quarantined record again.

    `said` are the values of the headers that identify the quarantined record. The bytes are those of a message on a
    topic that does not exist, so that the signature of a replay is never valid for a message.
    """
    fields = [topic.encode(), key or b"", *(each or b"" for each in said)]
    written = b"".join(len(field).to_bytes(4, "big") + field for field in fields)
    return message_bytes("pitledger-replay-v1", written, value)


def _signed_text(name: str, root: bytes) -> bytes:
    return b"pitledger-messages-v1\n" + name.encode() + b"\n" + root


def sign_batch(signer: Signer, messages: Sequence[bytes]) -> list[bytes]:
    """Return the proof of each message of a non-empty batch, all with one signature."""
    levels = [[leaf_hash(message) for message in messages]]
    while len(below := levels[-1]) > 1:
        pairs = [node_hash(below[i], below[i + 1]) for i in range(0, len(below) - 1, 2)]
        levels.append(pairs + below[2 * len(pairs) :])  # a node without a sibling moves up unchanged
    signature = signer.key.sign(_signed_text(signer.name, levels.pop()[0]))
    key_id, size = signer.verifier.key_id, len(messages)
    proofs: list[bytes] = []
    for index in range(size):
        path, place = [_HEAD.pack(_VERSION, index, size, key_id, signature)], index
        for level in levels:
            if place ^ 1 < len(level):
                path.append(level[place ^ 1])
            place >>= 1
        proofs.append(b"".join(path))
    return proofs


class BatchVerifier:
    """Verifies messages with their publishers' public keys; a publisher has several keys during a key rotation."""

    def __init__(self, verifiers: Iterable[Verifier]) -> None:
        self._keys = {(verifier.name, verifier.key_id): verifier.key for verifier in verifiers}
        self._known: defaultdict[str, set[bytes]] = defaultdict(set)

    def knows(self, name: str) -> bool:
        """Return whether there is a key of this name."""
        return any(name == known for known, _ in self._keys)

    def require(self, name: str, message: bytes, proof: bytes | None) -> None:
        """Raise Unsigned unless the holder of a key of this name signed the message."""
        if proof is None:
            raise Unsigned("it has no signature")
        if len(proof) < _HEAD.size or (len(proof) - _HEAD.size) % HASH_BYTES:
            raise Unsigned(f"its signature has {len(proof)} bytes, which is none")
        known, node = self._known[name], leaf_hash(message)
        if node in known:
            return
        version, place, size, key_id, signature = _HEAD.unpack_from(proof)
        key = self._keys.get((name, key_id))
        if version != _VERSION or key is None:
            raise Unsigned(f"it is signed by key {key_id.hex()} (version {version}), which is none of {name!r}")
        if not place < size:
            raise Unsigned(f"its signature says place {place} of {size}")
        climbed, at = [node], _HEAD.size
        while size > 1:
            if place & 1 or place + 1 < size:
                sibling = proof[at : at + HASH_BYTES]
                at += HASH_BYTES
                if not sibling:
                    raise Unsigned("its signature is of another tree")
                node = node_hash(sibling, node) if place & 1 else node_hash(node, sibling)
                climbed += (sibling, node)
                if node in known:
                    break
            place, size = place >> 1, (size + 1) >> 1
        else:
            try:
                key.verify(signature, _signed_text(name, node))
            except InvalidSignature as error:
                raise Unsigned(f"the signature of {name!r} is of something else") from error
        if len(known) > _NODES_MAX:
            known.clear()
        known.update(climbed)
