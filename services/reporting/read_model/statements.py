"""SQL statements that query the read model as of a time; callers replace the placeholders in braces."""

from collections.abc import Sequence
from typing import Final

from services.reporting.read_model.derived import stands
from services.reporting.read_model.rounds import DEALT, LINE_FIGURES, STAKES
from shared.contracts.wager_totals import FIGURES

# The days of `late` are parameters, not a subquery, so that the plan takes their number into account.
LATE: Final = """
    SELECT gaming_day FROM reporting.day_moments
    WHERE property = :property AND gaming_day BETWEEN :first AND :last
      AND (CAST(:every AS boolean) OR last_recorded > :known_at)"""
"""Gaming days with entries recorded after the query's as-of time; with `:every`, all gaming days with entries."""

# For a day in progress, the entries after the moment are few compared with all entries of the day.
AMOUNTS: Final = """
    SELECT {by} measure, sum(value) AS value FROM (
        SELECT gaming_day, table_name, shift, item, measure, value FROM reporting.amount_days
        WHERE property = :property AND gaming_day BETWEEN :first AND :last AND measure = ANY(:measures) AND NOT nothing
        UNION ALL
        SELECT gaming_day, table_name, shift, item, measure, -value FROM reporting.amounts
        WHERE property = :property AND gaming_day = ANY (CAST(:late AS date[])) AND measure = ANY(:measures)
          AND recorded_at > :known_at) known
    WHERE (CAST(:table AS text) IS NULL OR table_name = :table)
      AND (CAST(:items AS text[]) IS NULL OR item = ANY(:items))
    GROUP BY {by} measure HAVING sum(value) <> 0 {order}"""
"""Amounts summed by day, less those recorded after the query's as-of time on the days in `late`."""

# Reading ten thousand rows of a measure takes longer than summing them; texts are read in half the time of numbers of
# any size.
AMOUNTS_BY_PLACE: Final = f"""
    SELECT {{by}} array_agg(measure), array_agg(CAST(value AS text)) FROM ({AMOUNTS.replace("{order}", "")}) known
    GROUP BY {{group}} HAVING count(*) > 0 {{order}}"""
"""AMOUNTS with all measures of each key in one row."""

AMOUNT_BY_PLACE: Final = f"""
    SELECT {{by}} ARRAY[measure], ARRAY[CAST(value AS text)] FROM ({AMOUNTS.replace("{order}", "")}) known {{order}}"""
"""AMOUNTS_BY_PLACE for a single measure, for which each key already has only one row."""

_COLUMNS: Final = ", ".join(f'"{name}"' for name in (*FIGURES, *STAKES))
_OF_FIGURES: Final = ", ".join(
    f"r.times * r.figures[(w.n - 1) * {len(FIGURES)} + {index}]" for index in range(1, len(FIGURES) + 1)
)
_ZEROS: Final = ", ".join("0" for _ in FIGURES)
_PLAY: Final = "r.gaming_day, r.table_name, r.game, r.shift, r.dealer, r.version, r.submission"
_PLAYED: Final = """r.property = :property AND r.gaming_day = ANY (CAST(:late AS date[]))
          AND r.recorded_at <= :known_at"""

HANDED_OVER: Final = """unnest(
        CAST(:handed_days AS date[]), CAST(:handed_tables AS text[]), CAST(:handed_after AS timestamptz[]),
        CAST(:handed_until AS timestamptz[]), CAST(:handed_shifts AS text[])
    ) AS handed_over(of_day, at_table, after, until, to_shift)"""
"""SQL for the periods in which a table's shift differed from the clock's; no periods unless shifts go by hand-over."""

_IN_PERIOD: Final = "gaming_day = of_day AND table_name = at_table AND closed_at > after AND closed_at <= until"

SHIFT_BY_HANDOVER: Final = (
    f"coalesce((SELECT handed_over.to_shift FROM {HANDED_OVER} WHERE {_IN_PERIOD} LIMIT 1), shift)"
)
"""SQL for the shift of a round according to its table's hand-overs instead of the clock."""

# A round in such a period is taken from the shift of the clock and added to that of the table.
_HANDED: Final = f"""
        FROM {HANDED_OVER}
        JOIN reporting.rounds r ON r.property = :property AND r.recorded_at <= :known_at AND {_IN_PERIOD}
             AND r.shift <> to_shift AND r.gaming_day BETWEEN :first AND :last
        CROSS JOIN LATERAL (VALUES (r.shift, -1), (to_shift, 1)) AS moved(shift, times)"""

