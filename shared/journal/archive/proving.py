"""Prove a single archived entry: the document that `shared.journal.proof` defines, from files alone."""

from collections.abc import Sequence

from shared.journal.archive.manifest import ArchivedService, ArchivedShard, DayManifest
from shared.journal.archive.rows import Row, account_bytes, accounts_of, rows_of
from shared.journal.archive.subset_proof import SubsetTree
from shared.journal.archive.verification import Read, read_day, rows_in
from shared.journal.checkpoint import read_unverified
from shared.journal.merkle import ProofError
from shared.journal.proof import prove


def prove_archived(manifests: Sequence[DayManifest], read: Read, service: str, shard: str, seq: int) -> str:
    """Return the proof document of an entry; `shard` is the shard's name or number.

    Raises: LookupError if no manifest has the entry; EvidenceError if files and checkpoint do not match.
    """
    manifest, described = _find(manifests, service, shard, seq)
    of_service = manifest.model_copy(update={"files": [one for one in manifest.files if one.service == service]})
    days, problems = read_day(of_service, read)
    if problems:
        raise ProofError(problems[0].what)
    tables = days[service]
    leaves: list[bytes] = []
    wanted: Row | None = None
    for row in rows_of(rows_in(tables, "entries")):
        if row.shard == described.shard:
            leaves.append(row.hash)
            wanted = row if row.seq == seq else wanted
    if wanted is None:
        raise ProofError(f"the entry is not in the files of manifest {manifest.number}")
    size = read_unverified(described.checkpoint).size
    tree = SubsetTree(described.ranges, size, leaves, described.path_hashes())
    record = wanted.record(account_bytes(accounts_of(rows_in(tables, "accounts"))))
    return prove(record, seq - 1, tree.path(seq), described.checkpoint)


def _find(manifests: Sequence[DayManifest], service: str, shard: str, seq: int) -> tuple[DayManifest, ArchivedShard]:
    for manifest in manifests:
        for one in _shards(manifest.services, service):
            if shard in (one.name, str(one.shard)) and any(first <= seq <= last for first, last in one.ranges):
                return manifest, one
    raise LookupError(f"no archived day has entry {seq} of shard {shard!r} of {service}")


def _shards(services: Sequence[ArchivedService], wanted: str) -> list[ArchivedShard]:
    return [shard for service in services if service.service == wanted for shard in service.shards]
