"""Verification bookmarks: signed positions up to which shards were verified, from which a restarted service continues.

A bookmark is a C2SP signed note like a checkpoint, by the same key, but its text is not a checkpoint: it has the origin
of the shard's log on one line, and the verified positions as JSON on the next. Because only a bookmark signed by that
key is trusted, it can be kept in the database. Without the key it can only be replaced by an earlier bookmark, after
which more entries are verified again, never fewer.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError

from shared.journal.checkpoint import check_covers
from shared.journal.merkle import Frontier
from shared.journal.signed_note import CheckpointError, Signer, Verifier, open_signed_text, signed_note
from shared.journal.verification import Verified

_STRICT = ConfigDict(frozen=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64")


class VerifiedPosition(BaseModel):
    """A position up to which a shard was verified: entries, postings, the last hash, and the nodes of the frontier."""

    model_config = _STRICT

    seq: int
    postings: int
    head: bytes
    nodes: tuple[bytes, ...]

    @classmethod
    def of(cls, verified: Verified) -> Self:
        """Return the position that a verification has reached."""
        return cls(seq=verified.seq, postings=verified.postings, head=verified.head, nodes=verified.frontier.nodes)

    def verified(self, shard_name: str) -> Verified:
        """Return a verification that continues from this position."""
        return Verified(shard_name, self.seq, self.head, self.postings, Frontier(self.seq, self.nodes))


class VerificationBookmark(BaseModel):
    """A shard's verified position, the position of the current pass over old entries, and when the last pass ended."""

    model_config = _STRICT

    verified: VerifiedPosition
    scrubbed: VerifiedPosition
    scrubbed_at: datetime


def sign_mark(origin: str, mark: VerificationBookmark, signer: Signer) -> str:
    """Return the signed note of a bookmark. Raises: CheckpointError if the key's name does not cover the origin."""
    check_covers([signer.name], origin)
    return signed_note(f"{origin}\n{mark.model_dump_json()}\n", signer)


def open_mark(note: str, verifiers: Iterable[Verifier]) -> tuple[str, VerificationBookmark]:
    """Return origin and bookmark in a signed note. Raises: CheckpointError if it is not a bookmark by these keys."""
    text, names = open_signed_text(note, verifiers)
    origin, _, said = text.partition("\n")
    check_covers(names, origin)
    try:
        return origin, VerificationBookmark.model_validate_json(said)
    except ValidationError as error:
        raise CheckpointError(f"note of {origin!r}: signed, but not a mark of what was verified: {error}") from error
