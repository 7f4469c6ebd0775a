"""Watch a service's own journal: verify what is new, and sign checkpoints of what was verified."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import structlog
from sqlalchemy.dialects.postgresql import insert as upsert

from shared.journal.checkpoint import Checkpoint
from shared.journal.ledger import Shard
from shared.journal.reading import Pacing
from shared.journal.signed_note import CheckpointError
from shared.journal.verification import Problem, Verified, read_shards, verify_shard
from shared.runtime.context import RuntimeContext
from shared.runtime.errors import Kind, kind_of
from shared.runtime.service.notary import Notary

log = structlog.get_logger()

ENTRIES_AT_ONCE: Final = 100
"""Entries that are verified before there is a rest: some milliseconds, for which requests wait."""

_REST_SECONDS: Final = 0.03
"""How long a rest is."""

_RETRY_SECONDS = 1.0
"""Pause after the database did not answer."""


@dataclass(slots=True)
class Guard:
    """Verify and sign, every so often. With no notary there are no checkpoints."""

    context: RuntimeContext
    notary: Notary | None = None
    problems: list[Problem] = field(default_factory=list)
    begun: bool = False
    verified_at: datetime | None = None
    """When all that there was had been verified last."""
    signed_at: datetime | None = None
    _reached: dict[int, Verified] = field(default_factory=dict)

    async def run(self) -> None:
        """Watch until cancelled."""
        while True:
            settings = self.context.settings
            pause = min(settings.verification_seconds, settings.checkpoint_seconds)
            try:
                await self.watch()
            except OSError as error:
                log.error("checkpoint not kept", error=str(error))
            except Exception as error:
                if kind_of(error) is Kind.BUG:
                    raise
                log.warning("verification waits", error=str(error))
                pause = min(pause, _RETRY_SECONDS)  # the service is not ready before its first verification
            await asyncio.sleep(pause)

    async def watch(self) -> None:
        """Verify and sign what each shard has gained, with rests.

        The signatures are looked up before the shards: whatever is signed by then must be there.
        """
        parts = Pacing(ENTRIES_AT_ONCE, self._rest)
        kept = {} if self.notary is None else await asyncio.to_thread(self.notary.kept)
        async with self.context.engine.connect() as connection:
            for shard in await read_shards(connection, self.context.tables):
                reached = self._reached.setdefault(shard.shard, Verified(shard.name))
                checkpoints = self._open(shard.name, [size for size in kept.get(shard.name, ()) if size > reached.seq])
                async for problem in verify_shard(connection, self.context.tables, shard, reached, checkpoints, parts):
                    self._found(problem)
                if reached.seq and not any(problem.shard == shard.name for problem in self.problems):
                    await self._sign(shard, reached)
        self.begun = True
        self.verified_at = self.context.clock()
        self.observe()

    async def _rest(self) -> None:
        """Leave room for working; a service with a long journal works before all of it is verified."""
        self.begun = True
        await asyncio.sleep(_REST_SECONDS)

    def _found(self, problem: Problem) -> None:
        if problem not in self.problems:
            log.error("journal verification failed", shard=problem.shard, entry=problem.seq, what=problem.what)
            self.problems.append(problem)

    def _open(self, shard_name: str, sizes: list[int]) -> list[Checkpoint]:
        try:
            return [] if self.notary is None else self.notary.open(shard_name, sizes)
        except CheckpointError as error:
            self._found(Problem(shard_name, 0, str(error)))
            return []

    async def _sign(self, shard: Shard, reached: Verified) -> None:
        if self.notary is None:
            return
        try:
            note = await asyncio.to_thread(self.notary.sign, shard.name, reached.frontier)
        except CheckpointError as error:
            self._found(Problem(shard.name, reached.seq, str(error)))
            return
        async with self.context.engine.begin() as connection:
            statement = upsert(self.context.tables.checkpoints).values(
                shard=shard.shard, size=reached.seq, note=note, signed_at=self.context.clock()
            )
            await connection.execute(statement.on_conflict_do_nothing())
        self.signed_at = self.context.clock()

    def observe(self) -> None:
        """Update the ages."""
        now = self.context.clock()
        self.context.metrics.verification_ok.set(self.begun and not self.problems)
        if self.verified_at is not None:
            self.context.metrics.verification_age.set((now - self.verified_at).total_seconds())
        if self.signed_at is not None:
            self.context.metrics.checkpoint_age.set((now - self.signed_at).total_seconds())
