"""The SQL statements that compare tables' meter readings with the ledger, using indexes.

A span is the hours of a pool from `begins` up to but not including `ends`. Because a span contains few of all rows,
`OFFSET 0` makes the planner use the index on pool and time.
"""

from dataclasses import fields
from typing import Final

from sqlalchemy import text

from services.progressive_meters.domain.comparison import Reading

_NANO: Final = "CAST(1000000000 AS numeric)"
_GAIN: Final = f"(m.contribution + m.reset + m.seed + m.transfer + m.released - m.award_cents * {_NANO})"
_HELD: Final = f"""sum({_GAIN}) AS display, sum(m.reserved - m.reserve_used) AS reserve,
    sum(m.overflow - m.released) AS overflow"""
_SPANS: Final = """unnest(CAST(:pools AS text[]), CAST(:begins AS timestamptz[]), CAST(:ends AS timestamptz[]))
    AS s (pool, begins, ends)"""
_READ: Final = "r.property = :property AND r.standing AND r.before_cents IS NOT NULL"
_WANTED: Final = "CAST(:gaming_day AS date) IS NULL OR gaming_day = :gaming_day"

COUNTED: Final = text(f"""
    SELECT s.pool, s.begins, r.gaming_day, date_trunc('hour', r.closed_at, 'UTC') AS hour, count(*) AS readings,
           max(r.closed_at) AS last
    FROM {_SPANS}
    CROSS JOIN LATERAL (
        SELECT r.gaming_day, r.closed_at FROM progressive_meters.readings r
        WHERE {_READ} AND r.pool = s.pool AND r.closed_at >= s.begins AND r.closed_at < s.ends OFFSET 0) r
    WHERE {_WANTED}
    GROUP BY 1, 2, 3, 4""")

COUNTED_OF_DAY: Final = text(f"""
    SELECT r.pool, r.gaming_day, date_trunc('hour', r.closed_at, 'UTC') AS hour, count(*) AS readings,
           max(r.closed_at) AS last
    FROM progressive_meters.readings r
    WHERE {_READ} AND r.gaming_day = :gaming_day AND r.pool = ANY(CAST(:pools AS text[]))
    GROUP BY 1, 2, 3""")

LISTED: Final = text(f"""
    SELECT s.pool, m.gaming_day, date_trunc('hour', m.at, 'UTC') AS hour, count(*) AS movements, {_HELD}
    FROM {_SPANS}
    CROSS JOIN LATERAL (
        SELECT m.* FROM progressive_meters.movements m
        WHERE m.property = :property AND m.pool = s.pool AND m.at >= s.begins AND m.at < s.ends OFFSET 0) m
    WHERE {_WANTED}
    GROUP BY 1, 2, 3""")

LISTED_OF_DAY: Final = text(f"""
    SELECT m.pool, m.gaming_day, date_trunc('hour', m.at, 'UTC') AS hour, count(*) AS movements, {_HELD}
    FROM progressive_meters.movements m
    WHERE m.property = :property AND m.gaming_day = :gaming_day AND m.pool = ANY(CAST(:pools AS text[]))
    GROUP BY 1, 2, 3""")

_OWN: Final = tuple(field.name for field in fields(Reading) if field.name not in ("pool", "number"))
_COLUMNS: Final = ", ".join(f'r."{field.name}"' for field in fields(Reading))
_VALUES: Final = ", ".join(f'r."{name}"' for name in _OWN)
_NO_VALUES: Final = ", ".join("NULL" for _ in _OWN)

NOT_EXPLAINED: Final = text(f"""
    SELECT {_COLUMNS}
    FROM unnest(CAST(:pools AS text[]), CAST(:begins AS timestamptz[]), CAST(:ends AS timestamptz[]),
                CAST(:totals AS numeric[])) AS s (pool, begins, ends, total)
    CROSS JOIN LATERAL (
        SELECT s.total - coalesce(sum({_GAIN}), 0) AS held FROM progressive_meters.movements m
        WHERE m.property = :property AND m.pool = s.pool AND m.at >= s.begins OFFSET 0) opening
    CROSS JOIN LATERAL (
        SELECT s.pool, listed.*,
               lag(listed.number) OVER own AS own_number, lag(listed.is_reading) OVER own AS own_is_reading,
               lag(listed.at) OVER own AS own_at, lag(listed.held) OVER own AS own_held,
               lag(listed.is_plain) OVER own AS own_is_plain
        FROM (
            SELECT r.number, true AS is_reading, r.closed_at AS at, CAST(NULL AS numeric) AS held,
                   r.revision = 1 AND r.opened_at <= r.closed_at
                   AND r.after_cents = r.before_cents + r.settled_cents - r.award_cents + r.reset_cents AS is_plain,
                   {_VALUES}
            FROM progressive_meters.readings r
            WHERE {_READ} AND r.pool = s.pool AND r.closed_at >= s.begins AND r.closed_at <= s.ends
            UNION ALL
            SELECT m.number, false, m.at, opening.held + sum({_GAIN}) OVER before - {_GAIN},
                   NOT coalesce(
                       (lag(m."table") OVER before, lag(m.round_id) OVER before) = (m."table", m.round_id), false),
                   {_NO_VALUES}
            FROM progressive_meters.movements m
            WHERE m.property = :property AND m.pool = s.pool AND m.at >= s.begins AND m.at <= s.ends
            WINDOW before AS (ORDER BY m.at, m.number)) listed
        WINDOW own AS (ORDER BY listed.number, listed.is_reading) OFFSET 0) r
    WHERE r.is_reading AND ({_WANTED}) AND (
        r.is_plain AND r.own_is_plain AND NOT r.own_is_reading AND r.own_number = r.number AND r.own_at = r.at
        AND r.own_held >= r.before_cents * {_NANO} AND r.own_held < (r.before_cents + 1) * {_NANO}
    ) IS NOT TRUE
    ORDER BY r.pool, r.number""")
