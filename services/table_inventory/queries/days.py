"""Read gaming days: stage, adjustments, variances, win, and follow-ups."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import CursorResult, Executable, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory import tables as t
from services.table_inventory.domain.boxes import Box
from services.table_inventory.domain.days import Adjustment, Day, DayKey
from services.table_inventory.domain.follow_ups import Findings, IssuedCheck
from services.table_inventory.domain.provisions import Provisions
from services.table_inventory.domain.rake import non_banking_tables, rakes
from services.table_inventory.domain.reviews import DayReview
from services.table_inventory.domain.sessions import Sessions, nothing_of, sessions_of
from services.table_inventory.domain.slips import Slip
from services.table_inventory.domain.unopened import Unopened, closed_times
from services.table_inventory.domain.variances import Variance, VarianceKey, VarianceName, variances
from services.table_inventory.domain.win import DayWin, TablesWin, Win, day_win, shift_wins
from services.table_inventory.domain.windows import Window
from services.table_inventory.queries.contests import contests_of_day, results_of_day
from services.table_inventory.queries.equipment import open_tables
from services.table_inventory.queries.places import find_place
from services.table_inventory.queries.slips import open_slips, slips_off
from services.table_inventory.queries.variances import cases_of
from services.table_inventory.queries.windows import Span, boxes_between, marks_of, unopened_in, with_denominations
from shared.contracts.inventory import AdjustmentEntered
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.rows import find_row, rows_of, thing_of, things_of
from shared.runtime.snapshot_reader import Executes, SnapshotReader

# A box belongs to the gaming day that its exchange claims, which may differ from that of its contents.
_NOT_DROPPED: Final = text("""
    SELECT m."table", m.ref AS serial, -m.cents AS cents, m.at
    FROM table_inventory.movements m
    CROSS JOIN LATERAL (
        SELECT x.exchange, x.gaming_day FROM table_inventory.boxes x
        WHERE x.property = m.property AND x."table" = m."table" AND x.removed_at >= m.at
        ORDER BY x.removed_at, x.exchange LIMIT 1) o
    JOIN table_inventory.counted_boxes k
        ON k.property = m.property AND k."table" = m."table" AND k.exchange = o.exchange
    WHERE m.property = :property AND m.gaming_day = :gaming_day AND m.cause = 'counter_check'
      AND NOT EXISTS (
          SELECT FROM table_inventory.counted_boxes b,
               jsonb_to_recordset(b.figures -> 'counter_checks') c (serial text, cents bigint)
          WHERE b.property = m.property AND b."table" = m."table"
            AND b.gaming_day BETWEEN m.gaming_day - 1 AND o.gaming_day + 1
            AND c.serial = m.ref AND c.cents = -m.cents)
    ORDER BY m.at""")


@dataclass(frozen=True, slots=True)
class Counted:
    """The counts of a gaming day at a property: the sessions and drop boxes of each table.

    `in_order` has the removed boxes of each table, including the last one before and the first one after the day.
    `windows` are those that end with a count of the day and have a variance, or a case of an earlier variance. Their
    movements include numbers of pieces by denomination. `slips` are the day's slips in progress. `unopened` is play at
    closed tables.
    """

    key: DayKey
    place: PropertySnapshot
    provisions: Provisions
    sessions: Mapping[str, Sessions]
    in_order: Mapping[str, Sequence[Box]]
    windows: Sequence[Window]
    slips: Sequence[Slip]
    unopened: Sequence[Unopened]

    @property
    def boxes(self) -> list[Box]:
        """Return the drop boxes of the day."""
        return [box for boxes in self.in_order.values() for box in boxes if box.gaming_day == self.key.gaming_day]

    def was_used(self, table: str, wins: Iterable[Win]) -> bool:
        """Return whether a table was used on the day. `wins` are the wins of its shifts on that day."""
        happened = self.sessions.get(table, nothing_of(table)).happened_on(self.place, self.key.gaming_day)
        played = any(one.table == table for one in self.unopened)
        return happened or played or any(win.found for win in wins)

    def shifts(self, approved: Sequence[AdjustmentEntered]) -> dict[str, list[Win]]:
        """Return the wins of each table's shifts, including the given approved adjustments, by table."""
        adjusted = {one.table for one in approved} | {slip.table for slip in self.slips}
        found = {
            table: shift_wins(
                self.provisions,
                self.key.gaming_day,
                self.sessions.get(table, nothing_of(table)),
                self.in_order.get(table, ()),
                [one for one in approved if one.table == table],
                [one for one in self.slips if one.table == table],
            )
            for table in sorted({*self.sessions, *self.in_order, *adjusted})
        }
        return {table: wins for table, wins in found.items() if wins}


