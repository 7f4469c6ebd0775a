"""The manifests of an archive: one document for each archiving of a gaming day, in a signed chain.

A manifest lists the day's data files with their hashes. For each shard it lists the archived entries, and the proof
that they are in the tree of a signed checkpoint. It also contains the SHA-256 of the previous manifest. The manifests
form a log whose leaves are their SHA-256 hashes. Manifest `n` is stored with the signed checkpoint (C2SP
tlog-checkpoint) of the first `n` manifests.
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
"""The name with which the archive signs: its key is named `pitledger/archive`."""
ORIGIN: Final = "pitledger/archive/manifests"
"""The origin of the log of manifests."""
FIRST: Final = "0" * 64
"""The `previous` hash in the first manifest, which has no predecessor."""
OF_NO_PROPERTY: Final = "-"
"""The placeholder for the property of entries that belong to no property."""

FiledUnder = Annotated[str, StringConstraints(pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]{0,63}|-)$")]


class ManifestError(EvidenceError):
    """A manifest is malformed, differs from the signed one, or does not continue the chain."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ArchivedFile(_Part):
    """A data file: table and service of its rows, path in the store, size in bytes, SHA-256, and number of rows."""

    table: str
    service: str
    path: Annotated[str, StringConstraints(pattern=r"^[^/\x00-\x1f][^\x00-\x1f]*$")]
    size: int = Field(ge=1)
    sha256: Digest
    rows: int = Field(ge=0)


class ArchivedShard(_Part):
    """The archived entries of a shard for one gaming day, with their proof.

    `ranges` lists the consecutive sequences as (first, last). `last_hash` is the hash of the last of these entries.
    `proof` is a subset proof (base64 of the concatenated hashes): with the entries' hashes it leads to the Merkle root
    in `checkpoint`, a signed note. The other fields are the state of the shard when it was read: next input offset,
    next sequence, head, and the service's seal of this state (base64; None if the service signs nothing).
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
        """Return the hashes of the proof, decoded. Raises: EvidenceError if they are malformed."""
        joined = decode_base64(self.proof, f"proof of shard {self.name}")
        if len(joined) % HASH_BYTES:
            raise ManifestError(f"proof of shard {self.name}: {len(joined)} bytes are no hashes")
        return [joined[at : at + HASH_BYTES] for at in range(0, len(joined), HASH_BYTES)]


class ArchivedService(_Part):
    """The archived part of a service's journal for one gaming day: numbers of entries and postings, and shards."""

    service: str
    entries: int = Field(ge=1)
    postings: int = Field(ge=0)
    shards: tuple[ArchivedShard, ...]


class ArchivedTable(_Part):
    """An Iceberg table as committed: the id of the snapshot, and the path of the table metadata in the store."""

    name: str
    snapshot: int
    metadata: str


class DayManifest(_Part):
    """The manifest of one archiving of a property's gaming day; the files were read back and verified.

    `number` is the manifest's position in the archive, from 1. `previous` is the SHA-256 of manifest `number - 1`.
    `replaces` is the number of the previous manifest of the same day, or None.
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
        """Return (property, gaming day)."""
        return self.property, self.gaming_day

    def rows(self) -> int:
        """Return the number of archived entries, over all services."""
        return sum(one.entries for one in self.services)

    def size(self) -> int:
        """Return the total size of the data files, in bytes."""
        return sum(one.size for one in self.files)

    def text(self) -> bytes:
        """Return the manifest as JSON, exactly as it is stored and hashed."""
        return self.model_dump_json(indent=1).encode() + b"\n"

    @classmethod
    def read(cls, text: bytes) -> Self:
        """Decode a manifest from JSON. Raises: ManifestError if it is malformed."""
        try:
            return read_model(cls, text)
        except MemberTwice as error:
            raise ManifestError(f"manifest: {error}") from error
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in first["loc"]) or "JSON"
            raise ManifestError(f"manifest: {place}: {first['msg']}") from error


class Signed(NamedTuple):
    """A manifest as stored: its JSON text, and the signed checkpoint note that is stored with it."""

    text: bytes
    note: str

    @property
    def digest(self) -> bytes:
        """Return the SHA-256 of the manifest's text (32 bytes)."""
        return sha256(self.text).digest()


def encode_hashes(hashes: Sequence[bytes]) -> str:
    """Return hashes in the form of a manifest: concatenated, in base64."""
    return base64.b64encode(b"".join(hashes)).decode()


def sign_manifest(manifest: DayManifest, before: Frontier, signer: Signer) -> Signed:
    """Sign a manifest; return it with its signed note. `before` is the log of the preceding manifests."""
    assert manifest.number == before.size + 1, "manifests are numbered without gaps"
    text = manifest.text()
    after = before.append(sha256(text).digest())
    return Signed(text, sign(Checkpoint(ORIGIN, after.size, after.root()), signer))


def open_manifest(signed: Signed, before: Frontier, previous: str, verifiers: Iterable[Verifier]) -> DayManifest:
    """Verify the next manifest of a chain and return it.

    `before` is the log of the preceding manifests, and `previous` the SHA-256 (hexadecimal) of the last of them.
    Raises: EvidenceError if the signature, the number, or the hash of this or the previous manifest is wrong.
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
    """Return (property, gaming day) -> latest manifest of that day; `manifests` must be in the order of the chain."""
    return {manifest.day(): manifest for manifest in manifests}
