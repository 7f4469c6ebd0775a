"""Read the windows between the counts of tables, and drop boxes with what was recorded as dropped in them."""

from datetime import date, datetime
from typing import Final, Literal

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.boxes import Box
from services.table_inventory.domain.windows import Window
from shared.runtime.reader import Executes
from shared.runtime.rows import documents_of

_WINDOWS: Final = text("""
    WITH RECURSIVE tables AS (  -- each is found by the index: its counts of years are not read
        SELECT min(c."table") AS "table" FROM table_inventory.counts c WHERE c.property = :property
        UNION ALL
        SELECT (SELECT min(c."table") FROM table_inventory.counts c
                WHERE c.property = :property AND c."table" > t."table")
        FROM tables t WHERE t."table" IS NOT NULL),
    ends AS (
        SELECT property, "table", at, sequence FROM table_inventory.counts
        WHERE property = :property AND gaming_day = :gaming_day
          AND (CAST(:table AS text) IS NULL OR "table" = :table)
        UNION ALL
        SELECT :property, "table", CAST(:at AS timestamptz), CAST(NULL AS bigint) FROM tables
        WHERE CAST(:at AS timestamptz) IS NOT NULL AND "table" IS NOT NULL
          AND (CAST(:table AS text) IS NULL OR "table" = :table))
    SELECT CAST(json_build_object('start', p, 'end', e, 'moves', (
               SELECT s FROM (SELECT m.*, CASE WHEN w.is_looked_at THEN d.known END AS by_denomination) s)) AS text)
    FROM ends n
    LEFT JOIN table_inventory.counts e
        ON e.property = n.property AND e."table" = n."table" AND e.sequence = n.sequence
    LEFT JOIN LATERAL (
        SELECT q.* FROM table_inventory.counts q
        WHERE q.property = n.property AND q."table" = n."table"
          AND (q.at, q.sequence) < (n.at, coalesce(n.sequence, 9223372036854775807))
        ORDER BY q.at DESC, q.sequence DESC LIMIT 1) p ON true
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(c.cents), 0) AS cents,
               coalesce(sum(c.cents) FILTER (WHERE c.cause = 'fill'), 0) AS fills_cents,
               coalesce(-sum(c.cents) FILTER (WHERE c.cause = 'credit'), 0) AS credits_cents,
               coalesce(-sum(c.cents) FILTER (WHERE c.cause = 'currency'), 0) AS currency_cents,
               coalesce(-sum(c.cents) FILTER (WHERE c.cause = 'prepaid_access'), 0) AS prepaid_cents,
               coalesce(-sum(c.cents) FILTER (WHERE c.cause = 'counter_check'), 0) AS counter_checks_cents,
               coalesce(sum(c.rounds), 0) AS rounds,
               coalesce(sum(c.cents) FILTER (WHERE c.cause = 'round'), 0) AS rounds_cents,
               coalesce(-sum(c.cents) FILTER (WHERE c.cause = 'coupon'), 0) AS coupons_paid_cents,
               coalesce(-sum(c.cents) FILTER (WHERE c.cause = 'waived'), 0) AS vigorish_waived_cents,
               coalesce(sum(c.unknown), 0) AS unknown
        FROM table_inventory.moved_between(n.property, n."table", coalesce(p.at, '-infinity'), n.at) c) m
    CROSS JOIN LATERAL (
        SELECT n.sequence IS NULL OR p.cents + m.cents <> e.cents OR EXISTS (
            SELECT FROM table_inventory.variance_cases v
            WHERE v.property = e.property AND v."table" = e."table" AND v.variance = 'inventory'
              AND v.number = e.sequence) AS is_looked_at) w
    CROSS JOIN LATERAL (
        SELECT coalesce(jsonb_object_agg(k.name, k.n), '{}') AS known
        FROM (SELECT d.key AS name, sum(d.value::bigint) AS n
              FROM table_inventory.movements m, jsonb_each_text(m.contents) d
              WHERE w.is_looked_at AND m.property = n.property AND m."table" = n."table" AND m.contents IS NOT NULL
                AND m.at > coalesce(p.at, '-infinity') AND m.at <= n.at
              GROUP BY d.key) k) d
    WHERE n.sequence IS NOT NULL OR p.sequence IS NOT NULL AND (:closed OR p.purpose NOT IN ('closer', 'carried'))
    ORDER BY n."table", n.sequence IS NULL, n.at, n.sequence""")

