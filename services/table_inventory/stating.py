"""Record statements of the win of tables, and new ones whenever later records change it."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from time import monotonic
from typing import Final, NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.accounts import TableAccounts
from services.table_inventory.domain.boxes import Box
from services.table_inventory.domain.days import DayKey
from services.table_inventory.domain.occupancy import other_days
from services.table_inventory.domain.provisions import Provisions
from services.table_inventory.domain.sessions import Sessions, nothing_of, sessions_of
from services.table_inventory.domain.stated import days_since, goes_on, unstated_of
from services.table_inventory.domain.win import shift_wins
from services.table_inventory.queries.days import approved_adjustments
from services.table_inventory.queries.slips import open_slips
from services.table_inventory.queries.stated import (
    TableDay,
    incomplete_tables,
    read_stated,
    read_touched,
    waiting_days,
)
from services.table_inventory.queries.watched import running_days
from services.table_inventory.queries.windows import Span, boxes_between, marks_of
from services.table_inventory.statement_shard import StatementShard
from services.table_inventory.tables import properties
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.win import WinStated
from shared.journal.entry import EntryDraft
from shared.journal.recording import Causation, FactWithPostings, draft
from shared.journal.shard import Shard
from shared.runtime.ingest.property_copies import Places, known_places
from shared.runtime.service.service_context import ServiceContext

SHARD: Final = "wins"

DOUBTFUL_SECONDS: Final = 15.0
"""The seconds between checks of table days with a repeated count.

A repeated count replaces the earlier one only if nothing moved between the two. A late or reversed round between them
can change this without marking the table day as touched.
"""

_DAY: Final = timedelta(days=1)


class _Looked(NamedTuple):
    """Table days whose win may have changed, read positions by shard, and current gaming days by property."""

    days: Sequence[TableDay]
    reached: Mapping[int, int] | None
    running: dict[str, date]


class _Around(NamedTuple):
    """The statements due for a gaming day and its neighbors, and further table days that must be checked."""

    facts: list[WinStated]
    others: list[TableDay]


class _Table(NamedTuple):
    """A table's sessions and boxes around a gaming day, under one version of its property."""

    place: PropertySnapshot
    sessions: Sessions
    boxes: Sequence[Box]