async def read_day(connection: AsyncConnection, key: DayKey) -> Day:
    """Return the stage of a gaming day; `open` if no closing step has been taken."""
    row = (await connection.execute(rows_of(t.days, **key._asdict()))).one_or_none()
    return Day(**key._asdict()) if row is None else thing_of(Day, row)


async def read_adjustments(connection: AsyncConnection, key: DayKey) -> list[Adjustment]:
    """Return the adjustments of a gaming day, by number."""
    query = rows_of(t.adjustments, **key._asdict()).order_by(t.adjustments.c.adjustment)
    return await things_of(Adjustment, connection, query)


async def find_adjustment(connection: AsyncConnection, key: DayKey, adjustment: int) -> Adjustment:
    """Return an adjustment of a gaming day. Raises: Rejected if it does not exist."""
    missing = f"there is no adjustment {adjustment} of {key.gaming_day} at {key.property}"
    return thing_of(
        Adjustment, await find_row(connection, t.adjustments, missing, **key._asdict(), adjustment=adjustment)
    )


async def counted_of_day(
    connection: Executes, place: PropertySnapshot, key: DayKey, table: str | None = None, *, now: datetime
) -> Counted:
    """Return the counts of a gaming day, of one table or of all, as of `now`."""
    asked = Span(place, key.gaming_day, key.gaming_day).asked(key.property, table)
    marks, boxes, slips = await asyncio.gather(
        marks_of(connection, asked), boxes_between(connection, asked), open_slips(connection, *key, table)
    )
    sessions = {name: sessions_of(place, found, now) for name, found in marks.items()}
    ended = {
        VarianceName(window.table, "inventory", window.end.sequence): window
        for found in sessions.values()
        for window in found.windows
        if window.end is not None and window.gaming_day == key.gaming_day and window.start is not None
    }
    looked_at = await cases_of(connection, key.property, ended)
    provisions = Provisions.of(place, key.gaming_day)
    windows = [
        window
        for name, window in ended.items()
        if (window.variance_cents and not provisions.is_win(window)) or name in looked_at
    ]
    known = await with_denominations(connection, key.property, windows)
    unopened = await _unopened(connection, place, key, sessions.values())
    return Counted(key, place, provisions, sessions, boxes, known, slips, unopened)


async def _unopened(
    connection: Executes, place: PropertySnapshot, key: DayKey, sessions: Iterable[Sessions]
) -> Sequence[Unopened]:
    """Return rounds that were played while their table was not open for play.

    Fully automated tables are left out: without chips, they have no opening and closing inventory.
    """
    automated = {table.table for table in place.tables_on(key.gaming_day) if table.fully_automated}
    closed = closed_times(place, key.gaming_day, (one for one in sessions if one.table not in automated))
    return await unopened_in(connection, key.property, list(closed))


async def find_counted(connection: AsyncConnection, key: DayKey, table: str | None = None, *, now: datetime) -> Counted:
    """Return the counts of a gaming day. Raises: Rejected for an unknown property."""
    place = await find_place(connection, *key)
    return await counted_of_day(_OneByOne(connection), place, key, table, now=now)


async def counted_at_once(read: SnapshotReader, key: DayKey, *, now: datetime) -> Counted:
    """Return the counts of a gaming day, read with concurrent queries. Raises: Rejected for an unknown property."""
    return await counted_of_day(read, await find_place(read.connection, *key), key, now=now)


