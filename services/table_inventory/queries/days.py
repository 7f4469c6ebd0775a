"""Read gaming days: how far they are closed, their adjustments, variances, win, and what has to be looked after."""

import asyncio
from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory import tables as t
from services.table_inventory.domain.boxes import Box
from services.table_inventory.domain.days import Adjustment, Day, DayKey
from services.table_inventory.domain.follow_ups import Findings, IssuedCheck
from services.table_inventory.domain.provisions import Provisions
from services.table_inventory.domain.rake import non_banking_tables
from services.table_inventory.domain.reviews import DayReview
from services.table_inventory.domain.slips import Slip
from services.table_inventory.domain.variances import Variance, VarianceKey, variances
from services.table_inventory.domain.win import DayWin, TablesWin, day_win, wins
from services.table_inventory.domain.windows import Window
from services.table_inventory.queries.contests import contests_of_day, results_of_day
from services.table_inventory.queries.equipment import open_tables
from services.table_inventory.queries.places import find_place, provisions_on
from services.table_inventory.queries.slips import slips_off
from services.table_inventory.queries.windows import boxes_of_day, windows_of_day
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.reader import Reader
from shared.runtime.rows import find_row, rows_of, thing_of, things_of

_NOT_DROPPED: Final = text("""
    WITH dropped AS (
        SELECT b."table", c.serial, c.cents
        FROM table_inventory.counted_boxes b,
             jsonb_to_recordset(b.figures -> 'counter_checks') c (serial text, cents bigint)
        WHERE b.property = :property AND b.gaming_day = :gaming_day)
    SELECT m."table", m.ref AS serial, -m.cents AS cents, m.at
    FROM table_inventory.movements m
    WHERE m.property = :property AND m.gaming_day = :gaming_day AND m.cause = 'counter_check'
      AND NOT EXISTS (SELECT FROM dropped d WHERE d."table" = m."table" AND d.serial = m.ref AND d.cents = -m.cents)
    ORDER BY m.at""")


class Counted(NamedTuple):
    """What was counted on a gaming day: its windows, those that run included, and its drop boxes."""

    windows: Sequence[Window]
    boxes: Sequence[Box]


async def read_day(connection: AsyncConnection, key: DayKey) -> Day:
    """Return a gaming day as far as it is closed; an open one where nothing was closed."""
    row = (await connection.execute(rows_of(t.days, **key._asdict()))).one_or_none()
    return Day(**key._asdict()) if row is None else thing_of(Day, row)


async def read_adjustments(connection: AsyncConnection, key: DayKey) -> list[Adjustment]:
    """Return the adjustments of a gaming day, in the order of their numbers."""
    query = rows_of(t.adjustments, **key._asdict()).order_by(t.adjustments.c.adjustment)
    return await things_of(Adjustment, connection, query)


async def find_adjustment(connection: AsyncConnection, key: DayKey, adjustment: int) -> Adjustment:
    """Return an adjustment of a gaming day. Raises: Rejected where there is none."""
    missing = f"there is no adjustment {adjustment} of {key.gaming_day} at {key.property}"
    return thing_of(
        Adjustment, await find_row(connection, t.adjustments, missing, **key._asdict(), adjustment=adjustment)
    )


async def counted_of_day(connection: AsyncConnection, key: DayKey, table: str | None = None) -> Counted:
    """Return what was counted on a gaming day, or at a `table` on it."""
    return Counted(await windows_of_day(connection, *key, table), await boxes_of_day(connection, *key, table))


async def counted_at_once(read: Reader, key: DayKey) -> Counted:
    """Return the same, both read at once."""
    return Counted(*await asyncio.gather(windows_of_day(read, *key), boxes_of_day(read, *key)))


async def variances_of_day(connection: AsyncConnection, key: DayKey, table: str | None = None) -> list[Variance]:
    """Return all variances of a gaming day, or those of a `table`, by table and time.

    Raises: Rejected for an unknown property.
    """
    counted = await counted_of_day(connection, key, table)
    slips = await slips_off(connection, *key, table)
    return await _variances(connection, key, counted, slips)


