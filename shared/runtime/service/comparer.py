"""Compare the read model with the journal while the service works: what was altered past the service is found."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Any, Final

import structlog
from confluent_kafka import KafkaException
from sqlalchemy import func, select, text

from shared.runtime.context import RuntimeContext
from shared.runtime.differences import Comparison
from shared.runtime.errors import Kind, Stop, kind_of
from shared.runtime.service.alone import alone
from shared.runtime.service.comparing import compare_all
from shared.runtime.service.manifest import Manifest
from shared.runtime.service.pace import Pace
from shared.runtime.service.projecting import project_all, tables_of
from shared.runtime.service.shadow import copy_of, second_copy

log = structlog.get_logger()

COMPARED_A_SECOND: Final = 50
"""Entries and events that are projected again each second, or more: all within PASS_SECONDS_MAX."""

PASS_SECONDS_MAX: Final = 3600
"""How long a comparison takes at most, where its rests allow it: its transaction keeps dead rows from vacuum."""

PART: Final = 100
"""Entries and events that are projected before there is a rest: some milliseconds, for which requests wait."""

_PAUSE_OF_PASS: Final = 2
"""How many times as long as a comparison took nothing is compared after it, at least."""


@dataclass(slots=True)
class Comparer:
    """Compare every so often. `found` is what the last comparison came to."""

    context: RuntimeContext
    manifest: Manifest
    sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep
    alone: Callable[..., AbstractAsyncContextManager[Callable[[], Awaitable[bool]]]] = alone
    found: Comparison | None = None
    compared_at: datetime | None = None
    """When the last comparison of everything ended; before the first one, when the process began."""
    failed: str | None = None
    """Why the last comparison could not be made: something is as nobody wrote it."""

    async def run(self) -> None:
        """Compare until cancelled, first after a pause: a start has other things to do.

        One process of the service does; the others wait until it has ended.
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
                if kind_of(error) is Kind.BUG:
                    raise
                log.warning("comparison waits", error=str(error))

    async def _try(self) -> None:
        """Compare, and tell what came of it, whatever that is."""
        try:
            await self.compare()
        except (Stop, KafkaException) as error:
            log.error("read model not compared with the journal", error=str(error))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told
            if kind_of(error) in (Kind.TRANSIENT, Kind.AMBIGUOUS):
                log.warning("comparison waits", error=str(error))
            else:  # the service works on: who alters a row must not be able to stop it
                self._fail(f"the comparison with the journal failed: {error!r}")

    async def compare(self) -> None:
        """Compare all tables that follow from the journal and from topics, as they stand now.

        Raises: Stop, KafkaException where a topic that is needed cannot be read from its first record on.
        """
        tables = tables_of(self.manifest)
        async with second_copy(self.context.pools.background, tables) as (connection, redirect):
            s = self.manifest.journal.shards.c
            read = await connection.execute(select(func.coalesce(func.sum(s.next_seq - 1 + s.next_offset), 0)))
            pace = Pace(
                self.context.settings.background_share,
                a_second=max(COMPARED_A_SECOND, int(read.scalar_one()) / PASS_SECONDS_MAX),
                sleep=self.sleep,
            )
            unfit = await project_all(connection, self.manifest, self.context.settings, part=PART, rest=pace.rest)
            redirect.to_tables()
            for table in tables:
                await connection.execute(text(f"ANALYZE pg_temp.{table.name}"))
                await pace.rest(0)
            pairs = [(table, copy_of(table)) for table in tables]
            compared = await compare_all(connection, self.manifest, pairs, rest=pace.rest)
        self._tell(Comparison(compared, unfit))

    def _fail(self, why: str) -> None:
        """Keep why nothing could be compared, and log it with where it happened unless it happened before."""
        if why != self.failed:
            log.exception("comparison failed")
        self.failed = why
        self.observe()

    def _tell(self, comparison: Comparison) -> None:
        """Keep what was found, and log it unless it was found before."""
        known, self.found = self.found, comparison
        self.compared_at, self.failed = self.context.clock(), None
        self.observe()
        if known is not None and comparison.wrong == known.wrong:
            return
        for unfit in comparison.unfit:
            log.error("entry does not fit", entry=f"{unfit.shard}/{unfit.seq}", kind=unfit.kind, what=unfit.what)
        for one in comparison.tables:
            for row in one.first:
                log.error("read model differs", table=one.table, key=row.key, columns=row.columns or "the whole row")

    @property
    def problem(self) -> str | None:
        """Return what is wrong with the read model, None where nothing was found."""
        if self.failed is not None or self.found is None or not self.found.different:
            return self.failed
        return f"{self.found.different} rows or entries are not as the journal says, first: {self.found.first}"

    def observe(self) -> None:
        """Update the figures."""
        different = 0 if self.found is None else self.found.different
        self.context.metrics.projection_differences.set(different + (self.failed is not None))
        if self.compared_at is not None:
            self.context.metrics.projection_age.set((self.context.clock() - self.compared_at).total_seconds())
