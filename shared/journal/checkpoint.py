"""Checkpoints: the signed size and Merkle root of a shard at a moment.

A checkpoint is a C2SP tlog-checkpoint (https://c2sp.org/tlog-checkpoint) in a C2SP signed note
(https://c2sp.org/signed-note) with Ed25519 signatures:

    pitledger/round-settlement/table.events-3
    1000
    OoY6SBC276wLU0SkyXZ5lUEQnvGkZ+hjFAdwNDuqzKs=

    — pitledger/round-settlement 60VzCtl1ldeSGkzzi9gXOIV3rg43ojQVzfNe7mWiiCOpdqqf…

Every shard is a log of its own, with the origin `pitledger/<service>/<shard name>`. The state of a whole service is
therefore several notes, one per shard. Each note is in a file of its own, because other tools cannot read a file with
several notes. One key serves a whole service: a key named `pitledger/<service>` is valid for that origin and the
origins below it, and for no other.
"""

import base64
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from shared.journal.merkle import EMPTY_ROOT, HASH_BYTES
from shared.journal.signed_note import (
    CheckpointError,
    Signer,
    Verifier,
    check_characters,
    decode_base64,
    open_signed_text,
    signed_note,
    split_note,
)

_SIZE_LIMIT = 2**63
_SIZE = re.compile(r"0|[1-9][0-9]{0,18}")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The root of the tree over the first `size` entries of the log `origin`.

    `extensions` are further signed lines, which the standard advises against.
    """

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for line in (self.origin, *self.extensions):
            check_characters(line)
            if not line:
                raise CheckpointError(f"checkpoint of {self.origin!r}: the origin or an extension is an empty line")
        if not 0 <= self.size < _SIZE_LIMIT:
            raise CheckpointError(f"checkpoint of {self.origin!r}: size {self.size} is not from 0 to {_SIZE_LIMIT - 1}")
        if len(self.root) != HASH_BYTES:
            raise CheckpointError(f"checkpoint of {self.origin!r}: root has {len(self.root)} bytes, not {HASH_BYTES}")
        if self.size == 0 and self.root != EMPTY_ROOT:
            raise CheckpointError(f"checkpoint of {self.origin!r}: root {self.root.hex()} is not that of an empty tree")

    def body(self) -> str:
        """Return the signed text: origin, size, root in base64 and extensions, each on a line."""
        lines = (self.origin, str(self.size), base64.b64encode(self.root).decode(), *self.extensions)
        return "".join(f"{line}\n" for line in lines)

    @classmethod
    def from_body(cls, text: str) -> Self:
        """Parse a checkpoint from the text of a note. Raises: CheckpointError if it is malformed."""
        lines = text.split("\n")
        if len(lines) < 4 or lines.pop() != "":
            raise CheckpointError("checkpoint: needs the lines origin, size and root, each ended by a newline")
        origin, size, root, *extensions = lines
        if not _SIZE.fullmatch(size):
            raise CheckpointError(f"checkpoint of {origin!r}: size {size!r} is not a decimal without leading zeroes")
        return cls(origin, int(size), decode_base64(root, f"root of checkpoint {origin!r}"), tuple(extensions))


def checkpoint_origin(service: str, shard_name: str) -> str:
    """Return the origin line of a shard's checkpoints."""
    return f"pitledger/{service}/{shard_name}"


def sign(checkpoint: Checkpoint, *signers: Signer) -> str:
    """Return the signed note of a checkpoint, with one signature per signer (two during a key rotation).

    Raises: CheckpointError if there is no signer, or if a signer's name does not cover the origin.
    """
    if not signers:
        raise CheckpointError(f"checkpoint of {checkpoint.origin!r}: nobody to sign it")
    for signer in signers:
        check_covers([signer.name], checkpoint.origin)
    return signed_note(checkpoint.body(), *signers)


def open_note(note: str, verifiers: Iterable[Verifier]) -> Checkpoint:
    """Verify a signed note and return its checkpoint.

    Raises: CheckpointError in the cases of `open_signed_text`, and if no signing key's name covers the origin.
    """
    text, names = open_signed_text(note, verifiers)
    checkpoint = Checkpoint.from_body(text)
    check_covers(names, checkpoint.origin)
    return checkpoint


def read_unverified(note: str) -> Checkpoint:
    """Parse the checkpoint in a note without verifying the signatures; do not rely on its content."""
    return Checkpoint.from_body(split_note(note)[0])


def check_covers(names: Sequence[str], origin: str) -> None:
    """Raise CheckpointError unless a key's name equals the origin, or is a path above the origin."""
    if not any(origin == name or origin.startswith(f"{name}/") for name in names):
        raise CheckpointError(f"checkpoint of {origin!r}: signed by {names}, which speaks for other origins")
