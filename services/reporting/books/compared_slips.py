"""Slips beside what was received of them, compared in the database: which of them are not plainly in order."""

from datetime import date
from typing import Final

from sqlalchemy import text

from services.reporting.books.compared import Compared
from services.reporting.books.reading import Books, Listed
from services.reporting.books.slips import AT_DESKS, STEPS, USUAL, Slip, slips_by
from services.reporting.books.variances import CaseKey, Cases
from shared.contracts.reading import kind_of

_PLAIN: Final = text("""
    WITH prepared AS MATERIALIZED (
        SELECT gaming_day, table_name, data ->> 'slip' AS slip, CAST(data ->> 'number' AS bigint) AS number,
               data ->> 'request' AS request, data -> 'contents' AS contents
        FROM reporting.facts
        WHERE property = :property AND kind = 'slip.prepared' AND gaming_day BETWEEN :first AND :last
          AND recorded_at <= :known_at AND (CAST(:table AS text) IS NULL OR table_name = :table)),
    received AS (
        SELECT 'fill' AS slip, CAST(data #>> '{data,number}' AS bigint) AS number, data #> '{data,contents}' AS contents
        FROM reporting.facts
        WHERE property = :property AND event = 'fill.received' AND gaming_day BETWEEN :first AND :last
          AND recorded_at <= :known_at
        UNION ALL
        SELECT data ->> 'slip', CAST(data ->> 'number' AS bigint), data -> 'received_contents' FROM reporting.facts
        WHERE property = :property AND kind = 'slip.credit_received' AND gaming_day BETWEEN :first AND :last
          AND recorded_at <= :known_at),
    arrived AS MATERIALIZED (
        SELECT slip, number, count(*) AS times, sum((
                   SELECT sum(p.cents * p.count) FROM json_to_recordset(contents) AS p(cents bigint, count bigint)))
                   AS cents
        FROM received GROUP BY slip, number),
    voided AS MATERIALIZED (
        SELECT data ->> 'slip' AS slip, CAST(data ->> 'number' AS bigint) AS number FROM reporting.facts
        WHERE property = :property AND kind = 'slip.voided' AND recorded_at <= :known_at)
    SELECT p.gaming_day, p.table_name AS table, p.slip, p.number, p.request
    FROM prepared p JOIN arrived a ON a.slip = p.slip AND a.number = p.number
    WHERE a.times = 1
      AND a.cents = (SELECT sum(q.cents * q.count)
                     FROM json_to_recordset(p.contents) AS q(cents bigint, count bigint))
      AND NOT EXISTS (SELECT FROM voided v WHERE v.slip = p.slip AND v.number = p.number)
    ORDER BY p.slip, p.number""")


_OTHERS: Final = text("""
    SELECT service, shard, seq, kind, gaming_day, occurred_at, recorded_at, CAST(data AS text) AS data
    FROM reporting.facts
    WHERE property = :property AND gaming_day BETWEEN :first AND :last AND recorded_at <= :known_at
      AND (kind = ANY(:kinds) OR event = ANY(:events))
      AND (CAST(:table AS text) IS NULL OR table_name IS NULL OR table_name = :table)
      AND CASE WHEN kind LIKE 'manual_slip.%' THEN kind
               WHEN kind = 'slip.requested' THEN concat('request/', data ->> 'request')
               ELSE concat(coalesce(data ->> 'slip', split_part(event, '.', 1)), '/',
                           coalesce(data ->> 'number', data #>> '{data,number}')) END <> ALL(:besides)
    ORDER BY recorded_at, service, shard, seq""")


async def compared_slips(books: Books, cases: Cases) -> Compared[Slip]:
    """Return the slips of which a step was done on the question's gaming days; of those alike, those begun on them.

    Alike are slips of the system that were received once, with what is on them, and of which nobody took a variance on.
    """
    first, last = books.question.first, books.question.last
    days = {"first": first - USUAL, "last": last + USUAL}
    alike: list[CaseKey] = []
    plain: list[str] = []
    for row in await books.read(_PLAIN, table=books.question.table, **days):
        key: CaseKey = (row.gaming_day, row.table, row.slip, row.number)
        if key not in cases.by_key:
            plain += (f"{row.slip}/{row.number}", f"request/{row.request}")
            if first <= row.gaming_day <= last:
                alike.append(key)

    async def others(begin: date, end: date) -> list[Listed]:
        of_steps = {"kinds": [kind.KIND.name for kind in AT_DESKS], "events": [kind_of(event) for event in STEPS]}
        asked = {"first": begin, "last": end, "table": books.question.table, "besides": plain}
        return [Listed.of(row) for row in await books.read(_OTHERS, **of_steps, **asked)]

    return Compared(await slips_by(books, others), alike)
