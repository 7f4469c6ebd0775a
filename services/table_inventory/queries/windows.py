"""Read the marks from which the sessions of tables are derived, and drop boxes with their recorded drop."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from sqlalchemy import text

from services.table_inventory.domain.boxes import Box
from services.table_inventory.domain.denominations import Stacks
from services.table_inventory.domain.sessions import EVER, TICK, sessions_of
from services.table_inventory.domain.unopened import ClosedTime, Unopened
from services.table_inventory.domain.windows import Mark, Window
from shared.contracts.property_snapshot import PropertySnapshot
from shared.runtime.rows import documents_of, thing_of
from shared.runtime.snapshot_reader import Executes

_DAY: Final = timedelta(days=1)
_DAY_MAX: Final = timedelta(hours=25)

_MARKS: Final = text("""
    WITH RECURSIVE counted AS (  -- each is found by the index: its counts of years are not read
        SELECT min(c."table") AS "table" FROM table_inventory.counts c WHERE c.property = :property
        UNION ALL
        SELECT (SELECT min(c."table") FROM table_inventory.counts c
                WHERE c.property = :property AND c."table" > t."table")
        FROM counted t WHERE t."table" IS NOT NULL),
    moving AS (
        SELECT min(m."table") AS "table" FROM table_inventory.moved m WHERE m.property = :property
        UNION ALL
        SELECT (SELECT min(m."table") FROM table_inventory.moved m
                WHERE m.property = :property AND m."table" > t."table")
        FROM moving t WHERE t."table" IS NOT NULL),
    resulting AS (
        SELECT min(r."table") AS "table" FROM table_inventory.results r WHERE r.property = :property
        UNION ALL
        SELECT (SELECT min(r."table") FROM table_inventory.results r
                WHERE r.property = :property AND r."table" > t."table")
        FROM resulting t WHERE t."table" IS NOT NULL),
    tables AS (
        SELECT "table" FROM counted
        WHERE "table" IS NOT NULL AND (CAST(:table AS text) IS NULL OR "table" = :table)
        UNION
        SELECT "table" FROM moving
        WHERE "table" IS NOT NULL AND (CAST(:table AS text) IS NULL OR "table" = :table)
        UNION
        SELECT "table" FROM resulting
        WHERE "table" IS NOT NULL AND (CAST(:table AS text) IS NULL OR "table" = :table)),
    begun AS (  -- with a count that says by itself whether the table is open after it, on which day and shift
        SELECT t."table", coalesce(a.at, f.at, '-infinity') AS at, coalesce(a.sequence, f.sequence, 0) AS sequence,
               coalesce(a.sequence, f.sequence) IS NOT NULL AS is_known
        FROM tables t
        LEFT JOIN LATERAL (
            SELECT c.at, c.sequence FROM table_inventory.counts c
            WHERE c.property = :property AND c."table" = t."table" AND c.at < :first
              AND c.purpose IN ('closer', 'shift', 'drop')
            ORDER BY c.at DESC, c.sequence DESC LIMIT 1) a ON true
        LEFT JOIN LATERAL (
            SELECT c.at, c.sequence FROM table_inventory.counts c
            WHERE c.property = :property AND c."table" = t."table" AND c.at < :first AND a.sequence IS NULL
            ORDER BY c.at, c.sequence LIMIT 1) f ON true),
    marks AS (
        SELECT b."table", c.at, c.sequence, b.is_known
        FROM begun b JOIN table_inventory.counts c
            ON c.property = :property AND c."table" = b."table" AND c.at <= :recounted
            AND (c.at, c.sequence) >= (b.at, b.sequence)
        UNION ALL
        SELECT DISTINCT b."table", o.at, CAST(NULL AS bigint), b.is_known
        FROM begun b CROSS JOIN LATERAL (
            SELECT u.at FROM unnest(CAST(:cuts AS timestamptz[])) u (at)
            UNION ALL
            SELECT x.removed_at FROM table_inventory.boxes x
            WHERE x.property = :property AND x."table" = b."table" AND x.removed_at BETWEEN b.at AND :last) o
        WHERE o.at > b.at),
    steps AS (
        SELECT m.*, lag(m.at) OVER in_order AS before
        FROM marks m WINDOW in_order AS (PARTITION BY m."table" ORDER BY m.at, m.sequence))
    SELECT CAST(json_build_object(
        'table', s."table", 'at', s.at, 'count', c,
        'moves', CASE WHEN s.before IS NOT NULL OR NOT s.is_known THEN to_json(m) END) AS text)
    FROM steps s
    LEFT JOIN table_inventory.counts c
        ON c.property = :property AND c."table" = s."table" AND c.sequence = s.sequence
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(v.cents), 0) AS cents,
               coalesce(sum(v.cents) FILTER (WHERE v.cause = 'fill'), 0) AS fills_cents,
               coalesce(-sum(v.cents) FILTER (WHERE v.cause = 'credit'), 0) AS credits_cents,
               coalesce(-sum(v.cents) FILTER (WHERE v.cause = 'currency'), 0) AS currency_cents,
               coalesce(-sum(v.cents) FILTER (WHERE v.cause = 'prepaid_access'), 0) AS prepaid_cents,
               coalesce(-sum(v.cents) FILTER (WHERE v.cause = 'counter_check'), 0) AS counter_checks_cents,
               coalesce(sum(v.rounds), 0) AS rounds,
               coalesce(sum(v.cents) FILTER (WHERE v.cause = 'round'), 0) AS rounds_cents,
               coalesce(-sum(v.cents) FILTER (WHERE v.cause = 'coupon'), 0) AS coupons_paid_cents,
               coalesce(-sum(v.cents) FILTER (WHERE v.cause = 'waived'), 0) AS vigorish_waived_cents,
               coalesce(sum(v.coupons), 0) AS coupons,
               coalesce(sum(v.unknown), 0) AS unknown
        FROM table_inventory.moved_between(:property, s."table", coalesce(s.before, '-infinity'), s.at) v
        WHERE s.before IS NOT NULL OR NOT s.is_known) m
    ORDER BY s."table", s.at, s.sequence""")

_KNOWN: Final = text("""
    SELECT w.number, coalesce(jsonb_object_agg(k.name, k.n) FILTER (WHERE k.name IS NOT NULL), '{}') AS known
    FROM unnest(CAST(:tables AS text[]), CAST(:after AS timestamptz[]), CAST(:until AS timestamptz[]))
        WITH ORDINALITY w ("table", after, until, number)
    LEFT JOIN LATERAL (
        SELECT d.key AS name, sum(d.value::bigint) AS n
        FROM table_inventory.movements m, jsonb_each_text(m.contents) d
        WHERE m.property = :property AND m."table" = w."table" AND m.contents IS NOT NULL
          AND m.at > w.after AND m.at <= w.until
        GROUP BY d.key) k ON true
    GROUP BY w.number""")

# For each row of a reversed round, or of a result taken back, there is another row with -1 at the same moment.
_UNOPENED: Final = text("""
    WITH w AS (
        SELECT * FROM unnest(CAST(:tables AS text[]), CAST(:after AS timestamptz[]), CAST(:until AS timestamptz[]))
            w ("table", after, until)),
    played AS (
        SELECT m."table", m.at, m.cause, sum(m.rounds) AS times
        FROM w
        JOIN table_inventory.movements m
            ON m.property = :property AND m."table" = w."table" AND m.at > w.after AND m.at <= w.until
            AND m.cause IN ('round', 'coupon', 'change', 'waived')
        GROUP BY m."table", m.at, m.cause, m.ref, CASE WHEN m.cause <> 'round' THEN m.seq END
        UNION ALL
        SELECT r."table", r.at, 'result', sum(r.results)
        FROM w
        JOIN table_inventory.results r
            ON r.property = :property AND r."table" = w."table" AND r.at > w.after AND r.at <= w.until
        GROUP BY r."table", r.at)
    SELECT p."table", min(p.at) AS since,
           CAST(coalesce(sum(p.times) FILTER (WHERE p.cause = 'round'), 0) AS bigint) AS rounds,
           CAST(coalesce(sum(p.times) FILTER (WHERE p.cause = 'result'), 0) AS bigint) AS results,
           count(*) FILTER (WHERE p.cause = 'coupon') AS coupons, count(*) FILTER (WHERE p.cause = 'change') AS changes,
           count(*) FILTER (WHERE p.cause = 'waived') AS waivers
    FROM played p
    WHERE p.cause NOT IN ('round', 'result') OR p.times <> 0
    GROUP BY p."table"
    ORDER BY 1""")

_BOXES: Final = text("""
    WITH RECURSIVE tables AS (
        SELECT min(b."table") AS "table" FROM table_inventory.boxes b WHERE b.property = :property
        UNION ALL
        SELECT (SELECT min(b."table") FROM table_inventory.boxes b
                WHERE b.property = :property AND b."table" > t."table")
        FROM tables t WHERE t."table" IS NOT NULL),
    asked AS (
        SELECT b.* FROM tables t CROSS JOIN LATERAL (
            (SELECT x.* FROM table_inventory.boxes x
             WHERE x.property = :property AND x."table" = t."table" AND x.removed_at < :first
             ORDER BY x.removed_at DESC, x.exchange DESC LIMIT 1)
            UNION ALL
            (SELECT x.* FROM table_inventory.boxes x
             WHERE x.property = :property AND x."table" = t."table" AND x.removed_at BETWEEN :first AND :last)
            UNION ALL
            (SELECT x.* FROM table_inventory.boxes x
             WHERE x.property = :property AND x."table" = t."table" AND x.removed_at > :last
             ORDER BY x.removed_at, x.exchange LIMIT 1)) b
        WHERE t."table" IS NOT NULL AND (CAST(:table AS text) IS NULL OR t."table" = :table))
    SELECT CAST(row_to_json(f) AS text) FROM (
        SELECT b.*, s.transported_at, k.count, k.currency_cents, k.counter_checks_cents, k.coupons_cents,
               k.rake_cents, k.figures, r.recorded_currency_cents, r.recorded_checks_cents,
               EXISTS (SELECT FROM table_inventory.write_offs o
                       WHERE o.property = b.property AND o."table" = b."table" AND o.exchange = b.exchange
                         AND o.which = 'removed' AND o.status = 'approved'
                         AND o.entered_at > coalesce(s.transported_at, '-infinity')) AS written_off,
               EXISTS (SELECT FROM table_inventory.write_offs o
                       WHERE o.property = b.property AND o."table" = b."table" AND o.exchange = b.exchange
                         AND o.which = 'placed' AND o.status = 'approved') AS placed_written_off
        FROM asked b
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
            WHERE m.cause IN ('currency', 'counter_check')) r) f
    ORDER BY f."table", f.removed_at, f.exchange""")


@dataclass(frozen=True, slots=True)
class Span:
    """The time from one gaming day to another, extended by the pit's margin on both sides."""

    place: PropertySnapshot
    first: date
    last: date

    def asked(self, property_name: str, table: str | None) -> dict[str, Any]:
        """Return the query parameters for this span of time and a table; None stands for all tables."""
        begins = [self.place.begins_at(day) for day in self._days()]
        margin = self.place.pit_margin
        first, last = begins[1] - margin, begins[-1] + margin
        cuts = [*(one - TICK for one in begins), last]
        recounted = last + min(_DAY_MAX, EVER - last)  # until then, the last day's final count may be repeated
        of_table = {"property": property_name, "table": table}
        return of_table | {"first": first, "last": last, "recounted": recounted, "cuts": cuts}

    def _days(self) -> Iterable[date]:
        """Return the days whose beginnings cut windows, from one day early because of counts in the margin."""
        return (self.first + number * _DAY for number in range(-1, (self.last - self.first).days + 2))