_ROUNDS: Final = f"""
    WITH read AS NOT MATERIALIZED (
        SELECT {_PLAY}, r.wagers, r.figures, r.line_wagers, r.line_figures, 1 AS times
        FROM reporting.rounds r WHERE {_PLAYED}
        UNION ALL
        SELECT {_PLAY.replace("r.shift", "moved.shift")}, r.wagers, r.figures, r.line_wagers, r.line_figures, times
        {_HANDED})
    SELECT {{by}} {{sums}} FROM (
        SELECT {{sums_of_days}}
        WHERE property = :property AND gaming_day BETWEEN :first AND :last
          AND gaming_day <> ALL (CAST(:late AS date[]))
        UNION ALL
        SELECT {_PLAY}, w.wager, {_OF_FIGURES}, 0, 0
        FROM read r CROSS JOIN LATERAL unnest(r.wagers) WITH ORDINALITY AS w(wager, n)
        UNION ALL
        SELECT {_PLAY}, w.wager, {_ZEROS}, r.times * r.line_figures[(w.n - 1) * {len(LINE_FIGURES)} + 1],
               r.times * r.line_figures[(w.n - 1) * {len(LINE_FIGURES)} + 3]
        FROM read r CROSS JOIN LATERAL unnest(r.line_wagers) WITH ORDINALITY AS w(wager, n)
        WHERE r.line_figures[(w.n - 1) * {len(LINE_FIGURES)} + 3] <> 0) known {{joined}}
    WHERE (CAST(:table AS text) IS NULL OR table_name = :table) AND (CAST(:game AS text) IS NULL OR game = :game)
    GROUP BY {{group}} HAVING count(*) > 0 {{order}}"""

ROUNDS: Final = _ROUNDS.replace(
    "{sums_of_days}",
    f"gaming_day, table_name, game, shift, '' AS dealer, version, submission, wager, {_COLUMNS} "
    "FROM reporting.wager_days",
)

_DEALT: Final = ", ".join(f'"{name}"' if name in DEALT else f'0 AS "{name}"' for name in (*FIGURES, *STAKES))

DEALERS: Final = _ROUNDS.replace(
    "{sums_of_days}",
    f"gaming_day, '' AS table_name, game, '' AS shift, dealer, version, submission, wager, {_DEALT} "
    "FROM reporting.dealer_days",
)

_LINE_COLUMNS: Final = ", ".join(f'"{name}"' for name in LINE_FIGURES)
_OF_LINES: Final = ", ".join(
    f"r.line_figures[(w.n - 1) * {len(LINE_FIGURES)} + {index}]" for index in range(1, len(LINE_FIGURES) + 1)
)

LINES: Final = f"""
    SELECT {{by}} {{sums}} FROM (
        SELECT gaming_day, table_name, game, version, submission, wager, category, {_LINE_COLUMNS}
        FROM reporting.line_days
        WHERE property = :property AND gaming_day BETWEEN :first AND :last
          AND gaming_day <> ALL (CAST(:late AS date[]))
        UNION ALL
        SELECT r.gaming_day, r.table_name, r.game, r.version, r.submission, w.wager, w.category, {_OF_LINES}
        FROM reporting.rounds r
        CROSS JOIN LATERAL unnest(r.line_wagers, r.line_categories) WITH ORDINALITY AS w(wager, category, n)
        WHERE {_PLAYED}) known
    WHERE (CAST(:table AS text) IS NULL OR table_name = :table) AND (CAST(:game AS text) IS NULL OR game = :game)
    GROUP BY {{group}} HAVING count(*) > 0 {{order}}"""

PLAYED: Final = f"""
    SELECT {{by}} {{sums}} FROM (
        SELECT gaming_day, table_name, game, shift, version, submission, posted, corrected, reversed
        FROM reporting.play_days
        WHERE property = :property AND gaming_day BETWEEN :first AND :last
          AND gaming_day <> ALL (CAST(:late AS date[]))
        UNION ALL
        SELECT r.gaming_day, r.table_name, r.game, r.shift, r.version, r.submission,
               (r.sign > 0)::int, r.corrected::int, (r.sign < 0)::int
        FROM reporting.rounds r
        WHERE {_PLAYED}) known
    WHERE (CAST(:table AS text) IS NULL OR table_name = :table) AND (CAST(:game AS text) IS NULL OR game = :game)
    GROUP BY {{group}} {{order}}"""

