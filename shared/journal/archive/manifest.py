"""The manifests of an archive: one document for each time a gaming day was archived, in a signed chain.

A manifest lists the files of the day with their hashes, and for each shard the entries and the proof that leads from
them to a signed checkpoint. It names the SHA-256 of the manifest before it. The manifests are a log of their own, whose
leaves are their SHA-256: beside manifest `n` lies the signed checkpoint (C2SP tlog-checkpoint) of the first `n`.
"""

import base64
from collections.abc import Iterable, Sequence
from datetime import date
from hashlib import sha256
from typing import Annotated, Final, Literal, NamedTuple, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from shared.contracts.envelope import Digest
from shared.contracts.json_text import MemberTwice, read_model
from shared.journal.checkpoint import Checkpoint, open_note, sign
from shared.journal.merkle import HASH_BYTES, EvidenceError, Frontier
from shared.journal.signed_note import Signer, Verifier, decode_base64

ARCHIVE: Final = "archive"
"""The name of the archive as a signer: its key is `pitledger/archive`."""
ORIGIN: Final = "pitledger/archive/manifests"
"""The origin of the log of manifests."""
FIRST: Final = "0" * 64
"""What the first manifest names as the hash of the manifest before it."""
OF_NO_PROPERTY: Final = "-"
"""The property under which entries are filed that belong to none."""

FiledUnder = Annotated[str, StringConstraints(pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]{0,63}|-)$")]


class ManifestError(EvidenceError):
    """A manifest is malformed, is not the signed one, or does not continue the chain."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ArchivedFile(_Part):
    """A data file: the table and the service of its rows, its path in the store, its size and its hash."""

    table: str
    service: str
    path: Annotated[str, StringConstraints(pattern=r"^[^/\x00-\x1f][^\x00-\x1f]*$")]
    size: int = Field(ge=1)
    sha256: Digest
    rows: int = Field(ge=0)


class ArchivedShard(_Part):
    """The entries of a shard that are filed under the day, and their proof.

    `ranges` are the first and the last sequence of each uninterrupted run. `last_hash` is the hash of the last of these
    entries. `proof` are the hashes (base64, concatenated) that lead with the entries to the root of `checkpoint`, a
    signed note. The rest is the state of the shard when it was read: next offset of its input, next sequence, head, and
    the service's seal on these (base64; none if the service signs nothing).
    """

    shard: int
    name: str
    entries: int = Field(ge=1)
    ranges: tuple[tuple[int, int], ...]
    last_hash: Digest
    checkpoint: str
    proof: str
    next_offset: int
    next_seq: int
    head: Digest
    seal: str | None

    def path_hashes(self) -> list[bytes]:
        """Return the hashes of the proof. Raises: EvidenceError if they are malformed."""
        joined = decode_base64(self.proof, f"proof of shard {self.name}")
        if len(joined) % HASH_BYTES:
            raise ManifestError(f"proof of shard {self.name}: {len(joined)} bytes are no hashes")
        return [joined[at : at + HASH_BYTES] for at in range(0, len(joined), HASH_BYTES)]


class ArchivedService(_Part):
    """The entries of a service's journal that are filed under the day, and the number of their postings."""

    service: str
    entries: int = Field(ge=1)
    postings: int = Field(ge=0)
    shards: tuple[ArchivedShard, ...]


class ArchivedTable(_Part):
    """An Iceberg table as it was committed: the id of its snapshot, and the path of its metadata in the store."""

    name: str
    snapshot: int
    metadata: str


class DayManifest(_Part):
    """What was archived of a gaming day of a property, at a moment, and proven by reading it back.

    `previous` is the SHA-256 of manifest `number - 1`; `replaces` is the number of the day's manifest before this one.
    """

    format: Literal["pitledger-archive-manifest-v1"]
    number: int = Field(ge=1)
    previous: Digest
    property: FiledUnder
    gaming_day: date
    archived_at: AwareDatetime
    replaces: int | None
    tables: tuple[ArchivedTable, ...]
    services: tuple[ArchivedService, ...]
    files: tuple[ArchivedFile, ...]

    def day(self) -> tuple[str, date]:
        """Return property and gaming day."""
        return self.property, self.gaming_day

    def rows(self) -> int:
        """Return the number of entries."""
        return sum(one.entries for one in self.services)

    def size(self) -> int:
        """Return the bytes of all data files."""
        return sum(one.size for one in self.files)

    def text(self) -> bytes:
        """Return the document as it is written and hashed."""
        return self.model_dump_json(indent=1).encode() + b"\n"

    @classmethod
    def read(cls, text: bytes) -> Self:
        """Return the manifest in a document. Raises: ManifestError if it is malformed."""
        try:
            return read_model(cls, text)
        except MemberTwice as error:
            raise ManifestError(f"manifest: {error}") from error
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in first["loc"]) or "JSON"
            raise ManifestError(f"manifest: {place}: {first['msg']}") from error


class Signed(NamedTuple):
    """A manifest as it lies in the store: its text, and the signed note beside it."""

    text: bytes
    note: str

    @property
    def digest(self) -> bytes:
        """Return the SHA-256 of the document (32 bytes)."""
        return sha256(self.text).digest()


def encode_hashes(hashes: Sequence[bytes]) -> str:
    """Return hashes as they are written in a manifest."""
    return base64.b64encode(b"".join(hashes)).decode()


def sign_manifest(manifest: DayManifest, before: Frontier, signer: Signer) -> Signed:
    """Return a manifest with its note; `before` is the log of the manifests before it."""
    assert manifest.number == before.size + 1, "manifests are numbered without gaps"
    text = manifest.text()
    after = before.append(sha256(text).digest())
    return Signed(text, sign(Checkpoint(ORIGIN, after.size, after.root()), signer))


def open_manifest(signed: Signed, before: Frontier, previous: str, verifiers: Iterable[Verifier]) -> DayManifest:
    """Verify the next manifest of a chain and return it.

    `before` is the log of the manifests before it, and `previous` the SHA-256 of the last of them in hexadecimal.
    Raises: EvidenceError if signature, number, hash or chain is wrong.
    """
    checkpoint = open_note(signed.note, verifiers)
    after = before.append(signed.digest)
    if (checkpoint.origin, checkpoint.size) != (ORIGIN, after.size):
        raise ManifestError(f"its note is that of {checkpoint.origin!r} at size {checkpoint.size}, not {after.size}")
    if checkpoint.root != after.root():
        raise ManifestError("it is not the manifest that was signed")
    manifest = DayManifest.read(signed.text)
    if manifest.number != after.size or manifest.previous != previous:
        raise ManifestError(
            f"it is number {manifest.number} after {manifest.previous[:16]}…, not the next of the chain"
        )
    return manifest


def current(manifests: Iterable[DayManifest]) -> dict[tuple[str, date], DayManifest]:
    """Return the latest manifest of each day, by property and gaming day; the manifests are given in their order."""
    return {manifest.day(): manifest for manifest in manifests}