async def marks_of(connection: Executes, asked: Mapping[str, Any]) -> dict[str, list[Mark]]:
    """Return the marks of each table in order of time, from which its sessions are derived."""
    found = await documents_of(Mark, connection, _MARKS, asked)
    return {table: list(marks) for table, marks in groupby(found, attrgetter("table"))}


async def boxes_between(connection: Executes, asked: Mapping[str, Any]) -> dict[str, list[Box]]:
    """Return the drop boxes removed in a period, and the last one before and the first one after it, by table."""
    wanted = {name: asked[name] for name in ("property", "first", "last", "table")}
    found = await documents_of(Box, connection, _BOXES, wanted)
    return {table: list(boxes) for table, boxes in groupby(found, attrgetter("table"))}


async def unopened_in(connection: Executes, property_name: str, closed: Sequence[ClosedTime]) -> list[Unopened]:
    """Return the play at closed tables, without reversed rounds and voided results."""
    if not closed:
        return []
    tables, after, until = map(list, zip(*closed, strict=True))
    asked = {"property": property_name, "tables": tables, "after": after, "until": until}
    return [thing_of(Unopened, row) for row in await connection.execute(_UNOPENED, asked)]


async def with_denominations(
    connection: Executes, property_name: str, windows: Sequence[Window], at: datetime | None = None
) -> list[Window]:
    """Return windows with their movements by denomination; windows without an end are read up to the moment `at`."""
    if not windows:
        return []
    until = [at if window.end is None else window.end.at for window in windows]
    asked = {
        "property": property_name,
        "tables": [window.table for window in windows],
        "after": [_EARLIEST if window.start is None else window.start.at for window in windows],
        "until": until,
    }
    known: dict[int, Stacks] = {row.number: row.known for row in await connection.execute(_KNOWN, asked)}
    return [
        window.model_copy(update={"moves": window.moves.model_copy(update={"by_denomination": known[number]})})
        for number, window in enumerate(windows, start=1)
    ]


async def running_windows(
    connection: Executes, place: PropertySnapshot, property_name: str, at: datetime
) -> list[Window]:
    """Return each table's window from its last count up to a moment, with movements by denomination."""
    asked = {"property": property_name, "first": at, "last": at, "recounted": at, "cuts": [at], "table": None}
    marks = await marks_of(connection, asked)
    windows = [sessions_of(place, found, at).windows[-1] for found in marks.values() if any(one.count for one in found)]
    return await with_denominations(connection, property_name, [one for one in windows if one.start is not None], at)


_EARLIEST: Final = datetime(1900, 1, 1, tzinfo=UTC)