_OF_ROUNDS_PACE: Final = f"""r.sign AS rounds, r.seats,
               (SELECT sum(r.figures[(n - 1) * {len(FIGURES)} + {FIGURES.index("handle_cents") + 1}])
                FROM generate_series(1, cardinality(r.wagers)) n) AS handle_cents"""

_STANDS: Final = "r.sign > 0 AND (r.table_name, r.round_id, r.revision) NOT IN (SELECT * FROM taken_back)"

# The hours of play are those of the rounds that stand.
PACE: Final = f"""
    WITH taken_back AS MATERIALIZED (
        SELECT r.table_name, r.round_id, r.revision FROM reporting.rounds r WHERE {_PLAYED} AND r.sign < 0)
    SELECT {{by}} CAST(sum(rounds) AS bigint) AS rounds, CAST(sum(seats) AS bigint) AS seats,
           CAST(sum(handle_cents) AS bigint) AS handle_cents, CAST(sum(milliseconds) AS bigint) AS milliseconds
    FROM (
        SELECT table_name, game, dealer, CAST(extract(hour FROM hour AT TIME ZONE :zone) AS integer) AS clock_hour,
               CAST(round(sum(seats) / sum(rounds)) AS integer) AS seats_usual, sum(rounds) AS rounds,
               sum(seats) AS seats, sum(handle_cents) AS handle_cents,
               round(1000 * extract(epoch FROM max(last_closed) - min(first_opened))) AS milliseconds
        FROM (
            SELECT table_name, game, dealer, hour, rounds, seats, handle_cents, first_opened, last_closed
            FROM reporting.pace_hours
            WHERE property = :property AND gaming_day BETWEEN :first AND :last
              AND gaming_day <> ALL (CAST(:late AS date[]))
            UNION ALL
            SELECT r.table_name, r.game, r.dealer, date_trunc('hour', r.closed_at, 'UTC'), {_OF_ROUNDS_PACE},
                   CASE WHEN {_STANDS} THEN r.opened_at END, CASE WHEN {_STANDS} THEN r.closed_at END
            FROM reporting.rounds r
            WHERE {_PLAYED}) known
        WHERE (CAST(:table AS text) IS NULL OR table_name = :table) AND (CAST(:game AS text) IS NULL OR game = :game)
        GROUP BY table_name, game, dealer, hour HAVING sum(rounds) > 0) hours
    GROUP BY {{group}} {{order}}"""
"""SQL for sums of play, from one row per hour of a dealer at a table; `seats_usual` is the row's seats per round."""

HOUSE_EDGES: Final = """
    SELECT submission, wager, offered, paytable, CAST(returns AS text) AS returns, reason, house_edge, standard_error,
           counted, counted_with, lacks, stated_percent, stated_source, bonus_lines
    FROM reporting.house_edges
    WHERE submission = ANY(:submissions) AND recorded_at <= :known_at"""

FIRST_DAY: Final = """
    SELECT min(gaming_day) FROM reporting.day_moments WHERE property = :property AND first_recorded <= :known_at"""

FACTS: Final = """
    SELECT service, shard, seq, kind, gaming_day, occurred_at, recorded_at, CAST(data AS text) AS data
    FROM reporting.{table}
    WHERE {of_property} AND kind = ANY(:kinds) AND recorded_at <= :known_at
      AND (CAST(:first AS date) IS NULL OR gaming_day BETWEEN :first AND :last)
      AND (CAST(:table AS text) IS NULL OR table_name IS NULL OR table_name = :table) {more}
    ORDER BY recorded_at, service, shard, seq"""

FIRST_RECORDED: Final = """
    SELECT table_name, item, min(recorded_at) AS at FROM reporting.amounts
    WHERE property = :property AND gaming_day = ANY(:days) AND measure = ANY(:measures) AND item = ANY(:items)
      AND recorded_at <= :known_at
    GROUP BY table_name, item"""

