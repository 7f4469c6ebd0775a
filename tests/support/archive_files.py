"""An archive of two days in memory: signed manifests and Parquet files, made without a database."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import Any, Final

import pyarrow as pa
from pyarrow import parquet

from shared.journal.archive.columns import ACCOUNTS, CHECKPOINTS, ENTRIES
from shared.journal.archive.manifest import (
    FIRST,
    ArchivedFile,
    ArchivedService,
    ArchivedShard,
    ArchivedTable,
    DayManifest,
    Signed,
    encode_hashes,
    sign_manifest,
)
from shared.journal.archive.subset_proof import ranges_of, subset_proof
from shared.journal.checkpoint import Checkpoint, checkpoint_origin, sign
from shared.journal.entry import Account, Entry, genesis, seal
from shared.journal.merkle import Frontier
from shared.journal.signed_note import Signer, Verifier
from tests.support.journals import CHIPS, HANDLE, SHARD, draft_of

SERVICE: Final = "round-settlement"
PROPERTY: Final = "riverside"
DAYS: Final = (date(2026, 11, 20), date(2026, 11, 21))
ACCOUNTS_BY_NUMBER: Final[dict[int, Account]] = {1: HANDLE, 2: CHIPS}
_NUMBERS: Final = {account: number for number, account in ACCOUNTS_BY_NUMBER.items()}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
RECORDED: Final = datetime(2026, 11, 22, 6, tzinfo=UTC)


@dataclass
class Files:
    """Files by path, manifests in their order, and the keys."""

    entries: list[Entry]
    files: dict[str, bytes] = field(default_factory=dict)
    signed: list[Signed] = field(default_factory=list)
    manifests: list[DayManifest] = field(default_factory=list)
    signer: Signer = field(default_factory=lambda: Signer.generate("pitledger/archive"))
    service: Signer = field(default_factory=lambda: Signer.generate(f"pitledger/{SERVICE}"))

    @property
    def verifiers(self) -> list[Verifier]:
        """The public keys."""
        return [self.signer.verifier, self.service.verifier]

    def read(self, path: str) -> bytes:
        """The content of a file."""
        if path not in self.files:
            raise FileNotFoundError(path)
        return self.files[path]

    def add(self, day: date, of_day: Sequence[Entry]) -> DayManifest:
        """Archive entries under a day."""
        number = len(self.signed) + 1
        tables = {"entries": entries_table(day, of_day), "accounts": accounts_table(day)}
        tables["checkpoints"] = pa.Table.from_pylist([], CHECKPOINTS)
        listed = []
        for name, rows in tables.items():
            if rows.num_rows:
                content = written(rows)
                path = f"tables/{name}/data/{number}.parquet"
                self.files[path] = content
                listed.append(described(name, path, content, rows.num_rows))
        before = [one for one in self.manifests if one.gaming_day == day]
        manifest = DayManifest(
            format="pitledger-archive-manifest-v1",
            number=number,
            previous=self.signed[-1].digest.hex() if self.signed else FIRST,
            property=PROPERTY,
            gaming_day=day,
            archived_at=RECORDED,
            replaces=before[-1].number if before else None,
            tables=(ArchivedTable(name="entries", snapshot=1, metadata="tables/entries/metadata/1.json"),),
            services=(self._service(of_day),),
            files=tuple(listed),
        )
        self.sign(manifest)
        return manifest

    def sign(self, manifest: DayManifest) -> None:
        """Add a manifest to the chain."""
        log = Frontier().extend(one.digest for one in self.signed)
        self.signed.append(sign_manifest(manifest, log, self.signer))
        self.manifests.append(manifest)

    def replace_rows(self, manifest: DayManifest, change: Callable[[pa.Table], pa.Table]) -> DayManifest:
        """Alter the rows of entries, and let the manifest list the file as it is then."""
        [old] = [one for one in manifest.files if one.table == "entries"]
        rows = change(parquet.read_table(pa.BufferReader(self.files[old.path])))
        content = written(rows)
        self.files[old.path] = content
        new = described("entries", old.path, content, rows.num_rows)
        return manifest.model_copy(update={"files": [new if one is old else one for one in manifest.files]})

    def _service(self, of_day: Sequence[Entry]) -> ArchivedService:
        hashes = [entry.hash for entry in self.entries]
        size = len(hashes)
        ranges = ranges_of(entry.seq for entry in of_day)
        origin = checkpoint_origin(SERVICE, SHARD)
        checkpoint = Checkpoint(origin, size, Frontier().extend(hashes).root())

        def root(low: int, high: int) -> bytes:
            return Frontier().extend(hashes[low:high]).root()

        shard = ArchivedShard(
            shard=1,
            name=SHARD,
            entries=len(of_day),
            ranges=tuple(ranges),
            last_hash=of_day[-1].hash.hex(),
            checkpoint=sign(checkpoint, self.service),
            proof=encode_hashes(subset_proof(ranges, size, root)),
            next_offset=size,
            next_seq=size + 1,
            head=hashes[-1].hex(),
            seal=None,
        )
        postings = sum(len(entry.draft.postings) for entry in of_day)
        return ArchivedService(service=SERVICE, entries=len(of_day), postings=postings, shards=(shard,))


def archive_files() -> Files:
    """Ten entries of one shard, of two gaming days that alternate; one entry has no gaming day."""
    drafts = [draft_of(number, day=DAYS[number % 2]) for number in range(1, 11)]
    drafts[7] = replace(drafts[7], gaming_day=None)  # entry 8, filed under the first day
    entries = seal(drafts, shard=1, shard_name=SHARD, next_seq=1, head=genesis(SHARD), recorded_at=RECORDED)
    made = Files(entries)
    for number, day in enumerate(DAYS):
        made.add(day, [entry for entry in entries if entry.seq % 2 == number])
    return made


def filed(day: date) -> dict[str, Any]:
    """The columns that name a service, property and day."""
    return {"service": SERVICE, "property": PROPERTY, "gaming_day": day}


def entries_table(day: date, entries: Sequence[Entry]) -> pa.Table:
    """The rows of entries."""
    rows = [
        {
            **filed(day),
            "day_of_recording": entry.draft.gaming_day is None,
            "shard": entry.shard,
            "shard_name": SHARD,
            "seq": entry.seq,
            "kind": entry.draft.kind,
            "source": entry.draft.source,
            "sequence": entry.draft.sequence,
            "event_id": entry.draft.event_id,
            "input_offset": entry.draft.offset,
            "record_hash": entry.draft.record_hash,
            "occurred_at": entry.draft.occurred_at,
            "recorded_at": entry.recorded_at,
            "data": entry.draft.data,
            "previous": entry.previous,
            "hash": entry.hash,
            "accounts": [_NUMBERS[posting.account] for posting in entry.draft.postings],
            "cents": [posting.cents for posting in entry.draft.postings],
        }
        for entry in entries
    ]
    return pa.Table.from_pylist(rows, ENTRIES)


def accounts_table(day: date) -> pa.Table:
    """The rows of accounts."""
    names = ("account_property", "table_name", "wager", "leg")
    rows = [
        {**filed(day), "account": number, **dict(zip(names, account, strict=True))}
        for number, account in ACCOUNTS_BY_NUMBER.items()
    ]
    return pa.Table.from_pylist(rows, ACCOUNTS)


def written(rows: pa.Table) -> bytes:
    """The Parquet file of rows."""
    sink = pa.BufferOutputStream()
    parquet.write_table(rows, sink)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def described(name: str, path: str, content: bytes, rows: int) -> ArchivedFile:
    """How a manifest lists a file."""
    digest = sha256(content).hexdigest()
    return ArchivedFile(table=name, service=SERVICE, path=path, size=len(content), sha256=digest, rows=rows)