_BOXES: Final = text("""
    SELECT CAST(row_to_json(f) AS text) FROM (
        SELECT b.*, s.transported_at, k.count, k.currency_cents, k.counter_checks_cents, k.coupons_cents,
               k.rake_cents, k.figures, r.recorded_currency_cents, r.recorded_checks_cents
        FROM table_inventory.boxes b
        LEFT JOIN table_inventory.counted_boxes k
            ON k.property = b.property AND k."table" = b."table" AND k.exchange = b.exchange
        LEFT JOIN LATERAL (
            SELECT max(q.removed_at) AS at FROM table_inventory.boxes q
            WHERE q.property = b.property AND q."table" = b."table"
              AND (q.removed_at, q.exchange) < (b.removed_at, b.exchange)) p ON true
        LEFT JOIN LATERAL (
            SELECT min(s.at) AS transported_at FROM table_inventory.transports s
            WHERE s.property = b.property AND s."table" = b."table" AND s.box = b.box AND s.at >= b.removed_at
            ) s ON true
        CROSS JOIN LATERAL (
            SELECT coalesce(-sum(m.cents) FILTER (WHERE m.cause = 'currency'), 0) AS recorded_currency_cents,
                   coalesce(-sum(m.cents) FILTER (WHERE m.cause = 'counter_check'), 0) AS recorded_checks_cents
            FROM table_inventory.moved_between(b.property, b."table", coalesce(p.at, '-infinity'), b.removed_at) m
            WHERE m.cause IN ('currency', 'counter_check')) r
        WHERE b.property = :property AND b.gaming_day = :gaming_day
          AND (CAST(:table AS text) IS NULL OR b."table" = :table)) f
    ORDER BY f."table", f.removed_at, f.exchange""")


async def ended_windows(connection: AsyncConnection, property_name: str, gaming_day: date) -> list[Window]:
    """Return the windows that end with a count of a gaming day, in the order of tables and time."""
    return await _read(connection, property_name, gaming_day, None)


async def running_windows(connection: AsyncConnection, property_name: str, at: datetime) -> list[Window]:
    """Return the window of each table from its last count up to a moment."""
    return await _read(connection, property_name, None, at)


async def windows_of_day(
    connection: Executes, property_name: str, gaming_day: date, table: str | None = None
) -> list[Window]:
    """Return the windows of a gaming day, and for the tables that are open on it, the one that runs.

    With a `table`, only its own.
    """
    found = await _read(connection, property_name, gaming_day, "infinity", table, closed=False)
    return [window for window in found if window.end is not None or window.runs_on == gaming_day]


async def _read(
    connection: Executes,
    property_name: str,
    gaming_day: date | None,
    at: datetime | Literal["infinity"] | None,
    table: str | None = None,
    *,
    closed: bool = True,
) -> list[Window]:
    wanted = {"property": property_name, "gaming_day": gaming_day, "at": at, "table": table, "closed": closed}
    return await documents_of(Window, connection, _WINDOWS, wanted)


async def boxes_of_day(
    connection: Executes, property_name: str, gaming_day: date, table: str | None = None
) -> list[Box]:
    """Return the drop boxes of a gaming day, or those of a `table`, with what was recorded as dropped in them."""
    wanted = {"property": property_name, "gaming_day": gaming_day, "table": table}
    return await documents_of(Box, connection, _BOXES, wanted)
