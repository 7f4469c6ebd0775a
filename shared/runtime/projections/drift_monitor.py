"""Compare the read model with the journal while the service runs, to detect changes made past the service."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Any, Final

import structlog

from shared.runtime.background.leader import leadership
from shared.runtime.background.throttle import CpuThrottle
from shared.runtime.context import RuntimeContext
from shared.runtime.differences import TableComparison
from shared.runtime.errors import ErrorKind, kind_of
from shared.runtime.projections.drift import compare
from shared.runtime.projections.projection_replay import Rest
from shared.runtime.service.manifest import Manifest

log = structlog.get_logger()

COMPARED_A_SECOND: Final = 50
"""Minimum rate of projecting entries and events again; higher if PASS_SECONDS_MAX requires it."""

PASS_SECONDS_MAX: Final = 3600
"""Maximum duration of a comparison, pauses permitting: its transaction keeps dead rows from vacuum."""

PART: Final = 100
"""Entries and events projected between two pauses: some milliseconds, for which requests wait."""

_PAUSE_OF_PASS: Final = 2
"""Minimum pause between comparisons, as a multiple of the last one's duration."""


@dataclass(slots=True)
class DriftMonitor:
    """Compare periodically. `found` is the result of the last comparison."""

    context: RuntimeContext
    manifest: Manifest
    sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep
    alone: Callable[..., AbstractAsyncContextManager[Callable[[], Awaitable[bool]]]] = leadership
    found: TableComparison | None = None
    compared_at: datetime | None = None
    """End of the last complete comparison; before the first one, the start of the process."""
    failed: str | None = None
    """Why the last comparison failed: the data is not readable as written."""

    async def run(self) -> None:
        """Compare until cancelled, after an initial pause because a start is busy.

        One process of the service compares; the others wait until it ends.
        """
        self.compared_at = self.context.clock()
        while True:
            await asyncio.sleep(self.context.settings.comparison_seconds)
            try:
                async with self.alone(
                    self.context.pools.background, f"{self.context.tables.schema}.comparison"
                ) as is_ours:
                    while await is_ours():
                        began = monotonic()
                        await self._try()
                        pause = _PAUSE_OF_PASS * (monotonic() - began)
                        await asyncio.sleep(max(self.context.settings.comparison_seconds, pause))
                self.found = self.failed = None  # whoever compares now tells what is there
            except Exception as error:
                if kind_of(error) is ErrorKind.BUG:
                    raise
                log.warning("projection comparison not begun, retrying", error=str(error))

    async def _try(self) -> None:
        """Compare, and report the result or the failure."""
        try:
            await self.compare()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told
            if kind_of(error) in (ErrorKind.TRANSIENT, ErrorKind.AMBIGUOUS):
                log.warning("projection comparison failed, retrying", error=str(error))
            else:  # the service works on: who alters a row must not be able to stop it
                self._fail(f"the comparison with the journal failed: {error!r}")

    async def compare(self) -> None:
        """Compare all tables that follow from the journal and from topics, in their current state."""
        context = self.context

        def resting(size: int) -> Rest:
            share, a_second = context.settings.background_share, max(COMPARED_A_SECOND, size / PASS_SECONDS_MAX)
            return CpuThrottle(share, a_second=a_second, sleep=self.sleep).rest

        engine = context.pools.background
        self._tell(await compare(engine, self.manifest, context.settings, part=PART, resting=resting))

    def _fail(self, why: str) -> None:
        """Keep why the comparison failed, and log it with a traceback unless it is the same failure as before."""
        if why != self.failed:
            log.exception("comparison failed")
        self.failed = why
        self.observe()

    def _tell(self, comparison: TableComparison) -> None:
        """Keep the result, and log findings that are new."""
        known, self.found = self.found, comparison
        self.failed = None
        if all(one.altered for one in comparison.uncompared):
            self.compared_at = self.context.clock()
        self.observe()
        if known is not None and comparison.wrong == known.wrong:
            return
        for unfit in comparison.unfit:
            log.error(
                "entry not applicable to projection",
                entry=f"{unfit.shard}/{unfit.seq}",
                kind=unfit.kind,
                what=unfit.what,
            )
        for step in comparison.uncompared:
            log.error("projection not compared", what=step.what, error=step.why)
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
        """Return the drift of the read model, or None."""
        if self.failed is not None or self.found is None or not self.found.different:
            return self.failed
        return f"{self.found.different} rows or entries are not as the journal says, first: {self.found.first}"

    def observe(self) -> None:
        """Update the figures."""
        different = 0 if self.found is None else self.found.different
        self.context.metrics.projection_differences.set(different + (self.failed is not None))
        if self.compared_at is not None:
            self.context.metrics.projection_age.set((self.context.clock() - self.compared_at).total_seconds())
