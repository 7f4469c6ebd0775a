"""Signed checkpoints of a shard that was never in a database."""

import json
from hashlib import sha256
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared.journal.checkpoint import Checkpoint, sign
from shared.journal.merkle import Frontier
from shared.journal.signed_note import Signer

SUMDB = json.loads((Path(__file__).parents[1] / "unit" / "journal" / "data" / "sumdb-vectors.json").read_text())
"""What the Go implementation makes of these leaves and this key."""

NAME = "pitledger/round-settlement"
ORIGIN = f"{NAME}/table.events-3"
SIGNER = Signer(NAME, Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
LEAVES = [sha256(f"entry {number}".encode()).digest() for number in range(1000)]


def checkpoint_of(size: int, *, origin: str = ORIGIN, leaves: list[bytes] = LEAVES) -> Checkpoint:
    return Checkpoint(origin, size, Frontier().extend(leaves[:size]).root())


def note_of(size: int, *, origin: str = ORIGIN, leaves: list[bytes] = LEAVES) -> str:
    return sign(checkpoint_of(size, origin=origin, leaves=leaves), SIGNER)