class Stating:
    """A background job that records statements of wins, continuing at its last read position in the journal."""

    def __init__(self, context: ServiceContext, *, doubtful_seconds: float = DOUBTFUL_SECONDS) -> None:
        self._context = context
        self._shard = StatementShard(context, SHARD)
        self._doubtful_seconds = doubtful_seconds
        self._reached: Mapping[int, int] | None = None
        self._running: dict[str, date] = {}
        self._repeated: set[TableDay] = set()
        self._doubted_at = 0.0

    async def state_day(self, key: DayKey) -> None:
        """Record statements of all changed wins of a gaming day that is about to be sealed."""
        async with self._context.pools.background.connect() as connection:
            place = (await known_places(connection, properties)).of_day(*key)
            stated = {one.table for one in await read_stated(connection, key)}
        tables = stated | {table.table for table in (() if place is None else place.tables_on(key.gaming_day))}
        await self._state([TableDay(key.property, table, key.gaming_day) for table in sorted(tables)])

    async def state(self) -> int:
        """Record statements of changed wins, one for each table and shift; return the number of statements."""
        async with self._context.pools.background.connect() as connection:
            if not await self._is_due(connection):
                return 0
        return await self._state()

    async def _state(self, days: Sequence[TableDay] | None = None) -> int:
        """Record statements of changed wins, for the given table days or, if None, for all that may have changed."""
        looked = None if days is None else _Looked(days, self._reached, self._running)

        async def due(connection: AsyncConnection, shard: Shard) -> Sequence[EntryDraft]:
            nonlocal looked
            looked = looked or await self._look(connection)
            return self._drafts(shard, await self._unstated(connection, looked.days))

        stated = await self._shard.record(due)
        assert looked is not None, "what was recorded was looked at"
        self._reached, self._running = looked.reached, looked.running
        return stated

    async def _is_due(self, connection: AsyncConnection) -> bool:
        if self._reached is None or self._doubtful():
            return True
        touched = await read_touched(connection, self._reached)
        return bool(touched.days) or bool((await self._ended(connection))[0])

    async def _look(self, connection: AsyncConnection) -> "_Looked":
        """Return the table days whose win may have changed, and the read positions in the journal."""
        touched = await read_touched(connection, self._reached)
        ended, running = await self._ended(connection)
        doubtful = self._doubtful()
        if doubtful:
            self._doubted_at = monotonic()
        return _Looked([*touched.days, *ended, *doubtful], touched.reached, running)

    def _doubtful(self) -> list[TableDay]:
        return sorted(self._repeated) if monotonic() > self._doubted_at + self._doubtful_seconds else []

    async def _ended(self, connection: AsyncConnection) -> tuple[list[TableDay], dict[str, date]]:
        """Return the incomplete tables of gaming days that ended since the last check, and each property's current day.

        A gaming day counts as ended only after the pit's margin, within which a count may still arrive.
        """
        now = self._context.clock()
        places = await known_places(connection, properties)
        running: dict[str, date] = {}
        found: list[TableDay] = []
        for name in await running_days(connection, now):
            place = places.place(name, now)
            assert place is not None, "the property is in effect"
            running[name] = day = place.gaming_day(now - place.pit_margin)
            for ended in days_since(self._running.get(name, day - _DAY), day):
                found += await incomplete_tables(connection, DayKey(name, ended))
        return found, running

    async def _unstated(self, connection: AsyncConnection, touched: Iterable[TableDay]) -> list[WinStated]:
        """Return the statements due for these table days, and for neighboring days that they affect."""
        places = await known_places(connection, properties)
        waiting = deque(dict.fromkeys(touched))
        found: dict[tuple[TableDay, str], WinStated] = {}
        looked_at: set[TableDay] = set()
        while waiting:
            one = waiting.popleft()
            if one in looked_at:
                continue
            looked_at.add(one)
            facts, others = await self._around(connection, places, one)
            waiting += others
            for fact in facts:
                day = TableDay(fact.property, fact.table, fact.gaming_day)
                found[day, fact.shift] = fact
                if day.gaming_day > one.gaming_day:
                    waiting.append(day)
        return list(found.values())

    async def _around(self, connection: AsyncConnection, places: Places, one: TableDay) -> _Around:
        """Return the statements due for a table on a gaming day, and on neighboring days."""
        if places.of_day(one.property, one.gaming_day) is None:
            return _Around([], [])
        self._repeated.discard(one)
        facts: list[WinStated] = []
        others: list[TableDay] = []
        came_off: set[int] = set()
        around: _Table | None = None
        boxes: Sequence[Box] = ()
        for number in (-1, 0, 1):
            key = DayKey(one.property, day := one.gaming_day + number * _DAY)
            place = places.of_day(*key)
            if place is None:
                continue
            if around is None or around.place is not place:  # each day may have its own version of the property
                around = await self._table(connection, place, one)
            approved = [each for each in await approved_adjustments(connection, key) if each.table == one.table]
            slips = await open_slips(connection, *key, one.table)
            wins = shift_wins(Provisions.of(place, day), day, around.sessions, around.boxes, approved, slips)
            stated = await read_stated(connection, key, one.table)
            facts += unstated_of(place, key, {one.table: wins}, stated)
            if day == one.gaming_day:
                boxes, came_off = around.boxes, {number for last in stated for number in last.boxes}
                if any(count.gaming_day == day for count in around.sessions.repeated):
                    self._repeated.add(one)
            elif day > one.gaming_day and goes_on(place, day, wins):
                others.append(one._replace(gaming_day=day))
        further = other_days(boxes, one.gaming_day, came_off)
        if further is not None:
            waiting = await waiting_days(connection, one, further)
            others += [day for day in waiting if abs(day.gaming_day - one.gaming_day) > _DAY]
        return _Around(facts, others)

    async def _table(self, connection: AsyncConnection, place: PropertySnapshot, one: TableDay) -> _Table:
        """Return a table's sessions and boxes from the previous to the next day, under one version of the property."""
        asked = Span(place, one.gaming_day - _DAY, one.gaming_day + _DAY).asked(one.property, one.table)
        marks, boxes = await marks_of(connection, asked), await boxes_between(connection, asked)
        sessions = nothing_of(one.table)
        if one.table in marks:
            sessions = sessions_of(place, marks[one.table], self._context.clock())
        return _Table(place, sessions, boxes.get(one.table, ()))

    def _drafts(self, shard: Shard, facts: Iterable[WinStated]) -> list[EntryDraft]:
        """Return the entry drafts of statements. Their postings are the changes of the win by count."""
        context, at = self._context, self._context.clock()
        drafts: list[EntryDraft] = []
        for number, fact in enumerate(facts, start=shard.next_seq):
            name = f"{fact.property}/{fact.gaming_day}/{fact.table}/{fact.shift}/{fact.revision}"
            postings = TableAccounts(fact.property, fact.table).counted_win(fact.changes)
            caused_by = Causation(f"/{context.service}/{SHARD}", number, name, None, at)
            drafts.append(draft(FactWithPostings(fact=fact, postings=postings), caused_by))
        return drafts