LAST_OF_PIT: Final = f"""
    SELECT DISTINCT ON (table_name) f.* FROM unnest(CAST(:tables AS text[])) AS t(of_table)
    CROSS JOIN unnest(CAST(:events AS text[])) AS e(of_kind)
    CROSS JOIN LATERAL (
        SELECT service, shard, seq, kind, gaming_day, occurred_at, recorded_at, CAST(data AS text) AS data,
               CAST(data ->> 'sequence' AS bigint) AS sequence, table_name
        FROM reporting.facts
        WHERE property = :property AND table_name = t.of_table AND event = e.of_kind AND gaming_day < :day
          AND recorded_at <= :known_at AND {stands()}
        ORDER BY occurred_at DESC, sequence DESC LIMIT 1) f
    ORDER BY table_name, occurred_at DESC, sequence DESC"""

AMOUNT_ENTRIES: Final = """
    SELECT service, shard, seq, recorded_at, sum(value) AS value FROM reporting.amounts
    WHERE property = :property AND gaming_day BETWEEN :first AND :last AND measure = :measure
      AND recorded_at <= :known_at {where}
    GROUP BY service, shard, seq, recorded_at ORDER BY recorded_at, service, shard, seq"""

ROUND_ENTRIES: Final = f"""
    SELECT 'round-settlement' AS service, shard, seq, recorded_at, round_id, table_name AS "table",
           sum(figures[(n - 1) * {len(FIGURES)} + {{index}}]) AS value
    FROM (SELECT r.*, w.wager, w.n FROM reporting.rounds r
          CROSS JOIN LATERAL unnest(r.wagers) WITH ORDINALITY AS w(wager, n)
          WHERE r.property = :property AND r.gaming_day BETWEEN :first AND :last AND r.recorded_at <= :known_at) known
    WHERE figures[(n - 1) * {len(FIGURES)} + {{index}}] <> 0 {{where}}
    GROUP BY shard, seq, recorded_at, round_id, table_name ORDER BY recorded_at, shard, seq"""

PLAYED_ENTRIES: Final = """
    SELECT 'round-settlement' AS service, shard, seq, recorded_at, round_id, table_name AS "table",
           {value} AS value
    FROM reporting.rounds
    WHERE property = :property AND gaming_day BETWEEN :first AND :last AND recorded_at <= :known_at
      AND {which} {where}
    ORDER BY recorded_at, shard, seq"""

CHIPS_ENTRIES: Final = """
    SELECT 'round-settlement' AS service, shard, seq, recorded_at, round_id, table_name AS "table",
           chips_cents AS value
    FROM reporting.rounds
    WHERE property = :property AND gaming_day BETWEEN :first AND :last AND recorded_at <= :known_at
      AND chips_cents <> 0 {where}
    ORDER BY recorded_at, shard, seq"""

LINE_ENTRIES: Final = f"""
    SELECT 'round-settlement' AS service, shard, seq, recorded_at, round_id, table_name AS "table",
           sum(line_figures[(n - 1) * {len(LINE_FIGURES)} + {{index}}]) AS value
    FROM (SELECT r.*, w.wager, w.category, w.n, r.line_figures[(w.n - 1) * {len(LINE_FIGURES)} + 2] AS stake
          FROM reporting.rounds r
          CROSS JOIN LATERAL unnest(r.line_wagers, r.line_categories) WITH ORDINALITY AS w(wager, category, n)
          WHERE r.property = :property AND r.gaming_day BETWEEN :first AND :last AND r.recorded_at <= :known_at) known
    WHERE line_figures[(n - 1) * {len(LINE_FIGURES)} + {{index}}] <> 0 {{where}}
    GROUP BY shard, seq, recorded_at, round_id, table_name ORDER BY recorded_at, shard, seq"""

