"""Compare a service's tables with a persistent second copy, which is updated from the journal and the topics.

Each turn projects new entries and records into the copy and checks the next rows of a full pass. It then compares, in
one snapshot, the rows that have changed or that differed before. Transactions are short, and the cost depends on what
is new, not on the length of the journal. At the end of a full pass, the digest of the checked rows must equal the
digest of the projected rows, which also detects a row that was altered in table and copy alike.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Self

import structlog
from sqlalchemy import Table, select, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from shared.runtime.clock import Clock, utc_now
from shared.runtime.database import keep_open
from shared.runtime.database_names import schema_of_copy
from shared.runtime.differences import ComparedTable, InapplicableEntry, TableComparison, UncomparedTable
from shared.runtime.ingest.handler import ReadModelHandler
from shared.runtime.ingest.topic_replay import RecordsRead, read_positions
from shared.runtime.projections.comparison_steps import ComparisonSteps
from shared.runtime.projections.drift import compare_checks, run_check
from shared.runtime.projections.projection_replay import (
    keep_events,
    keepers_of,
    project_after,
    replay_of,
    tables_of,
)
from shared.runtime.projections.row_digest import EMPTY, digest_in_turns, joined
from shared.runtime.projections.shadow_tables import Redirect
from shared.runtime.projections.standing_copy import ComparisonBookmark, StandingCopy, StreamsRead
from shared.runtime.projections.unlike_rows import compare_noted, next_rows, note_unlike
from shared.runtime.projections.unprojected_tables import kept_checks
from shared.runtime.service.manifest import Manifest
from shared.runtime.settings import Settings

log = structlog.get_logger()

Rest = Callable[[], Awaitable[None]]
"""Pause between two transactions. A pause within one would let PostgreSQL end the session, and delay vacuum."""


ENTRIES_AT_ONCE: Final = 1000
"""Approximate number of entries, or of records per partition, that are projected in one transaction."""

ROWS_AT_ONCE: Final = 10_000
"""Maximum number of rows that a full pass checks in one transaction."""

ROWS_A_TURN: Final = 20_000
"""Minimum number of rows that a full pass checks in one turn."""

ROWS_A_TURN_MAX: Final = 200_000
"""Maximum number of rows that a full pass checks in one turn. With more rows, a pass takes longer, not more CPU."""

_TURNS_A_DAY: Final = 1440
_TURN_SECONDS: Final = 120
"""Duration in seconds of a turn that checks the maximum number of rows, including all pauses."""
_TRIES: Final = 20
"""Number of attempts to catch up with the service. After that, the last snapshot is compared although it is behind."""
_BEHIND: Final = "the service has read more of it each time that it was read on"
_JOURNAL: Final = "what follows from the journal"
_COPY: Final = "the second copy of the tables"
_ALTERED: Final = "its rows are not those that were projected: somebody altered the copy; all is projected again"


def rows_due(rows: int) -> int:
    """Return the number of rows for a full pass to check in one turn, so that it ends within a day if possible.

    >>> rows_due(1000), rows_due(43_200_000), rows_due(1_300_000_000)
    (20000, 30000, 200000)
    """
    return min(ROWS_A_TURN_MAX, max(ROWS_A_TURN, rows // _TURNS_A_DAY))


def pass_seconds(rows: int) -> float:
    """Return the duration in seconds of a full pass over `rows` rows.

    >>> pass_seconds(1000), pass_seconds(1_300_000_000)
    (86400, 780000.0)
    """
    return max(86_400, rows / ROWS_A_TURN_MAX * _TURN_SECONDS)


@dataclass(slots=True)
class IncrementalComparison:
    """The incremental comparison of one service, in a database session that has exclusive use of the second copy."""

    copy: StandingCopy
    redirect: Redirect
    manifest: Manifest
    settings: Settings
    part: int
    rest: Rest
    clock: Clock
    mark: ComparisonBookmark | None
    """The progress of the copy; None if the copy must be recreated."""
    unfit: list[InapplicableEntry] = field(default_factory=list)
    checked: list[ComparedTable] = field(default_factory=list)
    """The last results of comparing unprojected tables; renewed once per full pass, and while there are differences."""
    rows: int = 0
    """The approximate number of rows in the copy."""

    @classmethod
    async def open(
        cls,
        engine: AsyncEngine,
        manifest: Manifest,
        settings: Settings,
        *,
        part: int,
        rest: Rest,
        clock: Clock = utc_now,
    ) -> Self:
        """Open the copy with its signed bookmark; without a valid bookmark, the first turn recreates the copy."""
        connection = await engine.connect()
        try:
            await connection.execution_options(isolation_level="REPEATABLE READ")
            schema, beside = schema_of_copy(manifest.schema), tuple(manifest.whole_projector.beside)
            copy = StandingCopy(connection, schema, tables_of(manifest), beside)
            async with connection.begin():
                await keep_open(connection)
                mark = await copy.open()
            if isinstance(mark, str):
                log.warning("projection comparison restarts from the first entry", why=mark)
            raw = await connection.get_raw_connection()
            redirect = Redirect(raw.driver_connection, copy.tables, beside, schema)
            known = None if isinstance(mark, str) else mark
            return cls(copy, redirect, manifest, settings, part, rest, clock, known)
        except BaseException:
            await connection.invalidate()
            raise

    @property
    def connection(self) -> AsyncConnection:
        """Return the database session of the copy."""
        return self.copy.connection

    @property
    def passed_at(self) -> datetime | None:
        """Return when the last full pass over all rows ended, or None before the first one."""
        return None if self.mark is None else self.mark.passed_at

    @property
    def pass_seconds(self) -> float:
        """Return the expected duration of a full pass over all rows, in seconds."""
        return pass_seconds(self.rows)

    async def close(self) -> None:
        """Close the database session."""
        await self.connection.invalidate()
        await self.connection.close()

    async def compare(self) -> TableComparison:
        """Project new entries, compare the changed rows, and check some of the other rows as part of the full pass.

        A differing row is compared again in each turn, even after a restart, until it is correct. After an exception
        the state in memory is unusable, so the caller must close this comparison.
        """
        steps = ComparisonSteps(self.connection)
        await self._begin(steps)
        whole = False
        while not whole:
            read = await self._read(steps, ahead=0)
            async with self._moment() as mark:
                whole = not await self._go_on(steps, mark, ENTRIES_AT_ONCE, read)
                mark.caught_up |= whole and not _failed(steps)
        ended = await self._pass(steps)
        again = ended or any(one.different for one in self.checked)
        kept: list[ComparedTable] = []
        if again:
            kept = await self._compare_kept(steps)
        for left in reversed(range(_TRIES)):
            read = await self._read(steps, ahead=ENTRIES_AT_ONCE)
            async with self._moment() as mark:
                behind = await self._go_on(steps, mark, None, read)
                if behind and left:
                    continue
                steps.uncompared += [UncomparedTable(what, _BEHIND, altered=False) for what in behind]
                return TableComparison(
                    [*await self._compare(steps, mark, kept if again else None), *self.checked],
                    self.unfit,
                    steps.uncompared,
                )
        raise AssertionError("the last try returns")

    async def _compare(
        self, steps: ComparisonSteps, mark: ComparisonBookmark, kept: Sequence[ComparedTable] | None
    ) -> list[ComparedTable]:
        """Compare the rows marked for comparison.

        With `kept`, also run the manifest's checks, and store their results together with those in `kept`.
        """
        await self.copy.absorb(mark)
        await self.copy.count_touched()
        made, compared = self._made(steps), list[ComparedTable]()
        for table in made:
            async with steps.step(table.name):
                compared.append(await compare_noted(self.copy, table))
        if kept is not None:
            self.checked = [*await self._check(steps, whole=len(made) == len(self.copy.tables)), *kept]
        return compared

    async def _begin(self, steps: ComparisonSteps) -> None:
        """Recreate the copy if it is unusable; report a copy that was altered by somebody else."""
        if self.mark is not None and not self.mark.spoiled:
            async with self.connection.begin():
                if await self.copy.is_as_made(self.mark) and await self._is_of_journal(self.mark):
                    return
            steps.uncompared.append(UncomparedTable(_COPY, _ALTERED, altered=True))
        self.unfit = []
        async with self.connection.begin():
            mark = await self.copy.begin()
            await self.copy.save(mark)
        self.mark = mark

    async def _is_of_journal(self, mark: ComparisonBookmark) -> bool:
        """Return whether the journal still contains all entries that were projected into the copy."""
        s = self.manifest.journal.shards.c
        there = {row.shard: row.next_seq for row in await self.connection.execute(select(s.shard, s.next_seq))}
        return all(seq < there.get(shard, 0) for shard, seq in mark.after.items())

    @asynccontextmanager
    async def _moment(self) -> AsyncIterator[ComparisonBookmark]:
        """Yield the bookmark in a transaction with one snapshot; store the changed bookmark at the end of the block.

        Raises: Fenced if another process has advanced the bookmark meanwhile.
        """
        assert self.mark is not None
        mark = self.mark.model_copy(deep=True)
        async with self.connection.begin():
            await self.copy.hold(mark)
            yield mark
            await self.copy.absorb(mark)
            await self.copy.save(mark)
        self.mark = mark
        await self.rest()

    async def _read(self, steps: ComparisonSteps, *, ahead: int) -> Mapping[str, RecordsRead]:
        """Return the new records of the topics, by topic, read outside of a transaction.

        `ahead` is the number of records per partition to read beyond the service's read position. If it is 0, at most
        `ENTRIES_AT_ONCE` records per partition are read.
        """
        assert self.mark is not None
        found: dict[str, RecordsRead] = {}
        for keeper in keepers_of(self.manifest):
            begins = self.mark.offsets.get(keeper.topic, {})
            async with self.connection.begin():
                ends = await read_positions(self.connection, self.manifest.journal, keeper.topic)
            if _of_topic(keeper) in _failed(steps) or not _is_behind(ends, begins):
                continue
            if not ahead:
                most = {number: begins.get(number, 0) + ENTRIES_AT_ONCE for number in ends}
                ends = {number: min(end, most[number]) for number, end in ends.items() if end > begins.get(number, 0)}
            with steps.attempt(_of_topic(keeper)):
                replay = replay_of(self.manifest, keeper, self.settings)
                found[keeper.topic] = await replay.read(begins, ends, ahead=ahead)
        return found

    async def _go_on(
        self, steps: ComparisonSteps, mark: ComparisonBookmark, most: int | None, read: Mapping[str, RecordsRead]
    ) -> list[str]:
        """Project about `most` new entries (None: all) and the records `read`; return the sources still behind.

        A source (the journal or a topic) is behind if it has more to project. A step that has failed in this turn is
        not retried in the same turn.
        """
        failed, behind = _failed(steps), list[str]()
        self.redirect.to_all_copies()
        try:
            if _JOURNAL not in failed:
                async with steps.step(_JOURNAL):
                    if not await self._project(mark, most):
                        behind.append(_JOURNAL)
            for keeper in keepers_of(self.manifest):
                if _of_topic(keeper) not in failed:
                    async with steps.step(_of_topic(keeper)):
                        if not await self._keep(keeper, mark, read.get(keeper.topic)):
                            behind.append(_of_topic(keeper))
        finally:
            self.redirect.to_tables()
        return behind

    async def _project(self, mark: ComparisonBookmark, most: int | None) -> bool:
        """Project about `most` new entries (None: all); return whether none is left."""
        found = await project_after(self.connection, self.manifest, mark.after, most=most, part=self.part)
        mark.after = dict(found.after)
        self.unfit += found.unfit
        mark.spoiled |= bool(found.unfit)
        return found.whole

    async def _keep(self, keeper: ReadModelHandler[Any], mark: ComparisonBookmark, read: RecordsRead | None) -> bool:
        """Write the rows that a handler derives from new records; return whether the copy has caught up."""
        begins = dict(mark.offsets.get(keeper.topic, {}))
        if read is not None:
            replay = replay_of(self.manifest, keeper, self.settings)
            events = await replay.taken(self.connection, read, begins, StreamsRead(self.copy))
            await keep_events(self.connection, keeper, events, part=self.part)
            mark.offsets[keeper.topic] = begins
        return not _is_behind(await read_positions(self.connection, self.manifest.journal, keeper.topic), begins)

    def _made(self, steps: ComparisonSteps) -> list[Table]:
        """Return the tables whose copies were updated without failure in this turn."""
        failed = _failed(steps)
        unmade = set(self.manifest.whole_projector.tables) if _JOURNAL in failed else set[Table]()
        for keeper in keepers_of(self.manifest):
            unmade |= set(keeper.keeps) if _of_topic(keeper) in failed else set()
        return [table for table in self.copy.tables if table not in unmade]

    async def _pass(self, steps: ComparisonSteps) -> bool:
        """Check the next rows of the full pass, and mark differing rows for comparison; return whether it ended."""
        self.rows = await self._rows()
        left, ended = rows_due(self.rows), False
        while left > 0 and not ended:
            async with self._moment() as mark:
                looked, ended = await self._look(steps, mark, min(left, ROWS_AT_ONCE))
            left -= looked
        return ended

    async def _rows(self) -> int:
        """Return the approximate number of rows in the copy."""
        query = text("SELECT sum(greatest(reltuples, 0)) FROM pg_class WHERE relnamespace = to_regnamespace(:schema)")
        async with self.connection.begin():
            return int((await self.connection.execute(query, {"schema": self.copy.schema})).scalar_one() or 0)

    async def _look(self, steps: ComparisonSteps, mark: ComparisonBookmark, most: int) -> tuple[int, bool]:
        """Check the next rows of the full pass in one table; return their number, and whether the pass has ended."""
        copies = self.copy.digested
        place = next(number for number, each in enumerate(copies) if each.name == mark.table)
        rows = await next_rows(self.connection, copies[place], mark.last, most)
        mark.passed = joined(mark.passed, await digest_in_turns(mark.table, (row.line for row in rows)))
        until = None if len(rows) < most else list(rows[-1].key)
        for table in self._made(steps):
            if table.name == mark.table and table.name not in _failed(steps):
                async with steps.step(table.name):
                    await note_unlike(self.copy, table, mark.last, until)
        mark.last = until
        if until is not None:
            return len(rows), False
        mark.table = copies[(place + 1) % len(copies)].name
        if place + 1 < len(copies):
            return len(rows), False
        if mark.passed != mark.rows:
            steps.uncompared.append(UncomparedTable(_COPY, _ALTERED, altered=True))
            mark.spoiled = True
        mark.passed, mark.passed_at = EMPTY, self.clock()
        return len(rows), True

    async def _compare_kept(self, steps: ComparisonSteps) -> list[ComparedTable]:
        """Run the checks of the unprojected tables that every service has, each in its own transaction."""
        compared: list[ComparedTable] = []
        for table, check in kept_checks(self.manifest).items():
            async with self.connection.begin():
                compared += await run_check(steps, table, check)
            await self.rest()
        return compared

    async def _check(self, steps: ComparisonSteps, *, whole: bool) -> list[ComparedTable]:
        """Run the manifest's checks of unprojected tables, against the copies if these are up to date (`whole`)."""
        if whole:
            self.redirect.to_copies()
        try:
            return await compare_checks(steps, self.manifest)
        finally:
            self.redirect.to_tables()


def _failed(steps: ComparisonSteps) -> set[str]:
    return {one.what for one in steps.uncompared}


def _is_behind(positions: Mapping[int, int], reached: Mapping[int, int]) -> bool:
    """Return whether the service has read more of a topic than was replayed."""
    return any(position > reached.get(number, 0) for number, position in positions.items())


def _of_topic(keeper: ReadModelHandler[Any]) -> str:
    return f"what follows from topic {keeper.topic}"
