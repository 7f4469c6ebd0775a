"""Background job: re-derive the new part of a service's journal from its topics."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import structlog

from shared.journal.reading import Pacing
from shared.journal.verification import VerificationProblem
from shared.runtime.background.periodic import repeat
from shared.runtime.context import RuntimeContext
from shared.runtime.kafka_settings import KafkaSettings
from shared.runtime.rederivation.derivation import DerivationPosition
from shared.runtime.rederivation.journal_rederivation import rederive
from shared.runtime.rederivation.replay_spec import ReplaySpec, Topics
from shared.runtime.rederivation.replay_state import Busy, ReplayState
from shared.runtime.throttle import CpuThrottle

log = structlog.get_logger()

_FIRST_SECONDS_MAX: Final = 300.0
"""Maximum delay of the first pass after the service starts, in seconds."""

_RECORDS_AT_ONCE: Final = 50
_REST_SECONDS_MIN: Final = 0.03


def _of_cluster(settings: KafkaSettings) -> AbstractContextManager[Topics]:
    from shared.runtime.rederivation.independent_reader import (
        Records,  # imported here, because its Kafka client is needed for nothing else
    )

    return Records(settings, at_once=_RECORDS_AT_ONCE)


@dataclass(slots=True)
class RederivationJob:
    """Background job that re-derives the journal and compares the result with the recorded journal.

    Progress is stored in the checkpoint directory; without a directory, it is lost when the service ends. If several
    processes share the directory, only one of them re-derives at a time.
    """

    context: RuntimeContext
    agains: Callable[[], Sequence[ReplaySpec[Any]]]
    topics: Callable[[KafkaSettings], AbstractContextManager[Topics]] = _of_cluster
    problems: list[VerificationProblem] = field(default_factory=list)
    """The problems found in the last pass."""
    derived_at: datetime | None = None
    """When the last pass ended; until one has ended, when the service started."""

    async def run(self) -> None:
        """Re-derive until cancelled."""
        seconds = self.context.settings.rederivation_seconds
        self.derived_at = self.context.clock()
        await asyncio.sleep(min(seconds, _FIRST_SECONDS_MAX))
        with ReplayState() as forgotten:

            async def derive() -> None:
                try:
                    with self._kept() or nullcontext(forgotten) as memory:
                        await self.derive(memory)
                except Busy:
                    log.info("re-derivation skipped, another process is running it")

            def note(error: Exception) -> None:
                forgotten.forget()
                log.warning("re-derivation failed, retrying", error=str(error))

            await repeat(seconds, derive, note)

    async def derive(self, memory: ReplayState) -> None:
        """Re-derive the new part of the journal, with pauses. Raises: ConnectionError, database errors."""
        found: list[VerificationProblem] = []
        derived: list[DerivationPosition] = []
        pace = CpuThrottle(self.context.settings.background_share, rest_seconds_min=_REST_SECONDS_MIN)
        topics = await asyncio.to_thread(self.topics, self.context.settings)
        with topics as records:
            async with self.context.pools.background.connect() as connection:
                await connection.execution_options(isolation_level="AUTOCOMMIT")
                async for problem in rederive(
                    connection,
                    self.context.tables,
                    self.context.service,
                    self.agains(),
                    records,
                    memory,
                    verifier=self.context.verifier,
                    parts=Pacing(rest=pace.rest),
                    begun=lambda reached, _: derived.append(reached),
                ):
                    log.error("re-derivation mismatch", shard=problem.shard, entry=problem.seq, what=problem.what)
                    found.append(problem)
        self.problems, self.derived_at = found, self.context.clock()
        self.context.metrics.rederived.inc(sum(reached.entries for reached in derived))
        self.observe()

    def observe(self) -> None:
        """Update the metrics."""
        self.context.metrics.rederivation_problems.set(len(self.problems))
        if self.derived_at is not None:
            self.context.metrics.rederivation_age.set((self.context.clock() - self.derived_at).total_seconds())

    async def check(self) -> str | None:
        """Return why the service is not ready (its journal differs from the re-derivation), or None if it is ready."""
        if not self.problems:
            return None
        first = self.problems[0]
        return f"{len(self.problems)} problems, first: {first.shard} entry {first.seq}: {first.what}"

    def _kept(self) -> ReplayState | None:
        directory: Path | None = self.context.settings.checkpoint_directory
        if directory is None:
            return None
        directory.mkdir(parents=True, exist_ok=True)
        return ReplayState(directory / f"{self.context.service}.rederived")
