"""Read and verify the signed checkpoints with which a journal is compared, and report missing ones."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Self

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.cli.exits import UsageWrong
from services.cli.operations.keys import read_verifiers
from services.cli.services import load
from shared.journal.checkpoint import Checkpoint, checkpoint_origin, open_note, read_unverified
from shared.journal.checkpoint_store import DirectoryStore, tile_of
from shared.journal.cosignature import Quorum
from shared.journal.shard import Seals, Shard
from shared.journal.signed_batch import signer_name
from shared.journal.signed_note import CheckpointError, Signer, Verifier
from shared.journal.tables import JournalTables
from shared.journal.verification import VerificationProblem
from shared.runtime.settings import Settings

UNSIGNED_TIME_MAX: Final = timedelta(minutes=10)
"""A checkpoint must cover each entry within this time; the alert PitledgerCheckpointStale has the same limit."""


@dataclass(frozen=True, slots=True)
class Signed:
    """The signed checkpoints of one shard: sizes, valid checkpoints, and problems with the others."""

    sizes: Collection[int] = ()
    checkpoints: list[Checkpoint] = field(default_factory=list)
    problems: list[VerificationProblem] = field(default_factory=list)
    lacking: dict[int, str] = field(default_factory=dict)
    """Messages on missing cosignatures, by size of the checkpoint without enough cosignatures."""

    @property
    def entries(self) -> int:
        """Return the size of the latest valid checkpoint with enough cosignatures."""
        sizes = (checkpoint.size for checkpoint in self.checkpoints)
        return max((size for size in sizes if size not in self.lacking), default=0)


@dataclass(frozen=True, slots=True)
class Kept:
    """A directory of signed checkpoints, and the keys whose signatures are accepted."""

    directory: Path
    verifiers: Sequence[Verifier] = ()
    signing_key: Path | None = None
    quorum: Quorum | None = None
    """The required cosignatures, if witnesses are configured."""

    @classmethod
    def configured(
        cls, found: Settings, directory: Path | None, keys: Sequence[str], quorum: Quorum | None = None
    ) -> Self | None:
        """Return the source that the options name, or else the settings; None if neither names a source.

        Raises: UsageWrong if the directory does not exist, or there is no key to verify its content.
        """
        said = "PITLEDGER_CHECKPOINT_DIRECTORY" if directory is None else "--checkpoints"
        directory = directory or found.checkpoint_directory
        if directory is None:
            if keys:
                raise UsageWrong("--key: of which checkpoints? give --checkpoints, or PITLEDGER_CHECKPOINT_DIRECTORY")
            return None
        if not directory.is_dir():
            raise UsageWrong(f"{said} {directory}: there is no such directory")
        if not keys and found.checkpoint_verifiers_file is not None:
            keys = [str(found.checkpoint_verifiers_file)]
        if not keys and found.checkpoint_key_file is None:
            raise UsageWrong(
                f"{said} {directory}: with which public keys? give --key, or PITLEDGER_CHECKPOINT_VERIFIERS_FILE"
            )
        return cls(directory, read_verifiers(keys), None if keys else found.checkpoint_key_file, quorum)

    def of_service(self, service: str) -> dict[str, Signed]:
        """Return the checkpoints of a service's shards, by the shard's name. Raises: UsageWrong."""
        verifiers, store = self._verifiers_of(service), DirectoryStore(self.directory)
        quorum = witnesses_of(service, self.quorum)
        prefix = checkpoint_origin(service, "")
        found: dict[str, Signed] = {}
        for origin in store.origins():
            if not origin.startswith(prefix):
                continue
            name = origin.removeprefix(prefix)
            notes, wrong = store.notes(origin)
            sizes = [read_unverified(note).size for note in notes]
            signed = found[name] = Signed(frozenset(sizes))
            signed.problems.extend(
                VerificationProblem(name, 0, f"a kept checkpoint cannot be relied on: {one}") for one in wrong
            )
            for size, note in zip(sizes, notes, strict=True):
                try:
                    signed.checkpoints.append(open_note(note, verifiers))
                    if quorum is not None and (lacking := quorum.lacking(note)):
                        signed.lacking[size] = lacking
                except CheckpointError as error:
                    signed.problems.append(
                        VerificationProblem(name, size, f"its checkpoint cannot be relied on: {error}")
                    )
        return found

    def listed(
        self, service: str, shard_name: str, notes: Mapping[int, str]
    ) -> tuple[list[Checkpoint], list[VerificationProblem]]:
        """Return the checkpoints listed in a database, and problems for those without a valid signature.

        Raises: UsageWrong.
        """
        verifiers, origin = self._verifiers_of(service), checkpoint_origin(service, shard_name)
        opened: list[Checkpoint] = []
        problems: list[VerificationProblem] = []
        for size, note in sorted(notes.items()):
            try:
                checkpoint = open_note(note, verifiers)
                if (checkpoint.origin, checkpoint.size) != (origin, size):
                    raise CheckpointError(f"it is that of {checkpoint.origin!r} at size {checkpoint.size}")
                opened.append(checkpoint)
            except CheckpointError as error:
                what = f"the checkpoint of {size} entries, which the database lists, cannot be relied on: {error}"
                problems.append(VerificationProblem(shard_name, size, what))
        return opened, problems

    def seals(self, service: str) -> Seals:
        """Return the verifier of a service's shard seals. Raises: UsageWrong."""
        return Seals(signer_name(service), self._verifiers_of(service))

    def _verifiers_of(self, service: str) -> Sequence[Verifier]:
        if self.signing_key is None:
            return self.verifiers
        try:
            return [Signer.from_pem(self.signing_key, signer_name(service)).verifier]
        except (CheckpointError, OSError) as error:
            raise UsageWrong(f"PITLEDGER_CHECKPOINT_KEY_FILE: {error}") from error


