"""Verify a service's own journal: sign new entries after verification, and verify old ones again in rotation."""

import asyncio
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import structlog
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.journal.checkpoint import Checkpoint, read_unverified
from shared.journal.checkpoint_store import StaleCheckpoint
from shared.journal.proof_builder import list_checkpoint
from shared.journal.reading import Pacing
from shared.journal.shard import Shard
from shared.journal.signed_note import CheckpointError
from shared.journal.verification import VerificationProblem, Verified, read_shards, verify_entries, verify_shard
from shared.journal.verification_bookmark import VerificationBookmark, VerifiedPosition
from shared.runtime.background.periodic import repeat
from shared.runtime.context import RuntimeContext
from shared.runtime.service.checkpoint_signer import CheckpointSigner

log = structlog.get_logger()

ENTRIES_AT_ONCE: Final = 100
"""Entries verified between two pauses: some milliseconds, during which requests wait."""

SCRUBBED_A_SECOND: Final = 100
"""Minimum number of old entries verified again per second: about one percent of a CPU."""

SCRUBBED_A_SECOND_MAX: Final = 400
"""Maximum number per second. For a longer journal, a pass over all entries takes longer instead of more CPU."""

_REST_SECONDS: Final = 0.03
"""Duration of a pause."""

_RETRY_SECONDS = 1.0
"""Pause after a failed verification, such as an unavailable database."""


def entries_due(entries: int, seconds: float, scrub_seconds: float) -> int:
    """Return the number of old entries that are due to be verified again after `seconds`.

    At this rate all `entries` entries are verified within `scrub_seconds`, or within `pass_seconds` if that is longer.
    """
    return math.ceil(seconds * min(SCRUBBED_A_SECOND_MAX, max(SCRUBBED_A_SECOND, entries / scrub_seconds)))


def pass_seconds(entries: int, scrub_seconds: float) -> float:
    """Return the duration, in seconds, of a pass that verifies every entry of a journal again.

    >>> pass_seconds(34_560_000, 86_400.0), pass_seconds(345_600_000, 86_400.0)
    (86400.0, 864000.0)
    """
    return max(scrub_seconds, entries / SCRUBBED_A_SECOND_MAX)


@dataclass(slots=True)
class VerifiedShard:
    """A shard under verification: the progress on its new entries, and of the current pass over its old entries."""

    shard: Shard
    reached: Verified
    scrubbed: Verified
    scrubbed_at: datetime
    """When the last pass over old entries ended; until one has ended, when verification began."""
    marked: VerificationBookmark | None = None
    """The signed bookmark as last stored."""

    @property
    def mark(self) -> VerificationBookmark:
        """Return the bookmark for the current progress, unsigned."""
        verified, scrubbed = VerifiedPosition.of(self.reached), VerifiedPosition.of(self.scrubbed)
        return VerificationBookmark(verified=verified, scrubbed=scrubbed, scrubbed_at=self.scrubbed_at)