"""Readings that differ from the ledger's display right before the movement of their own round.

Only rounds that were posted once and have one meter in the pool can match in this way; readings of other rounds are
always returned. Here `ends` is the moment of the last reading of a span. `total` is the pool's display, from which the
movements since `begins` are deducted. Readings and movements are merged into one order instead of joined, because
without statistics of a span a join would compare each reading with each movement.
"""

SINCE: Final = text(f"""
    SELECT m.pool, sum({_GAIN}) AS display
    FROM {_SPANS}
    JOIN progressive_meters.movements m ON m.property = :property AND m.pool = s.pool AND m.at >= s.begins
    GROUP BY m.pool""")

STEPS: Final = text(f"""
    SELECT m.pool, m.at, m.number, m."table", m.round_id, {_GAIN} AS display
    FROM {_SPANS}
    JOIN progressive_meters.movements m
        ON m.property = :property AND m.pool = s.pool AND m.at >= s.begins AND m.at <= s.ends""")

POOLS: Final = text("""
    SELECT p.pool, p.number, c.number AS compared, coalesce(CAST(m.xmin AS text), '') AS mark, c.mark AS compared_mark
    FROM progressive_meters.pools p
    LEFT JOIN LATERAL (
        SELECT m.xmin FROM progressive_meters.movements m
        WHERE m.property = p.property AND m.pool = p.pool AND m.number = 1 OFFSET 0) m ON true
    LEFT JOIN progressive_meters.compared_pools c ON c.property = p.property AND c.pool = p.pool
    WHERE p.property = :property""")

_MOVED: Final = """unnest(CAST(:pools AS text[]), CAST(:numbers AS bigint[])) AS s (pool, number)
    CROSS JOIN LATERAL (
        SELECT m.* FROM progressive_meters.movements m
        WHERE m.property = :property AND m.pool = s.pool AND m.number > s.number OFFSET 0) m"""

FIRST_MOVED: Final = text(f"""
    SELECT m.pool, min(m.at) AS at,
           bool_or(coalesce(m.revision > CASE m.kind WHEN 'taken_back' THEN 1 ELSE 2 END, false)) AS often
    FROM {_MOVED}
    GROUP BY m.pool""")
"""For each pool, the time of the earliest movement among those recorded after the pool's movement `number`.

`often` is true if a round was corrected more than once, so that the closing times of some of its revisions are no
longer known.
"""

ROUNDS_AGAIN: Final = text(f"""
    SELECT m.pool, w.at
    FROM {_MOVED}
    CROSS JOIN LATERAL (
        SELECT w.at FROM progressive_meters.movements w
        WHERE w.property = m.property AND w."table" = m."table" AND w.round_id = m.round_id AND w.revision = 1
            AND w.kind = 'round' AND w.pool = m.pool
        UNION
        SELECT r.closed_at FROM progressive_meters.readings r
        WHERE r.property = m.property AND r."table" = m."table" AND r.round_id = m.round_id AND r.pool = m.pool) w
    WHERE m.kind = 'taken_back' OR m.revision > 1""")
"""The closing times, in first and last revision, of rounds reversed or recounted after a pool's `number`."""

FORGET: Final = text(f"""
    DELETE FROM progressive_meters.compared_hours c USING {_SPANS}
    WHERE c.property = :property AND c.pool = s.pool AND c.hour >= s.begins AND c.hour < s.ends""")

AWARDS: Final = text(f"""
    SELECT r.pool, r.meter, r."table", r.game, r.gaming_day, r.round_id, r.number, r.award_cents,
           p.display - later.moved + own.contribution + meanwhile.contribution AS available
    FROM progressive_meters.readings r
    JOIN progressive_meters.pools p ON p.property = r.property AND p.pool = r.pool
    JOIN progressive_meters.movements own ON own.property = r.property AND own.pool = r.pool AND own.number = r.number
    CROSS JOIN LATERAL (
        SELECT sum({_GAIN}) AS moved FROM progressive_meters.movements m
        WHERE m.property = r.property AND m.pool = r.pool AND (m.at, m.number) >= (own.at, own.number) OFFSET 0) later
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(m.contribution), 0) AS contribution FROM progressive_meters.readings o
        JOIN progressive_meters.movements m ON m.property = o.property AND m.pool = o.pool AND m.number = o.number
        WHERE o.property = r.property AND o.pool = r.pool AND (o."table" <> r."table" OR o.opened_at > r.closed_at)
          AND o.opened_at <= own.at AND o.closed_at > own.at AND o.closed_at < own.at + interval '1 hour') meanwhile
    WHERE r.property = :property AND r.standing AND r.award_cents > 0
      AND (CAST(:gaming_day AS date) IS NULL OR r.gaming_day = :gaming_day)
      AND (CAST(:pool AS text) IS NULL OR r.pool = :pool AND r.number = :number)
      AND NOT EXISTS (
        SELECT FROM progressive_meters.changes c
        WHERE c.property = r.property AND c.pool = r.pool AND c.status = 'approved'
          AND c.document ->> 'kind' = 'award' AND CAST(c.document ->> 'movement' AS bigint) = r.number)
    ORDER BY r.pool, r.number""")
"""Awards in force that two people have not accepted, with the amount available on the meter, in the order of closing.

The amount available before an award includes all earlier movements and the contribution of the award's own round. It
also includes the contributions of other tables' rounds that were in progress and closed later (even if reversed since),
because the sign showed them. The award of a corrected round is compared with the meter at the time of the correction,
when its own table may already be playing further rounds.
"""