def witnesses_of(service: str, quorum: Quorum | None) -> Quorum | None:
    """Return the quorum that a service's checkpoints need; None for a confidential service, which uses no witnesses."""
    return None if quorum is None or load(service).confidential else quorum


def latest_note(store: DirectoryStore, origin: str, quorum: Quorum | None) -> str | None:
    """Return the latest checkpoint of a log with enough cosignatures, or None.

    Raises: CheckpointError if a stored checkpoint cannot be read.
    """
    if quorum is None:
        return store.latest(origin)
    notes, wrong = store.notes(origin)
    if wrong:
        raise wrong[0]
    return next((note for note in reversed(notes) if not quorum.lacking(note)), None)


async def listed(connection: AsyncConnection, tables: JournalTables) -> dict[str, dict[int, str]]:
    """Return the checkpoints listed in the database, by the shard's name and by size.

    A checkpoint is stored before it is listed. A listed checkpoint must therefore be in the directory, unless later
    checkpoints superseded it.
    """
    c, s = tables.checkpoints.c, tables.shards.c
    joined = tables.checkpoints.join(tables.shards, c.shard == s.shard)
    notes: dict[str, dict[int, str]] = defaultdict(dict)
    for name, size, note in await connection.execute(select(s.name, c.size, c.note).select_from(joined)):
        notes[name][size] = note
    return notes


async def missing(
    connection: AsyncConnection, tables: JournalTables, shard: Shard, signed: Signed, listed_sizes: Collection[int]
) -> list[VerificationProblem]:
    """Return a problem for each listed checkpoint that is not stored, and a problem if the next checkpoint is overdue.

    `listed_sizes` are the sizes of the checkpoints that the database listed before the directory was read.
    """
    problems = [
        VerificationProblem(
            shard.name, size, f"the signed checkpoint of {size} entries, which the database lists, is not kept"
        )
        for size in sorted(listed_sizes)
        if not _is_kept(size, signed.sizes)
    ]
    e = tables.entries.c
    waiting = select(e.recorded_at).where(e.shard == shard.shard, e.seq == signed.entries + 1)
    since = (await connection.execute(waiting)).scalar()
    if since is not None and datetime.now(UTC) - since > UNSIGNED_TIME_MAX:
        latest = f"the latest covers {signed.entries} entries" if signed.entries else "there is none"
        if signed.lacking and (size := max(signed.lacking)) > signed.entries:
            latest += f"; the checkpoint of {size} entries is {signed.lacking[size]}"
        what = f"no signed checkpoint covers it, though it was recorded at {since:%Y-%m-%d %H:%M:%S}Z: {latest}"
        problems.append(VerificationProblem(shard.name, signed.entries + 1, what))
    return problems


def _is_kept(size: int, kept: Collection[int]) -> bool:
    """Return whether a checkpoint is stored, or may be missing because it is superseded.

    A checkpoint is superseded once an earlier checkpoint of the same tile and any later checkpoint are stored.
    """
    first = min((one for one in kept if tile_of(one) == tile_of(size)), default=size)
    return size in kept or (first < size < max(kept, default=0))