# A gap is open until all of it has arrived, a refused record until it is replaced or dismissed. Notices of a posting
# are closed by its reversal.
_STATES: Final = """
    SELECT x.*, f.missing, s.status AS settled, coalesce(f.at, s.at) AS settled_at, s.by AS settled_by,
           s.approved_by AS settled_approved_by, s.reason AS settled_reason, s.shard AS settled_shard,
           s.seq AS settled_seq
    FROM (
        SELECT e.*, false AS anybodys FROM reporting.exceptions e WHERE e.property = :property
        UNION ALL
        SELECT e.*, true FROM reporting.exceptions e
        WHERE e.gaming_day IS NULL AND e.property IS DISTINCT FROM :property AND NOT EXISTS (
            SELECT FROM reporting.properties p
            WHERE p.property = e.property AND CAST(p.document ->> 'approved_at' AS timestamptz) <= :known_at)) x
    LEFT JOIN LATERAL (
        SELECT int8multirange(int8range(x.first, x.last, '[]')) - coalesce(
                   range_agg(int8range(g.sequence, g.sequence, '[]')), '{}') AS missing, max(g.recorded_at) AS at
        FROM reporting.filled_gaps g
        WHERE g.stream = x.stream AND g.sequence BETWEEN x.first AND x.last AND g.recorded_at <= :known_at
    ) f ON x.kind = 'gap'
    LEFT JOIN LATERAL (
        SELECT c.status, c.recorded_at AS at, c.by, c.approved_by, c.reason, c.shard, c.seq
        FROM reporting.closings c
        WHERE x.kind = 'quarantined' AND (c.service, c.closed_shard, c.closed_seq) = (x.service, x.shard, x.seq)
          AND c.recorded_at <= :known_at
        UNION ALL
        SELECT 'reversed', r.recorded_at, r.entered_by, r.approved_by, r.reason, r.shard, r.seq
        FROM reporting.exceptions r
        WHERE x.kind = 'notice' AND r.kind = 'reversed' AND r.recorded_at <= :known_at
          AND (r.property, r.table_name, r.round_id, r.revision) = (x.property, x.table_name, x.round_id, x.revision)
        ORDER BY 2, 6, 7 LIMIT 1) s ON x.kind IN ('quarantined', 'notice')
    WHERE x.recorded_at <= :known_at"""
"""The exceptions of a property, and those that belong to no known property (`anybodys`), each with its resolution."""

_IS_OPEN: Final = "(kind = 'gap' AND NOT isempty(missing) OR kind = 'quarantined' AND settled IS NULL)"
"""The SQL condition that an exception is open."""

OF_INPUT: Final = f"""
    SELECT * FROM ({_STATES}
        AND (CAST(:table AS text) IS NULL OR x.anybodys OR x.table_name IS NULL OR x.table_name = :table)
        AND (x.gaming_day IS NULL AND x.since < :ends OR x.gaming_day BETWEEN :first AND :last)) known
    WHERE gaming_day IS NOT NULL OR since >= :begins OR {_IS_OPEN}
    ORDER BY since, service, shard, seq, number"""

OPEN_EXCEPTIONS: Final = f"""
    SELECT * FROM ({_STATES} AND x.gaming_day IS NULL AND x.kind = ANY(:kinds)
        AND (CAST(:table AS text) IS NULL OR x.anybodys OR x.table_name IS NULL OR x.table_name = :table)) known
    WHERE {_IS_OPEN} ORDER BY since, service, shard, seq, number"""

COUNT_OPEN: Final = f"""
    SELECT count(*) AS exceptions, count(*) FILTER (WHERE service = 'reporting') AS input
    FROM ({_STATES} AND x.gaming_day IS NULL) known WHERE {_IS_OPEN}"""

LAST_ACTS: Final = """
    SELECT item, max(gaming_day) AS gaming_day FROM (
        SELECT item, gaming_day FROM reporting.amount_days
        WHERE property = :property AND gaming_day BETWEEN :first AND :last AND measure = :measure AND NOT nothing
          AND gaming_day <> ALL (CAST(:late AS date[]))
        UNION ALL
        SELECT item, gaming_day FROM reporting.amounts
        WHERE property = :property AND gaming_day = ANY (CAST(:late AS date[])) AND measure = :measure
          AND recorded_at <= :known_at) known
    GROUP BY item ORDER BY item"""


def of_rounds(query: str, sums: str, joined: str = "") -> str:
    """Return an SQL statement about rounds, with `{sums}` and `{joined}` replaced by the sums and joins."""
    return query.replace("{sums}", sums).replace("{joined}", joined)


_OF_ANY_SIZE: Final = "squared"
"""The only figure whose sums may need more than 64 bits."""


def sums_of(names: Sequence[str]) -> str:
    """Return SQL that sums the named columns under the same names; 64-bit sums, if possible, are read faster."""
    return ", ".join(
        f'sum("{name}") AS "{name}"' if name == _OF_ANY_SIZE else f'CAST(sum("{name}") AS bigint) AS "{name}"'
        for name in names
    )


def added_up(query: str, by: Sequence[str]) -> str:
    """Return a statement of this module, grouped and ordered by the dimensions `by`."""
    group = ", ".join(str(number + 1) for number in range(len(by)))
    return (
        query.replace("{by}", "".join(f'"{name}", ' for name in by))
        .replace("{group}", group or "()")
        .replace("{order}", f"ORDER BY {group}" if by else "")
    )