class _OneByOne:
    """A runner that executes concurrent statements one after the other on a single connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection
        self._turn = asyncio.Lock()

    async def execute(self, statement: Executable, parameters: Any = None, /) -> CursorResult[Any]:
        """Return the result of a statement."""
        async with self._turn:
            return await self._connection.execute(statement, parameters)


async def variances_of_day(
    connection: AsyncConnection, key: DayKey, table: str | None = None, *, now: datetime
) -> list[Variance]:
    """Return all variances of a gaming day as of `now`, or those of one `table`, by table and time.

    Raises: Rejected for an unknown property.
    """
    counted = await find_counted(connection, key, table, now=now)
    slips = await slips_off(connection, *key, table)
    return await _variances(connection, key, counted, slips)


async def find_variance(connection: AsyncConnection, key: VarianceKey, *, now: datetime) -> Variance:
    """Return a variance as of `now`. Raises: Rejected if it does not exist."""
    for variance in await variances_of_day(connection, DayKey(key.property, key.gaming_day), key.table, now=now):
        if variance.key() == key:
            return variance
    raise Rejected(Reason.NOT_FOUND, f"there is no such variance: {key.path()}")


async def _variances(
    connection: AsyncConnection, key: DayKey, counted: Counted, slips: Sequence[Slip]
) -> list[Variance]:
    wanted = [
        *(VarianceName(one.table, "inventory", one.end.sequence) for one in counted.windows if one.end is not None),
        *(VarianceName(one.table, "drop", one.exchange) for one in counted.boxes),
        *(VarianceName(one.table, one.slip, one.number) for one in slips),
    ]
    return variances(
        key.property,
        counted.provisions,
        windows=counted.windows,
        boxes=counted.boxes,
        slips=slips,
        cases=await cases_of(connection, key.property, wanted),
    )


async def read_win(connection: AsyncConnection, counted: Counted) -> DayWin:
    """Return the current win of a gaming day, from its counts."""
    key = counted.key
    approved = await approved_adjustments(connection, key)
    raked = non_banking_tables(counted.place, key.gaming_day)
    banking = {table: wins for table, wins in counted.shifts(approved).items() if table not in raked}
    rake = rakes(raked, counted.boxes, approved)
    return day_win(counted.provisions, banking, rake, await results_of_day(connection, *key))


async def approved_adjustments(connection: AsyncConnection, key: DayKey) -> list[Adjustment]:
    """Return the approved adjustments of a gaming day."""
    return [one for one in await read_adjustments(connection, key) if one.status == "approved"]


async def read_stage(connection: AsyncConnection, key: DayKey, *, now: datetime) -> Day:
    """Return a gaming day with its stage as of `now`: restated if its win differs from the sealed win."""
    day = await read_day(connection, key)
    if day.report is None:
        return day
    win = await read_win(connection, await find_counted(connection, key, now=now))
    return day.model_copy(update={"status": day.status_of(win.model_dump(mode="json"))})


async def read_review(connection: AsyncConnection, key: DayKey, *, now: datetime) -> DayReview:
    """Return a gaming day as it would be audited or sealed now. Raises: Rejected for an unknown property."""
    day = await read_stage(connection, key, now=now)
    return DayReview(
        day=day.model_copy(update={"report": None}),
        win=await read_win(connection, await find_counted(connection, key, now=now)),
        variances=await variances_of_day(connection, key, now=now),
        adjustments=await read_adjustments(connection, key),
        contests=await contests_of_day(connection, *key),
    )


async def journal_heads(connection: AsyncConnection) -> dict[str, dict[str, Any]]:
    """Return the head of every shard of the ledger's own journal, by the shard's name."""
    rows = await connection.execute(select(t.journal.shards).order_by(t.journal.shards.c.name))
    return {row.name: {"entries": row.next_seq - 1, "head": bytes(row.head).hex()} for row in rows}


async def read_findings(connection: AsyncConnection, counted: Counted, win: TablesWin | None = None) -> Findings:
    """Return the data from which the follow-ups of a gaming day are derived.

    `win` is the day's win, if the caller has read it already.
    """
    key = counted.key
    slips, day = await slips_off(connection, *key), await read_day(connection, key)
    if win is None and day.final_at is not None:
        win = await read_win(connection, counted)
    return Findings(
        key=key,
        provisions=counted.provisions,
        zone=counted.place.zone,
        day=day,
        tables=[] if win is None else win.tables,
        variances=await _variances(connection, key, counted, slips),
        slips=slips,
        boxes=counted.boxes,
        sessions=list(counted.sessions.values()),
        lacks=[(table, one) for table, wins in counted.shifts(()).items() for win in wins for one in win.lacks],
        unopened=counted.unopened,
        checks=await things_of(IssuedCheck, connection, _NOT_DROPPED, key._asdict()),
        open_tables=await open_tables(connection, key.property),
        adjustments=await read_adjustments(connection, key),
    )
