"""Inclusion proof documents: one file proves that an entry is in the journal, without access to the journal.

A document is JSON:

    {
      "format": "pitledger-inclusion-proof-v1",
      "record": "…",       the bytes that the entry's hash covers, in base64
      "index": 41,         the index of the leaf in the shard's tree, from 0
      "path": ["…"],       the hashes from the leaf to the root, in base64, the leaf's sibling first
      "checkpoint": "…"    the signed checkpoint, a C2SP tlog-checkpoint
    }

The SHA-256 of `record` is the entry's hash, which is the leaf. The record is a sequence of fields, each as its length
in eight bytes (big-endian) followed by its bytes, so the holder of the document can also read what was recorded.
"""

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shared.contracts.json_text import MemberTwice, read_model
from shared.journal.checkpoint import Checkpoint, open_note, read_unverified
from shared.journal.merkle import ProofError, verify_inclusion
from shared.journal.signed_note import Verifier, decode_base64

_LENGTH_BYTES = 8
_PATH_MAX = 63  # a tree has fewer than 2**63 leaves


class ProofDocument(BaseModel):
    """The JSON form of a proof document; bytes are in base64."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: Literal["pitledger-inclusion-proof-v1"]
    record: str
    index: int = Field(ge=0)
    path: tuple[str, ...] = Field(max_length=_PATH_MAX)
    checkpoint: str


@dataclass(frozen=True, slots=True)
class ProvenEntry:
    """The content of a verified proof document: the fields of entry `index` (from 0) of the checkpoint's log."""

    checkpoint: Checkpoint
    index: int
    fields: tuple[bytes, ...]


def prove(record: bytes, index: int, path: Sequence[bytes], checkpoint: str) -> str:
    """Return the proof document of an entry under a signed checkpoint.

    `record` is the bytes that the entry's hash covers, `index` its index in the shard from 0, `path` the hashes from
    its leaf to the root. The signature is not verified here. Raises: EvidenceError if the checkpoint does not cover the
    entry, or if record, path and checkpoint do not match, because the shard was altered after signing.
    """
    signed = read_unverified(checkpoint)
    verify_inclusion(sha256(record).digest(), index, signed.size, path, signed.root)
    return ProofDocument(
        format="pitledger-inclusion-proof-v1",
        record=_encode(record),
        index=index,
        path=tuple(_encode(node) for node in path),
        checkpoint=checkpoint,
    ).model_dump_json(indent=2)


def verify_document(document: str | bytes, verifiers: Iterable[Verifier]) -> ProvenEntry:
    """Verify a proof document with only the public key of the service; return its content.

    Raises: EvidenceError if it is malformed, its checkpoint is not signed by one of the keys, or the record is not in
    the tree of the checkpoint.
    """
    try:
        parsed = read_model(ProofDocument, document)
    except MemberTwice as error:
        raise ProofError(f"proof document: {error}") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "JSON"
        raise ProofError(f"proof document: {place}: {first['msg']}") from error
    checkpoint = open_note(parsed.checkpoint, verifiers)
    record = decode_base64(parsed.record, "proof document: record")
    path = [decode_base64(node, "proof document: path") for node in parsed.path]
    verify_inclusion(sha256(record).digest(), parsed.index, checkpoint.size, path, checkpoint.root)
    return ProvenEntry(checkpoint, parsed.index, read_fields(record))


def read_fields(record: bytes) -> tuple[bytes, ...]:
    """Return the fields of a record, in order. Raises: ProofError if the record is truncated."""
    fields: list[bytes] = []
    at = 0
    while at < len(record):
        start = at + _LENGTH_BYTES
        at = start + int.from_bytes(record[at:start], "big")
        if at > len(record):
            raise ProofError(f"record: field {len(fields) + 1} ends at byte {at}, the record has {len(record)}")
        fields.append(record[start:at])
    return tuple(fields)


def _encode(value: bytes) -> str:
    return base64.b64encode(value).decode()
