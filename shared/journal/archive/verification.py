"""Verify an archive from its files and public keys alone: what the signed checkpoints say is what the files have."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from typing import NamedTuple

import pyarrow as pa
from pyarrow import parquet

from shared.journal.archive.columns import PARTITION, TABLES
from shared.journal.archive.manifest import (
    FIRST,
    ArchivedService,
    ArchivedShard,
    DayManifest,
    Signed,
    current,
    open_manifest,
)
from shared.journal.archive.rows import Row, account_bytes, accounts_of, rows_of
from shared.journal.archive.subset_proof import Ranges, SubsetTree
from shared.journal.checkpoint import Checkpoint, checkpoint_origin, open_note
from shared.journal.entry import genesis
from shared.journal.merkle import EvidenceError, Frontier
from shared.journal.signed_note import CheckpointError, Verifier

Read = Callable[[str], bytes]
"""Returns a file of the store by its path. Raises: FileNotFoundError."""


class ArchiveProblem(NamedTuple):
    """What is wrong with an archive. `number` is the manifest's, 0 if it is about no single one."""

    number: int
    what: str


@dataclass(frozen=True, slots=True)
class Chain:
    """The manifests of an archive in their order, as far as the chain holds, and what is wrong after that."""

    manifests: Sequence[DayManifest]
    log: Frontier
    last: str
    """The SHA-256 of the last of them, in hexadecimal."""
    problems: Sequence[ArchiveProblem] = ()


def read_chain(signed: Sequence[Signed], verifiers: Sequence[Verifier]) -> Chain:
    """Verify the chain of manifests, the first one first. What follows a manifest that fails is not read."""
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


def read_day(manifest: DayManifest, read: Read) -> tuple[dict[str, dict[str, pa.Table]], list[ArchiveProblem]]:
    """Return the tables of a manifest's files by service, and what is wrong with the files."""
    parts: dict[tuple[str, str], list[pa.Table]] = defaultdict(list)
    problems: list[ArchiveProblem] = []
    for one in manifest.files:
        try:
            content = read(one.path)
        except FileNotFoundError:
            problems.append(ArchiveProblem(manifest.number, f"{one.path}: the file is missing"))
            continue
        if (len(content), sha256(content).hexdigest()) != (one.size, one.sha256):
            problems.append(ArchiveProblem(manifest.number, f"{one.path}: the file is not what was archived"))
        try:
            rows = as_declared(parquet.read_table(pa.BufferReader(content)), one.table)
        except (pa.ArrowException, ValueError, KeyError) as error:
            problems.append(
                ArchiveProblem(manifest.number, f"{one.path}: the file has no rows of {one.table}: {error}")
            )
            continue
        if rows.num_rows != one.rows:
            problems.append(
                ArchiveProblem(manifest.number, f"{one.path}: {rows.num_rows} rows where there were {one.rows}")
            )
        if (found := _filed(rows)) - {(one.service, manifest.property, manifest.gaming_day)}:
            problems.append(ArchiveProblem(manifest.number, f"{one.path}: has rows of {sorted(map(str, found))}"))
        parts[one.service, one.table].append(rows)
    days: dict[str, dict[str, pa.Table]] = defaultdict(dict)
    for (service, table), several in parts.items():
        days[service][table] = pa.concat_tables(several)
    return days, problems


def rows_in(tables: Mapping[str, pa.Table], name: str) -> pa.Table:
    """Return the rows of a table; there may be none, such as accounts of entries without postings."""
    return tables[name] if name in tables else TABLES[name].empty_table()


def as_declared(rows: pa.Table, table: str) -> pa.Table:
    """Return rows with the columns and types of an archived table. Raises: ValueError, KeyError, ArrowException."""
    schema = TABLES[table]
    return rows.select(schema.names).cast(schema)


def _filed(rows: pa.Table) -> set[tuple[str, str, date]]:
    names = [column.name for column in PARTITION]
    groups = rows.select(names).group_by(names).aggregate([])
    return set(zip(*(groups.column(name).to_pylist() for name in names), strict=True))


def verify_day(manifest: DayManifest, read: Read, verifiers: Sequence[Verifier]) -> list[ArchiveProblem]:
    """Verify the files of a manifest against its hashes and against the signed checkpoints; return the problems."""
    days, problems = read_day(manifest, read)
    for service in manifest.services:
        tables = days.get(service.service, {})
        for what in verify_service(service, tables, verifiers):
            problems.append(ArchiveProblem(manifest.number, f"{service.service}: {what}"))
    return problems


def verify_service(
    service: ArchivedService, tables: Mapping[str, pa.Table], verifiers: Sequence[Verifier]
) -> Iterator[str]:
    """Yield what is wrong with the entries of a service: hashes, order, links, sums, counts and checkpoints."""
    known = account_bytes(accounts_of(rows_in(tables, "accounts")))
    rows = rows_of(rows_in(tables, "entries"))
    postings = 0
    for shard in service.shards:
        leaves: list[bytes] = []
        before = (0, genesis(shard.name))
        for seq in _seqs(shard.ranges):
            row = next(rows, None)
            if row is None or (row.shard, row.shard_name, row.seq) != (shard.shard, shard.name, seq):
                found = "nothing more" if row is None else f"entry {row.seq} of {row.shard_name}"
                yield f"entry {seq} of {shard.name} is missing: there is {found} in its place"
                return
            if before[0] == seq - 1 and row.previous != before[1]:
                yield f"entry {seq} of {shard.name} is not linked to its predecessor"
            yield from _wrong(row, known)
            before = seq, row.hash
            leaves.append(row.hash)
            postings += len(row.cents)
        if len(leaves) != shard.entries or before[1].hex() != shard.last_hash:
            yield f"{shard.name}: the manifest has other counts or another last hash than its ranges and entries"
        yield from _unproven(service.service, shard, leaves, verifiers)
    if next(rows, None) is not None:
        yield "there are more entries than the manifest says"
    if (sum(shard.entries for shard in service.shards), postings) != (service.entries, service.postings):
        yield "the manifest has other numbers of entries or postings than the files"


def _seqs(ranges: Ranges) -> Iterator[int]:
    for first, last in ranges:
        yield from range(first, last + 1)


def _wrong(row: Row, accounts: Mapping[int, bytes]) -> Iterator[str]:
    """Yield what is wrong with an entry by itself."""
    try:
        digest = sha256(row.record(accounts)).digest()
    except (KeyError, ValueError):
        yield f"entry {row.seq} of {row.shard_name} has a posting without account or cents"
        return
    if digest != row.hash:
        yield f"entry {row.seq} of {row.shard_name} or a posting of it is not what was recorded"
    if sum(row.cents):
        yield f"entry {row.seq} of {row.shard_name}: the postings do not sum to zero"


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
    """Return the signed checkpoint of a shard. Raises: CheckpointError if it is not valid, or of another log."""
    checkpoint = open_note(shard.checkpoint, verifiers)
    origin = checkpoint_origin(service, shard.name)
    if checkpoint.origin != origin:
        raise CheckpointError(f"its checkpoint is that of {checkpoint.origin!r}, not of {origin!r}")
    return checkpoint


@dataclass(frozen=True, slots=True)
class Uncovered:
    """Entries of a shard that are in no archived day, though later ones are: their ranges."""

    service: str
    shard: str
    ranges: Sequence[tuple[int, int]]


def uncovered(manifests: Sequence[DayManifest]) -> list[Uncovered]:
    """Return the entries before the last archived one of each shard that no current manifest has."""
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