@dataclass(slots=True)
class JournalVerifier:
    """Background job that verifies and signs the journal.

    Without a checkpoint signer, the progress is lost when the process ends, and the next process begins at entry 1.
    """

    context: RuntimeContext
    notary: CheckpointSigner | None = None
    begun: bool = False
    verified_at: datetime | None = None
    """When all new entries were last verified."""
    signed_at: datetime | None = None
    _watched: dict[str, VerifiedShard] | None = None
    """Shards under verification by name; None until the stored bookmarks are read."""
    _scrubbed_until: datetime | None = None
    """When old entries were last selected for verification; those that have become due since then come next."""

    @property
    def problems(self) -> list[VerificationProblem]:
        """Return the problems that were found in the journal, by this job or by another part of the service."""
        return self.context.high_water.problems

    @property
    def scrubbed_at(self) -> datetime | None:
        """Return when the last full pass over old entries ended, for the shard where that was longest ago.

        Without shards, return `verified_at`.
        """
        return min((each.scrubbed_at for each in (self._watched or {}).values()), default=self.verified_at)

    @property
    def _pause(self) -> float:
        settings = self.context.settings
        return min(settings.verification_seconds, settings.checkpoint_seconds)

    async def run(self) -> None:
        """Verify until cancelled."""
        await repeat(
            self._pause,
            self._watch_or_say,
            lambda error: log.warning("journal verification not completed, retrying", error=str(error)),
            failed_seconds=min(self._pause, _RETRY_SECONDS),  # a service is not ready before its first verification
        )

    async def _watch_or_say(self) -> None:
        try:
            await self.watch()
        except OSError as error:
            log.error("checkpoints unreadable", error=str(error))

    async def watch(self) -> None:
        """Verify and sign new entries of each shard, then verify old entries that are due, with pauses.

        The signed checkpoints are read before the shards, so that every entry that they cover must exist.
        """
        parts = Pacing(ENTRIES_AT_ONCE, self._rest)
        kept = await self._kept()
        signed = {name: read_unverified(note).size for name, note in kept.items()}
        self.context.high_water.signed(signed)
        async with self.context.pools.background.connect() as connection:
            await connection.execution_options(isolation_level="AUTOCOMMIT")  # no pause happens inside a transaction
            if self._watched is None:
                self._watched = await self._marked(connection)
            shards = await read_shards(connection, self.context.tables)
            self._require_all(shards, signed)
            for watched in [self._look_at(shard) for shard in shards]:
                name, reached = watched.shard.name, watched.reached.seq
                newer = [self._open(name, kept[name])] if signed.get(name, 0) > reached else []
                await self._verify_new(connection, watched, [one for one in newer if one is not None], parts)
            await self._scrub(connection, parts)
        await self._keep_marks()
        self.begun = True
        self.verified_at = self.context.clock()
        self.observe()

    async def _kept(self) -> Mapping[str, str]:
        """Return the latest stored checkpoint notes by shard name; report a damaged note as a problem."""
        try:
            return {} if self.notary is None else await asyncio.to_thread(self.notary.latest)
        except CheckpointError as error:
            self._found(VerificationProblem("the signed checkpoints", 0, str(error)))
            return {}

    async def _marked(self, connection: AsyncConnection) -> dict[str, VerifiedShard]:
        """Return the shards by name, with the progress that the signed bookmarks record.

        A bookmark without this service's signature is ignored, so its shard is verified from the first entry.
        """
        watched: dict[str, VerifiedShard] = {}
        if self.notary is None:
            return watched
        table = self.context.tables.verified
        for number, note in (await connection.execute(select(table.c.shard, table.c.note))).all():
            try:
                name, mark = self.notary.open_mark(note)
            except CheckpointError as error:
                log.error(
                    "verification bookmark invalid, restarting from the first entry", number=number, error=str(error)
                )
                continue
            reached, scrubbed = mark.verified.verified(name), mark.scrubbed.verified(name)
            shard = Shard(number, name, 0, mark.verified.seq + 1, mark.verified.head)
            watched[name] = VerifiedShard(shard, reached, scrubbed, mark.scrubbed_at, mark)
        return watched

    def _require_all(self, shards: Sequence[Shard], signed: Mapping[str, int]) -> None:
        """Report shards that were verified or signed before and no longer exist."""
        known = {name: watched.reached.seq for name, watched in (self._watched or {}).items()}
        there = {shard.name for shard in shards}
        for name, entries in ({**signed, **known}).items():
            if name not in there:
                self._found(VerificationProblem(name, 0, f"the shard is gone: {entries} entries of it were verified"))

    def _look_at(self, shard: Shard) -> VerifiedShard:
        """Return the verification state of a shard, updated to the shard's current row."""
        assert self._watched is not None
        watched = self._watched.get(shard.name)
        if watched is None:
            new = VerifiedShard(shard, Verified(shard.name), Verified(shard.name), self.context.clock())
            watched = self._watched[shard.name] = new
        watched.shard = shard
        return watched

    async def _verify_new(
        self, connection: AsyncConnection, watched: VerifiedShard, checkpoints: Iterable[Checkpoint], parts: Pacing
    ) -> None:
        """Verify the new entries of a shard, and sign its new end unless the shard has a problem."""
        shard, reached = watched.shard, watched.reached
        tables, seals = self.context.tables, self.context.ledger.seals
        async for problem in verify_shard(connection, tables, shard, reached, checkpoints, parts, seals=seals):
            self._found(problem)
        if reached.seq and self._is_good(shard):
            await self._sign(shard, reached)

    async def _scrub(self, connection: AsyncConnection, parts: Pacing) -> None:
        """Verify the old entries that are due, continuing the rotation.

        The shard whose last pass ended longest ago comes first. A pass ends at the last verified entry. Its Merkle root
        must equal the root that the first verification computed.
        """
        watched = sorted(self._good(), key=lambda each: each.scrubbed_at)
        now = self.context.clock()
        since = self._pause if self._scrubbed_until is None else (now - self._scrubbed_until).total_seconds()
        seconds = max(0.0, min(since, 2 * self._pause))  # capped, so that new entries are verified in between
        entries = sum(each.reached.seq for each in watched)
        left = entries_due(entries, seconds, self.context.settings.scrub_seconds)
        self._scrubbed_until = now
        for each in watched:
            if left <= 0:
                break
            before, again = each.scrubbed.seq, each.scrubbed
            last = min(each.reached.seq, before + left)
            async for problem in verify_entries(
                connection, self.context.tables, each.shard, again, last=last, parts=parts
            ):
                self._found(problem)
            left -= again.seq - before
            if again.seq == each.reached.seq:
                if again.frontier.root() != each.reached.frontier.root():
                    self._found(
                        VerificationProblem(
                            each.shard.name, again.seq, "the entries up to here are not those verified before"
                        )
                    )
                each.scrubbed, each.scrubbed_at = Verified(each.shard.name), self.context.clock()

    async def _rest(self) -> None:
        """Pause between batches; mark the verifier as started, so that a long journal delays no start of a service."""
        self.begun = True
        await asyncio.sleep(_REST_SECONDS)

    def _good(self) -> list[VerifiedShard]:
        """Return the shards under verification in which no problem was found."""
        return [each for each in (self._watched or {}).values() if self._is_good(each.shard)]

    def _is_good(self, shard: Shard) -> bool:
        return all(problem.shard != shard.name for problem in self.problems)

    def _found(self, problem: VerificationProblem) -> None:
        if self.context.high_water.found(problem):
            log.error("journal verification found a problem", shard=problem.shard, entry=problem.seq, what=problem.what)

    def _open(self, shard_name: str, note: str) -> Checkpoint | None:
        """Return a stored checkpoint, or None, with a problem report, if no key of the service signed it."""
        assert self.notary is not None
        try:
            return self.notary.open(note)
        except CheckpointError as error:
            self._found(VerificationProblem(shard_name, 0, str(error)))
            return None

    async def _sign(self, shard: Shard, reached: Verified) -> None:
        if self.notary is None:
            return
        try:
            note = await asyncio.to_thread(self.notary.sign, shard.name, reached.frontier)
        except StaleCheckpoint:
            # Another process of the service has verified and signed more meanwhile. The next round reads that
            # checkpoint, and reports a shard that has fewer entries than were signed.
            self.signed_at = self.context.clock()
            return
        except CheckpointError as error:
            self._found(VerificationProblem(shard.name, reached.seq, str(error)))
            return
        except OSError as error:  # such as a full disk: verification goes on, and the next round signs
            log.error("checkpoint not stored", error=str(error))
            return
        async with self.context.pools.background.begin() as connection:
            now = self.context.clock()
            await list_checkpoint(connection, self.context.tables, shard.shard, reached.seq, note, now)
        self.signed_at = self.context.clock()

    async def _keep_marks(self) -> None:
        """Sign and store the progress of each shard that has no problem.

        The stored bookmark of a shard with a problem does not advance past the problem, so that it is found again after
        a restart.
        """
        if self.notary is None:
            return
        changed = [each for each in self._good() if each.reached.seq and each.mark != each.marked]
        if not changed:
            return
        marks = [(each, each.mark) for each in changed]
        now, table = self.context.clock(), self.context.tables.verified
        rows = [
            {"shard": each.shard.shard, "note": self.notary.mark(each.shard.name, mark), "signed_at": now}
            for each, mark in marks
        ]
        statement = upsert(table)
        replaced = {name: statement.excluded[name] for name in ("note", "signed_at")}
        async with self.context.pools.background.begin() as connection:
            await connection.execute(statement.on_conflict_do_update(index_elements=["shard"], set_=replaced), rows)
        for each, mark in marks:
            each.marked = mark

    def observe(self) -> None:
        """Update the verification metrics."""
        now = self.context.clock()
        self.context.metrics.verification_ok.set(self.begun and not self.problems)
        if self.verified_at is not None:
            self.context.metrics.verification_age.set((now - self.verified_at).total_seconds())
        if self.scrubbed_at is not None:
            self.context.metrics.scrub_age.set((now - self.scrubbed_at).total_seconds())
        entries = sum(each.reached.seq for each in (self._watched or {}).values())
        self.context.metrics.scrub_pass.set(pass_seconds(entries, self.context.settings.scrub_seconds))
        if self.signed_at is not None:
            self.context.metrics.checkpoint_age.set((now - self.signed_at).total_seconds())
