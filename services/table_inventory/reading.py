"""Reads windows, boxes and slips of a gaming day, and running inventories."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from pydantic import BaseModel
from sqlalchemy import TextClause, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.books import Adjusted, Box, Count, Moves, Window
from services.table_inventory.tables import adjustments, boxes, journal, slips

PUBLISHER = "round-settlement"

_MOVES = """
    LEFT JOIN LATERAL (
        SELECT q.* FROM table_inventory.counts q
        WHERE q.property = c.property AND q.table_name = c.table_name AND (q.at, q.sequence) < (c.at, c.sequence)
        ORDER BY q.at DESC, q.sequence DESC LIMIT 1) p ON true
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(m.cents), 0) AS moved,
               coalesce(sum(m.cents) FILTER (WHERE m.cause = 'fill'), 0) AS fills,
               coalesce(-sum(m.cents) FILTER (WHERE m.cause = 'credit'), 0) AS credits,
               coalesce(-sum(m.cents) FILTER (WHERE m.cause = 'currency'), 0) AS currency,
               coalesce(-sum(m.cents) FILTER (WHERE m.cause = 'prepaid_access'), 0) AS prepaid,
               coalesce(-sum(m.cents) FILTER (WHERE m.cause = 'counter_check'), 0) AS counter_checks,
               coalesce(sum(m.rounds), 0) AS rounds,
               coalesce(sum(m.cents) FILTER (WHERE m.cause = 'round'), 0) AS rounds_cents,
               coalesce(-sum(m.cents) FILTER (WHERE m.cause = 'coupon'), 0) AS coupons_paid,
               coalesce(-sum(m.cents) FILTER (WHERE m.cause = 'waived'), 0) AS waived,
               count(*) FILTER (WHERE m.contents IS NULL AND m.cents <> 0) AS unknown
        FROM table_inventory.movements m
        WHERE m.property = c.property AND m.table_name = c.table_name
          AND m.at > coalesce(p.at, '-infinity') AND m.at <= c.at) m
    CROSS JOIN LATERAL (
        SELECT coalesce(jsonb_object_agg(k.name, k.n), '{}') AS known
        FROM (SELECT d.key AS name, sum(d.value::bigint) AS n
              FROM table_inventory.movements m, jsonb_each_text(m.contents) d
              WHERE m.property = c.property AND m.table_name = c.table_name AND m.contents IS NOT NULL
                AND m.at > coalesce(p.at, '-infinity') AND m.at <= c.at
              GROUP BY d.key) k) d"""

_COUNT = (
    "table_name", "sequence", "at", "gaming_day", "shift", "purpose", "cents", "contents", "begins_day",
    "begins_shift", "game", "counted_by", "observed_by",
)  # fmt: skip


def _columns(alias: str, prefix: str) -> str:
    return ", ".join(f"{alias}.{name} AS {prefix}{name}" for name in _COUNT)


def _points(columns: str, points: str, order: str) -> TextClause:
    """Return the query of these columns of points `c`, of the count `p` before each, and of what moved between them."""
    return text(f"SELECT {columns}, m.*, d.known FROM {points} c {_MOVES} ORDER BY {order}")  # noqa: S608 - ours


_OF_DAY = _points(
    f"{_columns('c', 'c_')}, {_columns('p', 'p_')}",
    "(SELECT * FROM table_inventory.counts WHERE property = :property AND gaming_day = :gaming_day)",
    "c.table_name, c.at, c.sequence",
)

# A running inventory: the point after all counts up to a moment, at every table that was ever counted by then.
_RUNNING = _points(
    _columns("p", "p_"),
    """(SELECT DISTINCT property, table_name, CAST(:at AS timestamptz) AS at, 9223372036854775807 AS sequence
        FROM table_inventory.counts WHERE property = :property AND at <= :at)""",
    "c.table_name",
)

_BOXES = text("""
    SELECT b.*, s.transported_at, r.currency AS recorded_currency, r.checks AS recorded_checks
    FROM table_inventory.boxes b
    LEFT JOIN LATERAL (
        SELECT max(q.removed_at) AS at FROM table_inventory.boxes q
        WHERE q.property = b.property AND q.table_name = b.table_name
          AND (q.removed_at, q.exchange) < (b.removed_at, b.exchange)) p ON true
    LEFT JOIN LATERAL (
        SELECT min(s.at) AS transported_at FROM table_inventory.transports s
        WHERE s.property = b.property AND s.table_name = b.table_name AND s.box = b.box
          AND s.at >= b.removed_at) s ON true
    CROSS JOIN LATERAL (
        SELECT coalesce(-sum(m.cents) FILTER (WHERE m.cause = 'currency'), 0) AS currency,
               coalesce(-sum(m.cents) FILTER (WHERE m.cause = 'counter_check'), 0) AS checks
        FROM table_inventory.movements m
        WHERE m.property = b.property AND m.table_name = b.table_name
          AND m.at > coalesce(p.at, '-infinity') AND m.at <= b.removed_at) r
    WHERE b.property = :property AND b.gaming_day = :gaming_day
    ORDER BY b.table_name, b.removed_at, b.exchange""")


async def windows_of_day(connection: AsyncConnection, property_name: str, gaming_day: date) -> list[Window]:
    """The windows that end with a count of a gaming day, in the order of tables and time."""
    rows = await connection.execute(_OF_DAY, {"property": property_name, "gaming_day": gaming_day})
    found: list[Window] = []
    for row in rows:
        end = _count(row._mapping, "c_")
        start = _count(row._mapping, "p_")
        if found and (last := found[-1].end) is not None and start is not None and last == start:
            start = last
        found.append(Window(start=start, end=end, moves=_moves(row)))
    return found


async def running_windows(connection: AsyncConnection, property_name: str, at: datetime) -> list[Window]:
    """The window of each table from its last count up to a moment."""
    rows = await connection.execute(_RUNNING, {"property": property_name, "at": at})
    return [Window(start=_count(row._mapping, "p_"), end=None, moves=_moves(row)) for row in rows]


async def windows_with_running(
    connection: AsyncConnection, property_name: str, gaming_day: date, at: datetime
) -> list[Window]:
    """The windows of a gaming day, and for the tables that are open on it, the one that runs."""
    ended = await windows_of_day(connection, property_name, gaming_day)
    running = {
        window.start.table: window
        for window in await running_windows(connection, property_name, at)
        if window.start is not None and window.start.leaves_open and window.start.begun[0] == gaming_day
    }
    tables = sorted({window.end.table for window in ended if window.end is not None} | running.keys())
    found: list[Window] = []
    for table in tables:
        own = [window for window in ended if window.end is not None and window.end.table == table]
        found += own
        if table in running:
            last = own[-1].end if own else None
            window = running[table]
            start = last if last == window.start else window.start
            found.append(Window(start=start, end=None, moves=window.moves))
    return found


async def boxes_of_day(connection: AsyncConnection, property_name: str, gaming_day: date) -> list[Box]:
    """The drop boxes of a gaming day, with what was recorded as dropped in them."""
    rows = await connection.execute(_BOXES, {"property": property_name, "gaming_day": gaming_day})
    return [
        Box(
            table=row.table_name,
            exchange=row.exchange,
            box=row.box,
            gaming_day=row.gaming_day,
            shift=row.shift,
            removed_at=row.removed_at,
            transported_at=row.transported_at,
            recorded_currency=int(row.recorded_currency),
            recorded_checks=int(row.recorded_checks),
            count=row._mapping["count"],
            currency=row.currency_cents,
            counter_checks=row.counter_checks_cents,
            coupons=row.coupons_cents,
        )
        for row in rows
    ]


async def checks_of_day(connection: AsyncConnection, property_name: str, gaming_day: date) -> set[tuple[str, str, int]]:
    """The counter checks in the counted boxes of a gaming day: (table, serial, cents)."""
    b = boxes.c
    query = select(b.table_name, b.figures).where(
        b.property == property_name, b.gaming_day == gaming_day, b.figures.is_not(None)
    )
    return {
        (row.table_name, check["serial"], check["cents"])
        for row in await connection.execute(query)
        for check in row.figures["counter_checks"]
    }


async def adjusted_of_day(connection: AsyncConnection, property_name: str, gaming_day: date) -> list[Adjusted]:
    """The approved adjustments of a gaming day."""
    a = adjustments.c
    query = select(a.table_name, a.shift, a.figure, a.cents).where(
        a.property == property_name, a.gaming_day == gaming_day, a.approved_at.is_not(None)
    )
    return [Adjusted(*row) for row in await connection.execute(query.order_by(a.adjustment))]


async def slips_of_day(connection: AsyncConnection, property_name: str, gaming_day: date) -> Sequence[Any]:
    """The slips of a gaming day, as rows, in the order of kind and number."""
    c = slips.c
    query = select(slips).where(c.property == property_name, c.gaming_day == gaming_day)
    return (await connection.execute(query.order_by(c.slip, c.number))).all()


class Reached(BaseModel):
    """How far a shard of the settlement journal has been read, and how many entries before that have not come."""

    service: str
    shard: int
    seq: int
    missing: int


async def reached(connection: AsyncConnection) -> list[Reached]:
    """How far the settlements have been read, shard by shard."""
    query = text("""
        SELECT s.source, s.last_sequence, coalesce(sum(g.last - g.first + 1), 0) AS missing
        FROM table_inventory.sources s LEFT JOIN table_inventory.gaps g USING (source)
        WHERE s.source LIKE :shards GROUP BY s.source, s.last_sequence""")
    rows = await connection.execute(query, {"shards": f"/{PUBLISHER}/shards/%"})
    found = [
        Reached(
            service=PUBLISHER,
            shard=int(row.source.rpartition("/")[2]),
            seq=row.last_sequence,
            missing=int(row.missing),
        )
        for row in rows
    ]
    return sorted(found, key=lambda one: one.shard)


async def heads(connection: AsyncConnection) -> dict[str, dict[str, Any]]:
    """The head of every shard of the ledger's own journal, by the shard's name."""
    rows = await connection.execute(select(journal.shards).order_by(journal.shards.c.name))
    return {row.name: {"entries": row.next_seq - 1, "head": bytes(row.head).hex()} for row in rows}


def _count(row: Any, prefix: str) -> Count | None:
    if row[f"{prefix}sequence"] is None:
        return None
    values = {name: row[f"{prefix}{name}"] for name in _COUNT}
    return Count(table=values.pop("table_name"), **values)


def _moves(row: Any) -> Moves:
    return Moves(
        cents=int(row.moved),
        fills=int(row.fills),
        credits=int(row.credits),
        currency=int(row.currency),
        prepaid=int(row.prepaid),
        counter_checks=int(row.counter_checks),
        rounds=int(row.rounds),
        rounds_cents=int(row.rounds_cents),
        coupons_paid=int(row.coupons_paid),
        vigorish_waived=int(row.waived),
        unknown=row.unknown,
        by_denomination=dict(row.known),
    )
