"""Verify that the files of an archive match its signed checkpoints, using only these files and public keys."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from itertools import count

import pyarrow as pa
import pyarrow.compute as pc

from shared.journal.archive.files import ArchiveProblem, DayFiles, Read
from shared.journal.archive.manifest import (
    FIRST,
    ArchivedService,
    ArchivedShard,
    DayManifest,
    Signed,
    current,
    open_manifest,
)
from shared.journal.archive.records import HashedBytes
from shared.journal.archive.subset_proof import SubsetTree
from shared.journal.checkpoint import Checkpoint, checkpoint_origin, open_note
from shared.journal.entry import genesis
from shared.journal.merkle import EvidenceError, Frontier
from shared.journal.signed_note import CheckpointError, Verifier


@dataclass(frozen=True, slots=True)
class Chain:
    """The manifests of an archive, in order, that precede the first invalid one, and the invalid one's problem."""

    manifests: Sequence[DayManifest]
    log: Frontier
    last: str
    """The SHA-256 of the last valid manifest, in hexadecimal; `FIRST` if there is none."""
    problems: Sequence[ArchiveProblem] = ()


def read_chain(signed: Sequence[Signed], verifiers: Sequence[Verifier]) -> Chain:
    """Verify the chain of manifests, given from the first one on. Manifests after an invalid one are not read."""
    manifests: list[DayManifest] = []
    log, last = Frontier(), FIRST
    latest: dict[tuple[str, date], int] = {}
    for number, one in enumerate(signed, 1):
        try:
            manifest = open_manifest(one, log, last, verifiers)
        except EvidenceError as error:
            return Chain(manifests, log, last, [ArchiveProblem(number, f"manifest {number}: {error}")])
        if manifest.replaces != latest.get(manifest.day()):
            what = f"it replaces {manifest.replaces}, but the day's manifest before it is {latest.get(manifest.day())}"
            return Chain(manifests, log, last, [ArchiveProblem(number, f"manifest {number}: {what}")])
        latest[manifest.day()] = number
        manifests.append(manifest)
        log, last = log.append(one.digest), one.digest.hex()
    return Chain(manifests, log, last)


def verify_day(manifest: DayManifest, read: Read, verifiers: Sequence[Verifier]) -> list[ArchiveProblem]:
    """Verify a manifest's files against the hashes in it and the signed checkpoints; return the problems."""
    files = DayFiles(manifest, read)
    problems = [
        ArchiveProblem(manifest.number, f"{service.service}: {what}")
        for service in manifest.services
        for what in _verify_service(service, files, verifiers)
    ]
    files.read_rest()
    return files.problems + problems


def _verify_service(service: ArchivedService, files: DayFiles, verifiers: Sequence[Verifier]) -> Iterator[str]:
    """Yield the problems of a service's entries: wrong hashes, order, links, sums, counts or checkpoints."""
    accounts = files.table(service.service, "accounts")
    if len(accounts.column("account").unique()) != accounts.num_rows:
        yield "an account's number has two rows"
    records = HashedBytes(accounts)
    places: list[tuple[int, str, int]] = []
    previous: list[bytes] = []
    hashes: list[bytes] = []
    postings = 0
    for batch in files.rows(service.service, "entries"):
        yield from _wrong(batch, records)
        places += zip(*(batch.column(name).to_pylist() for name in ("shard", "shard_name", "seq")), strict=True)
        previous += batch.column("previous").to_pylist()
        hashes += batch.column("hash").to_pylist()
        postings += len(pc.list_flatten(batch.column("cents")))
    at = 0
    for shard in service.shards:
        expected = [(shard.shard, shard.name, seq) for first, last in shard.ranges for seq in range(first, last + 1)]
        of_shard = slice(at, at + len(expected))
        if places[of_shard] != expected:
            yield _missing(expected, places[of_shard])
            return
        leaves = hashes[of_shard]
        for seq in _unlinked(shard, previous[of_shard], leaves):
            yield f"entry {seq} of {shard.name} is not linked to its predecessor"
        if len(leaves) != shard.entries or leaves[-1].hex() != shard.last_hash:
            yield f"{shard.name}: the manifest has other counts or another last hash than its ranges and entries"
        yield from _unproven(service.service, shard, leaves, verifiers)
        at = of_shard.stop
    if len(places) > at:
        yield "there are more entries than the manifest says"
    if (sum(shard.entries for shard in service.shards), postings) != (service.entries, service.postings):
        yield "the manifest has other numbers of entries or postings than the files"


