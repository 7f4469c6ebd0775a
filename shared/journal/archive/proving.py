"""Create the inclusion proof (`shared.journal.proof`) of an archived entry from the archive's files alone."""

from collections.abc import Sequence

import pyarrow.compute as pc

from shared.journal.archive.files import DayFiles, Read
from shared.journal.archive.manifest import ArchivedService, ArchivedShard, DayManifest
from shared.journal.archive.records import HashedBytes
from shared.journal.archive.subset_proof import SubsetTree
from shared.journal.checkpoint import read_unverified
from shared.journal.merkle import ProofError
from shared.journal.proof import prove


def prove_archived(manifests: Sequence[DayManifest], read: Read, service: str, shard: str, seq: int) -> str:
    """Return the inclusion proof document of an archived entry; `shard` is the shard's name or number.

    Raises: LookupError if no manifest lists the entry; EvidenceError if the files do not match manifest or checkpoint.
    """
    manifest, described = _find(manifests, service, shard, seq)
    files = DayFiles(manifest, read)
    records = HashedBytes(files.table(service, "accounts"))
    leaves: list[bytes] = []
    record: bytes | None = None
    for batch in files.rows(service, "entries"):
        of_shard = batch.filter(pc.equal(batch.column("shard"), described.shard))
        leaves += of_shard.column("hash").to_pylist()
        [record] = records.of(of_shard.filter(pc.equal(of_shard.column("seq"), seq))) or [record]
    if files.problems:
        raise ProofError(files.problems[0].what)
    if record is None:
        raise ProofError(f"the entry is not in the files of manifest {manifest.number}, or lacks an account")
    tree = SubsetTree(described.ranges, read_unverified(described.checkpoint).size, leaves, described.path_hashes())
    return prove(record, seq - 1, tree.path(seq), described.checkpoint)


def _find(manifests: Sequence[DayManifest], service: str, shard: str, seq: int) -> tuple[DayManifest, ArchivedShard]:
    for manifest in manifests:
        for one in _shards(manifest.services, service):
            if shard in (one.name, str(one.shard)) and any(first <= seq <= last for first, last in one.ranges):
                return manifest, one
    raise LookupError(f"no archived day has entry {seq} of shard {shard!r} of {service}")


def _shards(services: Sequence[ArchivedService], wanted: str) -> list[ArchivedShard]:
    return [shard for service in services if service.service == wanted for shard in service.shards]
