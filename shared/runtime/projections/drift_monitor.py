"""Compare the read model with the journal while the service runs, to detect changes that bypassed the service."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import structlog

from shared.runtime.background.leader import leadership
from shared.runtime.background.periodic import repeat
from shared.runtime.context import RuntimeContext
from shared.runtime.differences import TableComparison
from shared.runtime.errors import ErrorKind, kind_of
from shared.runtime.projections.incremental_comparison import IncrementalComparison
from shared.runtime.service.manifest import Manifest
from shared.runtime.throttle import CpuThrottle

log = structlog.get_logger()

PART: Final = 100
"""Entries or events that are projected at once: some milliseconds, during which requests wait."""


@dataclass(slots=True)
class DriftMonitor:
    """Background job that periodically compares the read model with the journal. `found` is the last result."""

    context: RuntimeContext
    manifest: Manifest
    sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep
    alone: Callable[..., AbstractAsyncContextManager[Callable[[], Awaitable[bool]]]] = leadership
    found: TableComparison | None = None
    compared_at: datetime | None = None
    """When the last complete comparison of changed rows ended; until one has ended, when this process started."""
    comparison: IncrementalComparison | None = None
    """The incremental comparison with its database session; None while this process is not the one that compares."""
    passed_at: datetime | None = None
    """When the last full pass over all rows ended; until one has ended, when this process started."""
    failed: str | None = None
    """Why the last comparison failed unexpectedly, for example because of unreadable data; None if it did not fail."""

    async def run(self) -> None:
        """Compare until cancelled, after an initial pause that lets the service start.

        One process of the service compares; another one takes over when it ends.
        """
        self.compared_at = self.passed_at = self.context.clock()
        seconds = self.context.settings.comparison_seconds
        await asyncio.sleep(seconds)
        await repeat(
            seconds,
            self._while_ours,
            lambda error: log.warning("projection comparison not started, retrying", error=str(error)),
        )

    async def _while_ours(self) -> None:
        """Compare as long as this process is the leader."""
        async with self.alone(self.context.pools.background, f"{self.context.tables.schema}.comparison") as is_ours:
            try:
                while await is_ours():
                    await self._try()
                    await asyncio.sleep(self.context.settings.comparison_seconds)
            finally:
                await self.end()
        self.found = self.failed = None  # the new leader reports the drift

    async def _try(self) -> None:
        """Compare once, and report the result or the failure."""
        try:
            await self.compare()
        except Exception as error:  # noqa: BLE001 - any failure is reported
            if kind_of(error) in (ErrorKind.TRANSIENT, ErrorKind.AMBIGUOUS, ErrorKind.FENCED):
                log.warning("projection comparison failed, retrying", error=str(error))
            else:  # the service keeps running: whoever can alter a row must not be able to stop it
                self._fail(f"the comparison with the journal failed: {error!r}")

    async def compare(self) -> None:
        """Run one turn of the comparison with the journal and the topics, and report the result."""
        if self.comparison is None:
            context = self.context
            rest = CpuThrottle(context.settings.background_share, sleep=self.sleep).rest
            self.comparison = await IncrementalComparison.open(
                context.pools.background, self.manifest, context.settings, part=PART, rest=rest, clock=context.clock
            )
        try:
            found = await self.comparison.compare()
        except BaseException:
            await self.end()
            raise
        self.passed_at = self.comparison.passed_at or self.passed_at
        self._tell(found)

    async def end(self) -> None:
        """Close the session of the comparison in progress."""
        ended, self.comparison = self.comparison, None
        if ended is not None:
            await ended.close()

    def _fail(self, why: str) -> None:
        """Store why the comparison failed; log it with a traceback, unless the reason is the same as last time."""
        if why != self.failed:
            log.exception("projection comparison failed unexpectedly")
        self.failed = why
        self.observe()

    def _tell(self, comparison: TableComparison) -> None:
        """Store the result, and log its findings if they differ from the last result's."""
        known, self.found = self.found, comparison
        self.failed = None
        if all(one.altered for one in comparison.uncompared):
            self.compared_at = self.context.clock()
        self.observe()
        if known is not None and comparison.wrong == known.wrong:
            return
        for unfit in comparison.unfit:
            log.error(
                "entry could not be applied to projection",
                entry=f"{unfit.shard}/{unfit.seq}",
                kind=unfit.kind,
                what=unfit.what,
            )
        for step in comparison.uncompared:
            log.error("projection comparison incomplete", what=step.what, error=step.why)
        for one in comparison.tables:
            for row in one.first:
                log.error(
                    "projection differs from journal",
                    table=one.table,
                    key=row.key,
                    columns=row.columns or "the whole row",
                )

    @property
    def problem(self) -> str | None:
        """Return the drift of the read model, or why it could not be compared; None if there is no drift."""
        if self.failed is not None or self.found is None or not self.found.different:
            return self.failed
        return f"{self.found.different} rows or entries are not as the journal says, first: {self.found.first}"

    def observe(self) -> None:
        """Update the metrics."""
        different = 0 if self.found is None else self.found.different
        self.context.metrics.projection_differences.set(different + (self.failed is not None))
        if self.compared_at is not None:
            self.context.metrics.projection_age.set((self.context.clock() - self.compared_at).total_seconds())
        if self.passed_at is not None:
            self.context.metrics.projection_pass_age.set((self.context.clock() - self.passed_at).total_seconds())
        if self.comparison is not None:
            self.context.metrics.projection_pass.set(self.comparison.pass_seconds)