async def find_variance(connection: AsyncConnection, key: VarianceKey) -> Variance:
    """Return a variance. Raises: Rejected where there is none."""
    for variance in await variances_of_day(connection, DayKey(key.property, key.gaming_day), key.table):
        if variance.key() == key:
            return variance
    raise Rejected(Reason.NOT_FOUND, f"there is no such variance: {key.path()}")


async def _variances(
    connection: AsyncConnection, key: DayKey, counted: Counted, slips: Sequence[Slip]
) -> list[Variance]:
    cases = await connection.execute(rows_of(t.variance_cases, **key._asdict()))
    return variances(
        key.property,
        await provisions_on(connection, *key),
        windows=[window for window in counted.windows if window.end is not None],
        boxes=counted.boxes,
        slips=slips,
        cases={(row.table, row.variance, row.number): row._asdict() for row in cases},
    )


async def read_win(connection: AsyncConnection, key: DayKey, counted: Counted | None = None) -> DayWin:
    """Return the win of a gaming day as it stands. Raises: Rejected for an unknown property.

    What was `counted` is read unless it is given.
    """
    counted = await counted_of_day(connection, key) if counted is None else counted
    provisions, approved, raked = await _of_win(connection, key)
    return day_win(provisions, *counted, approved, raked, await results_of_day(connection, *key))


async def _of_win(connection: AsyncConnection, key: DayKey) -> tuple[Provisions, list[Adjustment], Collection[str]]:
    """Return what the win of a gaming day takes beside what was counted; the tables that have no win come last."""
    approved = [one for one in await read_adjustments(connection, key) if one.status == "approved"]
    place = await find_place(connection, *key)
    return Provisions.of(place, key.gaming_day), approved, non_banking_tables(place, key.gaming_day)


async def read_stage(connection: AsyncConnection, key: DayKey) -> Day:
    """Return a gaming day in its stage: restated where its win is another than the sealed one."""
    day = await read_day(connection, key)
    if day.report is None:
        return day
    win = await read_win(connection, key)
    return day.model_copy(update={"status": day.status_of(win.model_dump(mode="json"))})


async def read_review(connection: AsyncConnection, key: DayKey) -> DayReview:
    """Return a gaming day as it would be audited or sealed now. Raises: Rejected for an unknown property."""
    day = await read_stage(connection, key)
    return DayReview(
        day=day.model_copy(update={"report": None}),
        win=await read_win(connection, key),
        variances=await variances_of_day(connection, key),
        adjustments=await read_adjustments(connection, key),
        contests=await contests_of_day(connection, *key),
    )


async def journal_heads(connection: AsyncConnection) -> dict[str, dict[str, Any]]:
    """Return the head of every shard of the ledger's own journal, by the shard's name."""
    rows = await connection.execute(select(t.journal.shards).order_by(t.journal.shards.c.name))
    return {row.name: {"entries": row.next_seq - 1, "head": bytes(row.head).hex()} for row in rows}


async def read_findings(
    connection: AsyncConnection, key: DayKey, counted: Counted | None = None, win: TablesWin | None = None
) -> Findings:
    """Return what may have to be followed up of a gaming day. Raises: Rejected for an unknown property.

    What was `counted`, and the `win`, are read unless they are given.
    """
    counted = await counted_of_day(connection, key) if counted is None else counted
    slips, day = await slips_off(connection, *key), await read_day(connection, key)
    tables = [] if win is None else win.tables
    if win is None and day.final_at is not None:
        provisions, approved, raked = await _of_win(connection, key)
        tables = wins(provisions, *counted, approved, raked, by_shift=False)
    return Findings(
        key=key,
        provisions=await provisions_on(connection, *key),
        day=day,
        tables=tables,
        variances=await _variances(connection, key, counted, slips),
        slips=slips,
        boxes=counted.boxes,
        checks=await things_of(IssuedCheck, connection, _NOT_DROPPED, key._asdict()),
        open_tables=await open_tables(connection, key.property),
        adjustments=await read_adjustments(connection, key),
    )