def _wrong(batch: pa.RecordBatch, records: HashedBytes) -> Iterator[str]:
    """Yield the problems of single entries: missing accounts, wrong hashes, postings that do not sum to zero."""
    hashes, cents = batch.column("hash").to_pylist(), batch.column("cents").to_pylist()
    for at, (record, digest, amounts) in enumerate(zip(records.of(batch), hashes, cents, strict=True)):
        if record is None:
            yield f"{_named(batch, at)} has a posting without account or cents"
        elif sha256(record).digest() != digest:
            yield f"{_named(batch, at)} or a posting of it is not what was recorded"
        if record is not None and sum(amounts):
            yield f"{_named(batch, at)}: the postings do not sum to zero"


def _named(batch: pa.RecordBatch, at: int) -> str:
    return f"entry {batch.column('seq')[at]} of {batch.column('shard_name')[at]}"


def _missing(expected: Sequence[tuple[int, str, int]], there: Sequence[tuple[int, str, int]]) -> str:
    """Return a message that names the first missing entry, and the entry found in its place."""
    at = next((at for at, (one, other) in enumerate(zip(expected, there, strict=False)) if one != other), len(there))
    found = f"entry {there[at][2]} of {there[at][1]}" if at < len(there) else "nothing more"
    return f"entry {expected[at][2]} of {expected[at][1]} is missing: there is {found} in its place"


def _unlinked(shard: ArchivedShard, previous: Sequence[bytes], hashes: Sequence[bytes]) -> Iterator[int]:
    """Yield the sequences of entries whose `previous` is not the hash of the preceding entry.

    An entry whose predecessor is not archived with the same day is not checked.
    """
    at = 0
    for first, last in shard.ranges:
        before = [genesis(shard.name) if first == 1 else previous[at], *hashes[at : at + last - first]]
        named = previous[at : at + last - first + 1]
        yield from (seq for seq, one, other in zip(count(first), before, named, strict=False) if one != other)
        at += last - first + 1


def _unproven(
    service: str, shard: ArchivedShard, leaves: Sequence[bytes], verifiers: Sequence[Verifier]
) -> Iterator[str]:
    try:
        checkpoint = checkpoint_of(service, shard, verifiers)
        root = SubsetTree(shard.ranges, checkpoint.size, leaves, shard.path_hashes()).root()
    except EvidenceError as error:
        yield f"{shard.name}: {error}"
        return
    if root != checkpoint.root:
        yield f"{shard.name}: the entries are not those of the signed checkpoint of {checkpoint.size} entries"


def checkpoint_of(service: str, shard: ArchivedShard, verifiers: Sequence[Verifier]) -> Checkpoint:
    """Return a shard's signed checkpoint. Raises: CheckpointError if it is invalid or belongs to another log."""
    checkpoint = open_note(shard.checkpoint, verifiers)
    origin = checkpoint_origin(service, shard.name)
    if checkpoint.origin != origin:
        raise CheckpointError(f"its checkpoint is that of {checkpoint.origin!r}, not of {origin!r}")
    return checkpoint


@dataclass(frozen=True, slots=True)
class Uncovered:
    """The entries of a shard that are in no archived day although later entries are, as ranges (first, last)."""

    service: str
    shard: str
    ranges: Sequence[tuple[int, int]]


def uncovered(manifests: Sequence[DayManifest]) -> list[Uncovered]:
    """Return the shards with entries that no current manifest lists, although one lists a later entry of the shard."""
    covered: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for manifest in current(manifests).values():
        for service in manifest.services:
            for shard in service.shards:
                covered[service.service, shard.name].extend(shard.ranges)
    found = []
    for (service_name, name), ranges in sorted(covered.items()):
        gaps, end = [], 0
        for first, last in sorted(ranges):
            if first > end + 1:
                gaps.append((end + 1, first - 1))
            end = max(end, last)
        if gaps:
            found.append(Uncovered(service_name, name, gaps))
    return found
